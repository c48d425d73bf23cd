//! The accuracy of a classification, with its confidence interval.

use crate::error::{Error, Result};

/// The standard normal quantile of 97.5 %: two-sided 95 % intervals.
const Z_95: f64 = 1.959_963_984_540_054;

/// How many of a number of predictions are correct.
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::Accuracy;
///
/// let accuracy = Accuracy::of(&[0, 1, 1, 0], &[0, 1, 0, 0])?;
/// assert_eq!(accuracy.value(), Some(0.75));
/// assert_eq!(Accuracy::of(&[], &[])?.value(), None);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accuracy {
    correct: usize,
    total: usize,
}

impl Accuracy {
    /// Counts where `predicted` equals `truth`.
    ///
    /// # Errors
    /// Another number of predictions than of true classes.
    pub fn of(predicted: &[usize], truth: &[usize]) -> Result<Self> {
        check_lengths(predicted.len(), truth.len())?;
        let correct = predicted.iter().zip(truth).filter(|(p, t)| p == t).count();
        Ok(Self { correct, total: truth.len() })
    }

    /// `correct` of `total` predictions.
    ///
    /// # Errors
    /// More correct ones than there are.
    pub fn new(correct: usize, total: usize) -> Result<Self> {
        if correct > total {
            return Err(Error::data(format!(
                "{correct} correct predictions of {total}; the total counts both correct and wrong ones"
            )));
        }
        Ok(Self { correct, total })
    }

    /// Number of correct predictions.
    pub fn correct(&self) -> usize {
        self.correct
    }

    /// Number of predictions.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The share of correct predictions, 0..1; `None` without predictions.
    pub fn value(&self) -> Option<f64> {
        (self.total > 0).then(|| self.correct as f64 / self.total as f64)
    }

    /// The 95 % interval of Wilson's score test; `None` without predictions.
    ///
    /// ```text
    /// (p + z²/2n ± z sqrt(p (1 - p)/n + z²/4n²)) / (1 + z²/n),   z = 1.96        (eq. 4 of [1])
    /// ```
    /// Unlike the normal approximation it stays within 0..1 and has a width where p is 0 or 1.
    ///
    /// # References
    /// \[1\] R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in
    /// Medicine 17, 1998, method 3 (after E. B. Wilson, 1927).
    pub fn interval(&self) -> Option<Interval> {
        let (p, n, z2) = (self.value()?, self.total as f64, Z_95 * Z_95);
        let center = p + z2 / (2.0 * n);
        let half = Z_95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        let norm = 1.0 + z2 / n;
        // At p = 0 and p = 1 a limit is 0 or 1 exactly; rounding may leave it just outside.
        let low = if self.correct == 0 { 0.0 } else { (center - half) / norm };
        let high = if self.correct == self.total { 1.0 } else { (center + half) / norm };
        Some(Interval { low, high })
    }
}

/// A confidence interval of a share, 0..1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower limit.
    pub low: f64,
    /// The upper limit.
    pub high: f64,
}

/// Checks that there is one prediction per row.
pub(super) fn check_lengths(predicted: usize, truth: usize) -> Result<()> {
    if predicted != truth {
        return Err(Error::data(format!(
            "{predicted} predictions for {truth} true classes; give one prediction per true class"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_literature() {
        // Newcombe 1998, table I, method 3.
        for (correct, total, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = Accuracy::new(correct, total).unwrap().interval().unwrap();
            assert!((interval.low - low).abs() < 5e-5, "{interval:?}");
            assert!((interval.high - high).abs() < 5e-5, "{interval:?}");
        }
        assert_eq!(Accuracy::of(&[], &[]).unwrap().interval(), None);
        let all = Accuracy::new(20, 20).unwrap().interval().unwrap();
        assert!(all.high == 1.0 && (all.low - (1.0 - 0.1611)).abs() < 5e-5);
    }
}
