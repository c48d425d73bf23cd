//! Recall and precision per class, and their means.

use super::accuracy::{Accuracy, check_lengths};
use crate::error::{Error, Result};

/// What is right class by class; where classes are unbalanced accuracy alone is misleading.
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::ClassScores;
///
/// // Nine healthy rows and an ill one: to call everybody healthy is right on 90 %, but carries no information.
/// let truth = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
/// let scores = ClassScores::of(&[0; 10], &truth, 2)?;
/// assert_eq!(scores.majority_share(), Some(0.9));
/// assert_eq!(scores.balanced_accuracy(), Some(0.5));
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassScores {
    classes: Vec<Counts>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    rows: usize,
    predicted: usize,
    correct: usize,
}

impl ClassScores {
    /// Counts rows, predictions and those that agree, for each class.
    ///
    /// # Errors
    /// Another number of predictions than of true classes, or a class not below `classes`.
    pub fn of(predicted: &[usize], truth: &[usize], classes: usize) -> Result<Self> {
        check_lengths(predicted.len(), truth.len())?;
        let mut counts = vec![Counts::default(); classes];
        for (&predicted, &truth) in predicted.iter().zip(truth) {
            if predicted.max(truth) >= classes {
                return Err(Error::data(format!(
                    "class {} in the scores of {classes} classes, counted from 0; give the number of classes",
                    predicted.max(truth)
                )));
            }
            counts[truth].rows += 1;
            counts[predicted].predicted += 1;
            counts[truth].correct += usize::from(predicted == truth);
        }
        Ok(Self { classes: counts })
    }

    /// Number of classes, c.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// Number of rows of a class (below [`classes`](Self::classes), as in what follows).
    pub fn rows(&self, class: usize) -> usize {
        self.classes[class].rows
    }

    /// The share of the class's rows that are predicted as it, 0..1; `None` without rows.
    pub fn recall(&self, class: usize) -> Option<f64> {
        share(self.classes[class].correct, self.classes[class].rows)
    }

    /// The share right of the rows predicted as the class, 0..1; `None` where none was.
    pub fn precision(&self, class: usize) -> Option<f64> {
        share(self.classes[class].correct, self.classes[class].predicted)
    }

    /// The share of the rows that are of the largest class, 0..1: what predicting that class alone has right. `None`
    /// without rows.
    pub fn majority_share(&self) -> Option<f64> {
        let largest = self.classes.iter().map(|class| class.rows).max()?;
        share(largest, self.classes.iter().map(|class| class.rows).sum())
    }

    /// The mean recall of the classes that have rows, 0..1; `None` without rows.
    ///
    /// The `balanced_accuracy_score` of scikit-learn; K. H. Brodersen et al., The balanced accuracy and its posterior
    /// distribution, ICPR 2010.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        let recalls: Vec<f64> =
            (0..self.classes()).filter_map(|class| self.recall(class)).collect();
        (!recalls.is_empty()).then(|| recalls.iter().sum::<f64>() / recalls.len() as f64)
    }
}

fn share(correct: usize, total: usize) -> Option<f64> {
    Accuracy::new(correct, total).ok()?.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_worked_by_hand() {
        // Class 0: six rows, five found, one taken for 1. Class 1: two rows, one found. Class 2: two rows, none found,
        // both taken for 0. Class 3: no rows.
        let truth = [0, 0, 0, 0, 0, 0, 1, 1, 2, 2];
        let predicted = [0, 0, 0, 0, 0, 1, 1, 0, 0, 0];
        let scores = ClassScores::of(&predicted, &truth, 4).unwrap();
        let of = |read: fn(&ClassScores, usize) -> Option<f64>| {
            [0, 1, 2, 3].map(|class| read(&scores, class))
        };
        assert_eq!(of(ClassScores::recall), [Some(5.0 / 6.0), Some(0.5), Some(0.0), None]);
        assert_eq!(of(ClassScores::precision), [Some(5.0 / 8.0), Some(0.5), None, None]);
        assert_eq!([0, 1, 2, 3].map(|class| scores.rows(class)), [6, 2, 2, 0]);
        assert_eq!(scores.majority_share(), Some(0.6));
        let none = ClassScores::of(&[], &[], 2).unwrap();
        assert_eq!((none.majority_share(), none.balanced_accuracy()), (None, None));
        // (5/6 + 1/2 + 0) / 3 = 4/9
        assert!((scores.balanced_accuracy().unwrap() - 4.0 / 9.0).abs() < 1e-15);
    }
}
