//! The number of neighbors, chosen by leave-one-out cross-validation.

use super::knn::{accuracy, nearest_others};
use super::{Accuracy, Embedded};
use crate::error::Result;

/// The k of k-NN chosen by leave-one-out cross-validation.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::evaluate::{CrossValidatedK, Embedded};
///
/// let points = Tensor::<2>::from_floats([[0.0], [1.0], [3.0], [2.2], [90.0]], &Device::flex());
/// let embedded = Embedded::new(&points, &[0, 0, 0, 1, 0]);
/// let choice = CrossValidatedK::choose(embedded, 3)?;
/// assert_eq!(choice.k(), 3); // the lone row of class 1 misleads its single nearest neighbor
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossValidatedK {
    accuracies: Vec<Accuracy>,
}

impl CrossValidatedK {
    /// Classifies each row by its k nearest other rows (of other groups, where there are groups), for each k from 1 to
    /// `largest`.
    ///
    /// On the rows that a metric was learned from this favors small k: the metric has brought each of them to
    /// its class already.
    ///
    /// # Errors
    /// A `largest` of 0 or above the rows that a row may be classified by, not one label (or group) per row, or a coordinate that is not finite.
    pub fn choose(embedded: Embedded, largest: usize) -> Result<Self> {
        let neighbors = nearest_others(embedded, largest)?;
        let at = |k| accuracy(&neighbors, embedded.labels, embedded.labels, k);
        Ok(Self { accuracies: (1..=largest).map(at).collect::<Result<_>>()? })
    }

    /// The k with most rows classified correctly; of several, the smallest.
    pub fn k(&self) -> usize {
        let correct = |k: usize| self.accuracies[k - 1].correct();
        (2..=self.accuracies.len())
            .fold(1, |best, k| if correct(k) > correct(best) { k } else { best })
    }

    /// The leave-one-out accuracy at each k, from 1 on.
    pub fn accuracies(&self) -> &[Accuracy] {
        &self.accuracies
    }
}

#[cfg(test)]
mod tests {
    use super::super::leave_one_out_accuracy;
    use super::*;
    use crate::neighbors::fixture::line;

    #[test]
    fn the_accuracies_are_those_of_each_k_and_ties_go_to_the_smallest() {
        let values: Vec<f32> = (0..40).map(|i| ((i * i * 7) % 53) as f32).collect();
        let points = line(&values);
        let labels: Vec<usize> = (0..40).map(|i| usize::from((i * i * 7) % 53 > 25)).collect();
        let embedded = Embedded::new(&points, &labels);
        let choice = CrossValidatedK::choose(embedded, 39).unwrap();
        for k in 1..=39 {
            let expected = leave_one_out_accuracy(embedded, k).unwrap();
            assert_eq!(choice.accuracies()[k - 1], expected, "k = {k}");
            let chosen = choice.accuracies()[choice.k() - 1].correct();
            assert!(
                expected.correct() < chosen || (expected.correct() == chosen && k >= choice.k())
            );
        }
    }

    #[test]
    fn more_neighbors_than_other_rows_are_refused() {
        let points = line(&[0.0, 1.0]);
        let embedded = Embedded::new(&points, &[0, 1]);
        assert!(CrossValidatedK::choose(embedded, 2).is_err());
        assert!(CrossValidatedK::choose(embedded, 0).is_err());
    }
}
