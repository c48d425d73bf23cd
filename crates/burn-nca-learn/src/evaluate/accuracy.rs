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
        let p = self.value()?;
        let n = self.total as f64;
        let z2 = Z_95 * Z_95;
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

/// Counts of true against predicted classes.
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::ConfusionMatrix;
///
/// let matrix = ConfusionMatrix::of(&[0, 1, 1], &[0, 1, 0], 2)?;
/// assert_eq!(matrix.row(0), [1, 1]);
/// assert_eq!(matrix.recall(0), Some(0.5));
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfusionMatrix {
    counts: Vec<usize>,
    classes: usize,
}

impl ConfusionMatrix {
    /// Counts the predictions of each true class.
    ///
    /// # Errors
    /// Another number of predictions than of true classes, or a class not below `classes`.
    pub fn of(predicted: &[usize], truth: &[usize], classes: usize) -> Result<Self> {
        check_lengths(predicted.len(), truth.len())?;
        if let Some(class) = predicted.iter().chain(truth).find(|class| **class >= classes) {
            return Err(Error::data(format!(
                "class {class} in a confusion matrix of {classes} classes, counted from 0; give the \
                 number of classes"
            )));
        }
        let mut counts = vec![0; classes * classes];
        for (&predicted, &truth) in predicted.iter().zip(truth) {
            counts[truth * classes + predicted] += 1;
        }
        Ok(Self { counts, classes })
    }

    /// Number of classes, c.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How often rows of class `truth` were predicted as `predicted`.
    ///
    /// # Panics
    /// If a class is not below [`classes`](Self::classes).
    pub fn count(&self, truth: usize, predicted: usize) -> usize {
        self.row(truth)[predicted]
    }

    /// The predictions of the rows of class `truth`, one count a predicted class.
    ///
    /// # Panics
    /// If `truth` is not below [`classes`](Self::classes).
    pub fn row(&self, truth: usize) -> &[usize] {
        &self.counts[truth * self.classes..(truth + 1) * self.classes]
    }

    /// The accuracy over all classes.
    pub fn accuracy(&self) -> Accuracy {
        let correct = (0..self.classes).map(|class| self.count(class, class)).sum();
        Accuracy { correct, total: self.counts.iter().sum() }
    }

    /// The share of class `class` that was predicted as such, 0..1; `None` where the class has no row.
    ///
    /// # Panics
    /// If `class` is not below [`classes`](Self::classes).
    pub fn recall(&self, class: usize) -> Option<f64> {
        let total = self.row(class).iter().sum();
        Accuracy { correct: self.count(class, class), total }.value()
    }

    /// The share of the predictions of `class` that are correct, 0..1; `None` where it was never predicted.
    ///
    /// # Panics
    /// If `class` is not below [`classes`](Self::classes).
    pub fn precision(&self, class: usize) -> Option<f64> {
        let total = (0..self.classes).map(|truth| self.count(truth, class)).sum();
        Accuracy { correct: self.count(class, class), total }.value()
    }
}

/// Checks that there is one prediction per row.
///
/// # Errors
/// Both numbers, where they differ.
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
        let all = Accuracy::new(20, 20).unwrap().interval().unwrap();
        assert!(all.high == 1.0 && (all.low - (1.0 - 0.1611)).abs() < 5e-5);
    }

    #[test]
    fn nothing_predicted_has_no_accuracy() {
        let empty = Accuracy::of(&[], &[]).unwrap();
        assert_eq!((empty.value(), empty.interval()), (None, None));
        let matrix = ConfusionMatrix::of(&[], &[], 2).unwrap();
        assert_eq!((matrix.recall(0), matrix.precision(1)), (None, None));
        assert_eq!(matrix.accuracy().value(), None);
    }

    #[test]
    fn confusion_rows_are_true_and_columns_predicted_classes() {
        let matrix = ConfusionMatrix::of(&[1, 1, 2, 0, 1], &[0, 1, 2, 0, 2], 3).unwrap();
        assert_eq!(
            (matrix.row(0), matrix.row(1), matrix.row(2)),
            ([1, 1, 0].as_slice(), [0, 1, 0].as_slice(), [0, 1, 1].as_slice())
        );
        assert_eq!(matrix.accuracy(), Accuracy::new(3, 5).unwrap());
        assert_eq!(matrix.recall(0), Some(0.5));
        assert_eq!(matrix.precision(1), Some(1.0 / 3.0));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Accuracy::of(&[0], &[0, 1]).is_err());
        assert!(Accuracy::new(2, 1).is_err());
        assert!(ConfusionMatrix::of(&[2], &[0], 2).is_err());
    }
}
