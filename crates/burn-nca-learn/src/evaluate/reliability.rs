//! The calibration of class probabilities.

use super::probability::check_truth;
use crate::error::{Error, Result};
use crate::neighbors::ClassProbabilities;

/// Whether probabilities mean what they say: of the rows classified with confidence 0.8, are 80 % right?
///
/// ```text
/// confidence_i = max_c P(c | x_i),   bin b of M:  (b - 1)/M < confidence <= b/M
/// ECE = Σ_b (n_b / n) |accuracy_b - mean confidence_b|                         (eq. 3 of [1])
/// ```
/// The table holds every bin, those without rows too. The expected calibration error depends on M, and is small
/// for useless probabilities as well (always the share of the commonest class): read it together with the
/// [`LogLoss`](super::LogLoss).
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::Reliability;
/// use burn_nca_learn::neighbors::ClassProbabilities;
///
/// let p = [0.9, 0.1, 0.8, 0.2, 0.3, 0.7];
/// let reliability = Reliability::of(&ClassProbabilities::from_probabilities(&p, 2)?, &[0, 1, 1], 2)?;
/// let upper = &reliability.bins()[1]; // confidences 0.9 (right), 0.8 (wrong), 0.7 (right)
/// assert_eq!((upper.rows, upper.correct), (3, 2));
/// let error = reliability.expected_calibration_error().unwrap();
/// assert!((error - (0.8 - 2.0 / 3.0)).abs() < 1e-12);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
///
/// # References
/// \[1\] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, On Calibration of Modern Neural Networks, ICML 2017.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    bins: Vec<ReliabilityBin>,
}

/// The rows whose confidence is above [`low`](Self::low) and at most [`high`](Self::high).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReliabilityBin {
    /// The lower limit of the confidence, which does not belong to the bin.
    pub low: f64,
    /// The upper limit, which does.
    pub high: f64,
    /// Number of rows.
    pub rows: usize,
    /// Number of rows whose most probable class is the true one.
    pub correct: usize,
    /// The mean confidence of the rows, 0..1; `None` without rows.
    pub mean_confidence: Option<f64>,
}

impl ReliabilityBin {
    /// The share of rows classified correctly, 0..1; `None` without rows.
    pub fn accuracy(&self) -> Option<f64> {
        (self.rows > 0).then(|| self.correct as f64 / self.rows as f64)
    }
}

impl Reliability {
    /// Sorts the rows into `bins` bins of equal width by the probability of their most probable class.
    ///
    /// # Errors
    /// No bin, not one true class per row, or a class the probabilities do not have.
    pub fn of(probabilities: &ClassProbabilities, truth: &[usize], bins: usize) -> Result<Self> {
        check_truth(probabilities, truth)?;
        if bins == 0 {
            return Err(Error::setting(
                "a reliability table of 0 bins; give 1 or more, such as 10",
            ));
        }
        let edge = |bin: usize| bin as f64 / bins as f64;
        let empty = |bin: usize| {
            let (low, high) = (edge(bin), edge(bin + 1));
            ReliabilityBin { low, high, rows: 0, correct: 0, mean_confidence: None }
        };
        let mut table: Vec<ReliabilityBin> = (0..bins).map(empty).collect();
        for (row, predicted) in probabilities.most_probable().into_iter().enumerate() {
            let confidence = probabilities.probability(row, predicted);
            // The first bin that reaches up to it: its edges decide, not the rounding of a product.
            let at = table.partition_point(|bin| bin.high < confidence).min(bins - 1);
            let bin = &mut table[at];
            bin.rows += 1;
            bin.correct += usize::from(predicted == truth[row]);
            *bin.mean_confidence.get_or_insert(0.0) += confidence;
        }
        for ReliabilityBin { rows, mean_confidence, .. } in &mut table {
            *mean_confidence = mean_confidence.map(|sum| sum / *rows as f64);
        }
        Ok(Self { bins: table })
    }

    /// The bins, ascending.
    pub fn bins(&self) -> &[ReliabilityBin] {
        &self.bins
    }

    /// The expected calibration error, 0..1, smaller is better; `None` without rows.
    pub fn expected_calibration_error(&self) -> Option<f64> {
        let rows: usize = self.bins.iter().map(|bin| bin.rows).sum();
        let gap = |bin: &ReliabilityBin| -> Option<f64> {
            Some(bin.rows as f64 * (bin.accuracy()? - bin.mean_confidence?).abs())
        };
        (rows > 0).then(|| self.bins.iter().filter_map(gap).sum::<f64>() / rows as f64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn two_classes(confidences: &[f64]) -> ClassProbabilities {
        let p: Vec<f64> = confidences.iter().flat_map(|p| [*p, 1.0 - p]).collect();
        ClassProbabilities::from_probabilities(&p, 2).unwrap()
    }

    #[test]
    fn a_confidence_on_an_edge_belongs_to_the_bin_below_it() {
        let found = Reliability::of(&two_classes(&[0.5, 1.0, 0.75]), &[0; 3], 4).unwrap();
        let rows: Vec<_> = found.bins().iter().map(|bin| bin.rows).collect();
        assert_eq!(rows, [0, 1, 1, 1]);
        assert_eq!((found.bins()[1].low, found.bins()[1].high), (0.25, 0.5));
    }

    #[test]
    fn without_rows_there_is_no_error_to_tell() {
        let none = ClassProbabilities::from_probabilities(&[], 2).unwrap();
        let found = Reliability::of(&none, &[], 10).unwrap();
        assert_eq!((found.bins().len(), found.expected_calibration_error()), (10, None));
        assert!(Reliability::of(&none, &[0], 10).is_err());
    }

    proptest! {
        #[test]
        fn the_error_is_that_of_the_definition(
            confidences in prop::collection::vec(0.0f64..1.0, 1..60),
            truth in prop::collection::vec(0usize..2, 60),
            bins in 1usize..15,
        ) {
            let (n, truth) = (confidences.len(), &truth[..confidences.len()]);
            let found = Reliability::of(&two_classes(&confidences), truth, bins).unwrap();
            let mut expected = 0.0;
            for bin in 0..bins {
                let (low, high) = (bin as f64 / bins as f64, (bin + 1) as f64 / bins as f64);
                let (mut rows, mut correct, mut sum) = (0.0, 0.0, 0.0);
                for (p, truth) in confidences.iter().zip(truth) {
                    let confidence = p.max(1.0 - p);
                    if confidence > low && confidence <= high {
                        rows += 1.0;
                        correct += f64::from(u8::from(usize::from(*p < 0.5) == *truth));
                        sum += confidence;
                    }
                }
                if rows > 0.0 {
                    expected += rows / n as f64 * (correct / rows - sum / rows).abs();
                }
            }
            prop_assert!((found.expected_calibration_error().unwrap() - expected).abs() < 1e-10);
            prop_assert_eq!(found.bins().iter().map(|bin| bin.rows).sum::<usize>(), n);
        }
    }
}
