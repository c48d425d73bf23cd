//! McNemar's test of two classifiers on the same rows.

use std::f64::consts::LN_2;

use super::accuracy::check_lengths;
use crate::error::Result;

/// From this many discordant rows on, [`McNemar::p_value`] takes the chi-square approximation.
const ENOUGH_FOR_CHI_SQUARE: usize = 25;

/// McNemar's test of two classifiers on the same rows: is one right more often than the other?
///
/// Rows that both have right, or both wrong, carry no information. The others are discordant:
///
/// ```text
/// b = rows that only the first has right,   c = rows that only the second has right
/// exact       p = min(1, 2 Σ_{i <= min(b, c)} C(b + c, i) / 2^(b + c))
/// chi-square  x = max(0, |b - c| - 1)² / (b + c),   p = P(χ²_1 >= x) = erfc(√(x / 2))      ([1], [2])
/// ```
/// Tested is the hypothesis that both are right equally often, so that a discordant row falls to either side with
/// probability 1/2. A large p-value (two-sided) only says that these rows do not decide. Both classifiers are taken as
/// they are: the test knows nothing of other training rows.
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::McNemar;
///
/// let truth = [0, 0, 1, 1, 1];
/// let test = McNemar::of(&[0, 0, 1, 1, 0], &[0, 1, 0, 0, 1], &truth)?;
/// assert_eq!((test.first_only(), test.second_only()), (3, 1));
/// assert_eq!(test.p_value(), 0.625); // 2 (1 + 4) / 16
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
///
/// # References
/// \[1\] Q. McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
/// Psychometrika 12, 1947. \[2\] A. L. Edwards, Note on the correction for continuity in testing the significance
/// of the difference between correlated proportions, Psychometrika 13, 1948.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McNemar {
    first_only: usize,
    second_only: usize,
}

/// How the p-value of [`McNemar`] was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McNemarForm {
    /// By the binomial distribution: below 25 discordant rows.
    Exact,
    /// By the chi-square distribution with one degree of freedom, corrected for continuity.
    ChiSquare,
}

impl McNemar {
    /// Counts the discordant rows of two lists of predictions.
    ///
    /// # Errors
    /// Another number of predictions than of true classes.
    pub fn of(first: &[usize], second: &[usize], truth: &[usize]) -> Result<Self> {
        check_lengths(first.len(), truth.len())?;
        check_lengths(second.len(), truth.len())?;
        let mut test = Self::new(0, 0);
        for ((first, second), truth) in first.iter().zip(second).zip(truth) {
            match (first == truth, second == truth) {
                (true, false) => test.first_only += 1,
                (false, true) => test.second_only += 1,
                _ => {}
            }
        }
        Ok(test)
    }

    /// The test of these counts of discordant rows, b and c.
    pub fn new(first_only: usize, second_only: usize) -> Self {
        Self { first_only, second_only }
    }

    /// Rows that only the first classifier has right, b.
    pub fn first_only(&self) -> usize {
        self.first_only
    }

    /// Rows that only the second classifier has right, c.
    pub fn second_only(&self) -> usize {
        self.second_only
    }

    /// The form that [`p_value`](Self::p_value) takes: exact below 25 discordant rows.
    pub fn form(&self) -> McNemarForm {
        match self.discordant() < ENOUGH_FOR_CHI_SQUARE {
            true => McNemarForm::Exact,
            false => McNemarForm::ChiSquare,
        }
    }

    /// The two-sided p-value, 0..1, in the form of [`form`](Self::form); 1 without discordant rows.
    pub fn p_value(&self) -> f64 {
        match self.form() {
            McNemarForm::Exact => self.exact_p_value(),
            McNemarForm::ChiSquare => self.chi_square_p_value(),
        }
    }

    /// By the binomial distribution: the largest summand in log space, the others as ratios to it, so that nothing overflows.
    fn exact_p_value(&self) -> f64 {
        let n = self.discordant() as f64;
        let fewer = self.first_only.min(self.second_only);
        let log_choose: f64 =
            (1..=fewer).map(|i| ((n - fewer as f64 + i as f64) / i as f64).ln()).sum();
        let (mut summand, mut sum) = (1.0, 1.0);
        for i in (1..=fewer).rev() {
            summand *= i as f64 / (n - i as f64 + 1.0);
            sum += summand;
        }
        (2.0 * sum * (log_choose - n * LN_2).exp()).min(1.0)
    }

    /// By the chi-square distribution, of at least one discordant row.
    fn chi_square_p_value(&self) -> f64 {
        let excess = self.first_only.abs_diff(self.second_only).saturating_sub(1) as f64;
        libm::erfc((excess * excess / self.discordant() as f64 / 2.0).sqrt())
    }

    fn discordant(&self) -> usize {
        self.first_only + self.second_only
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// b, c, `scipy.stats.binomtest(b, b + c).pvalue`, `scipy.stats.chi2.sf(x, 1)`.
    const SCIPY: [(usize, usize, f64, f64); 6] = [
        (1, 7, 0.0703125, 0.07709987174354202),
        (3, 12, 0.03515625, 0.03886710381241731),
        (0, 10, 0.001953125, 0.004426525857919834),
        (150, 86, 3.7159361395713866e-05, 4.114562281345944e-05),
        (30, 60, 0.0020602656809630745, 0.0022366244452098703),
        (700, 500, 8.535366081034316e-09, 9.21193790528664e-09),
    ];

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-11 * expected, "{found} is not {expected}");
    }

    #[test]
    fn the_p_values_are_those_of_scipy() {
        for (b, c, exact, chi_square) in SCIPY {
            let test = McNemar::new(b, c);
            close(test.exact_p_value(), exact);
            close(test.chi_square_p_value(), chi_square);
            assert_eq!(test.exact_p_value(), McNemar::new(c, b).exact_p_value());
        }
    }

    #[test]
    fn the_form_changes_at_25_discordant_rows() {
        assert_eq!(McNemar::new(20, 4).form(), McNemarForm::Exact);
        let test = McNemar::new(20, 5);
        assert_eq!(test.form(), McNemarForm::ChiSquare);
        assert_eq!(test.p_value(), test.chi_square_p_value());
    }

    #[test]
    fn what_never_differs_is_not_told_apart_and_other_numbers_are_refused() {
        // Both wrong in different ways is no difference.
        let same = McNemar::of(&[0, 1, 1, 1], &[0, 1, 1, 2], &[0, 0, 1, 0]).unwrap();
        assert_eq!((same, same.p_value()), (McNemar::new(0, 0), 1.0));
        assert!(McNemar::of(&[0, 1], &[0], &[0]).is_err());
        assert!(McNemar::of(&[0], &[0, 1], &[0]).is_err());
    }
}
