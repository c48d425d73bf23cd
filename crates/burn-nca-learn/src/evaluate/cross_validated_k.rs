//! The number of neighbors, chosen by leave-one-out cross-validation.

use super::Embedded;
use super::knn::{accuracy, nearest_others};
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
    k: usize,
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
        let (mut chosen, mut most) = (1, 0);
        for k in 1..=largest {
            let correct = accuracy(&neighbors, embedded.labels, embedded.labels, k)?.correct();
            (chosen, most) = if correct > most { (k, correct) } else { (chosen, most) };
        }
        Ok(Self { k: chosen })
    }

    /// The k with most rows classified correctly; of several, the smallest.
    pub fn k(&self) -> usize {
        self.k
    }
}

#[cfg(test)]
mod tests {
    use super::super::leave_one_out_accuracy;
    use super::*;
    use crate::neighbors::fixture::line;

    #[test]
    fn the_smallest_k_of_the_most_accurate_is_chosen() {
        let values: Vec<f32> = (0..40).map(|i| ((i * i * 7) % 53) as f32).collect();
        let points = line(&values);
        let labels: Vec<usize> = (0..40).map(|i| usize::from((i * i * 7) % 53 > 25)).collect();
        let embedded = Embedded::new(&points, &labels);
        let correct = |k| leave_one_out_accuracy(embedded, k).unwrap().correct();
        let most = (1..=39).map(correct).max();
        let expected = (1..=39).find(|k| Some(correct(*k)) == most);
        assert_eq!(Some(CrossValidatedK::choose(embedded, 39).unwrap().k()), expected);
        assert!(CrossValidatedK::choose(embedded, 40).is_err());
        assert!(CrossValidatedK::choose(embedded, 0).is_err());
    }
}
