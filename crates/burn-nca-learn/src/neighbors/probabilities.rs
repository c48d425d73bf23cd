//! Class probabilities of queries, in log space.

use crate::error::{Error, Result};

/// How far the probabilities of a row may be from summing to 1.
const SUM_TOLERANCE: f64 = 1e-6;

/// The probability of each class for each query, kept as logarithms in f64.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassProbabilities {
    logs: Vec<f64>,
    classes: usize,
    /// What two logarithms of each row may differ by and be equal; nothing without.
    ties: Vec<f64>,
}

impl ClassProbabilities {
    /// Probabilities from another source, such as the [shares](super::Voters::shares) of k-NN votes: row-major
    /// `[n, c]`.
    ///
    /// # Errors
    /// No class, a number of values that does not fill rows, a value outside 0..1, or a row whose sum differs
    /// from 1 by more than 1e-6.
    ///
    /// # Examples
    /// ```
    /// use burn_nca_learn::neighbors::ClassProbabilities;
    ///
    /// let shares = ClassProbabilities::from_probabilities(&[0.75, 0.25, 0.0, 1.0], 2)?;
    /// assert_eq!(shares.most_probable(), [0, 1]);
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    pub fn from_probabilities(values: &[f64], classes: usize) -> Result<Self> {
        if classes == 0 || !values.len().is_multiple_of(classes) {
            return Err(Error::data(format!(
                "{} probabilities do not fill rows of {classes} classes; give rows x classes values",
                values.len()
            )));
        }
        for (row, values) in values.chunks_exact(classes).enumerate() {
            let outside = values.iter().find(|value| !(0.0..=1.0).contains(*value));
            let sum: f64 = values.iter().sum();
            if outside.is_some() || (sum - 1.0).abs() > SUM_TOLERANCE {
                return Err(Error::data(format!(
                    "row {} of the probabilities is {values:?}; give numbers from 0 to 1 that sum to 1",
                    row + 1
                )));
            }
        }
        Ok(Self::from_logs(values.iter().map(|value| value.ln()).collect(), classes))
    }

    /// Log-probabilities, row-major `[n, c]`.
    pub(super) fn from_logs(logs: Vec<f64>, classes: usize) -> Self {
        Self { logs, classes, ties: Vec::new() }
    }

    /// The same, where the logarithms of a row are equal that differ by no more than this.
    pub(super) fn with_ties(self, ties: Vec<f64>) -> Self {
        Self { ties, ..self }
    }

    /// Number of queries, n.
    pub fn rows(&self) -> usize {
        self.logs.len() / self.classes.max(1)
    }

    /// Number of classes, c.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The log-probability of each class for query `row` (below [`rows`](Self::rows)).
    pub fn log_probabilities(&self, row: usize) -> &[f64] {
        &self.logs[row * self.classes..(row + 1) * self.classes]
    }

    /// The probability (0..1) of `class` for query `row`.
    pub fn probability(&self, row: usize, class: usize) -> f64 {
        self.log_probabilities(row)[class].exp()
    }

    /// The probabilities (0..1) of all queries, row-major `[n, c]`.
    pub fn to_vec(&self) -> Vec<f64> {
        self.logs.iter().map(|log| log.exp()).collect()
    }

    /// The most probable class of each query; of those that rounding of the coordinates alone may part, by the rule for
    /// distances ([`neighbors`](super)), the lowest.
    pub fn most_probable(&self) -> Vec<usize> {
        let best = |row: usize| {
            let logs = self.log_probabilities(row);
            let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let least = largest - self.ties.get(row).copied().unwrap_or(0.0);
            logs.iter().position(|log| *log >= least).unwrap_or(0)
        };
        (0..self.rows()).map(best).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::assert_refused;

    #[test]
    fn probabilities_that_are_none_are_refused_with_their_row() {
        for values in [[0.5, 0.6], [1.5, -0.5], [f64::NAN, 1.0]] {
            let values = [[0.5, 0.5], values].concat();
            let found = ClassProbabilities::from_probabilities(&values, 2);
            assert_refused(found, &["row 2 of the probabilities is ["]);
        }
        assert!(ClassProbabilities::from_probabilities(&[1.0, 0.0, 1.0], 2).is_err());
        assert!(ClassProbabilities::from_probabilities(&[], 0).is_err());
    }

    #[test]
    fn a_probability_of_zero_is_minus_infinity_as_a_logarithm() {
        let found = ClassProbabilities::from_probabilities(&[0.0, 1.0], 2).unwrap();
        assert_eq!(found.log_probabilities(0), [f64::NEG_INFINITY, 0.0]);
        assert_eq!((found.rows(), found.classes()), (1, 2));
    }
}
