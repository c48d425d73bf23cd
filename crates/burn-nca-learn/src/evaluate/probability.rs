//! Scores of class probabilities: expected accuracy, log loss, Brier score.

use super::accuracy::check_lengths;
use crate::error::{Error, Result};
use crate::neighbors::ClassProbabilities;

/// The expected accuracy of the stochastic rule, `(1/n) Σ_i P(y_i | x_i)`, 0..1; `None` without rows.
///
/// On leave-one-out probabilities this is f/n of the paper (equation 3). The accuracy of its most probable
/// class is [`Accuracy::of`](super::Accuracy::of) on [`ClassProbabilities::most_probable`].
///
/// # Errors
/// Not one true class per row, or a class the probabilities do not have.
pub fn expected_accuracy(
    probabilities: &ClassProbabilities,
    truth: &[usize],
) -> Result<Option<f64>> {
    check_truth(probabilities, truth)?;
    let correct: f64 =
        truth.iter().enumerate().map(|(row, &class)| probabilities.probability(row, class)).sum();
    Ok(mean(correct, truth.len()))
}

/// The logarithmic loss of class probabilities, in nats: smaller is better, 0 is best.
///
/// ```text
/// -(1/n) Σ_i log P(y_i | x_i)
/// ```
/// Taken from the logarithms as they are, so that a probability that would underflow keeps its value. Only a class
/// without any reference has probability 0: its rows make the loss infinite, and are counted apart.
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::LogLoss;
/// use burn_nca_learn::neighbors::ClassProbabilities;
///
/// let probabilities = ClassProbabilities::from_probabilities(&[0.5, 0.5, 0.0, 1.0], 2)?;
/// let loss = LogLoss::of(&probabilities, &[0, 1])?;
/// assert_eq!(loss.value(), Some(0.5 * 2f64.ln()));
/// let loss = LogLoss::of(&probabilities, &[0, 0])?;
/// assert_eq!((loss.value(), loss.impossible()), (Some(f64::INFINITY), 1));
/// assert_eq!(loss.of_possible(), Some(2f64.ln()));
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogLoss {
    sum: f64,
    possible: usize,
    impossible: usize,
}

impl LogLoss {
    /// The loss of `probabilities` where the true classes are `truth`.
    ///
    /// # Errors
    /// As [`expected_accuracy`].
    pub fn of(probabilities: &ClassProbabilities, truth: &[usize]) -> Result<Self> {
        check_truth(probabilities, truth)?;
        let rows = truth.iter().enumerate();
        let logs = rows.map(|(row, &class)| probabilities.log_probabilities(row)[class]);
        let possible: Vec<f64> = logs.filter(|log| log.is_finite()).collect();
        Ok(Self {
            // Adding 0 turns the -0 of certain rows into 0.
            sum: 0.0 - possible.iter().sum::<f64>(),
            possible: possible.len(),
            impossible: truth.len() - possible.len(),
        })
    }

    /// The mean over all rows, in nats: infinite where any has an [`impossible`](Self::impossible) class; `None`
    /// without rows.
    pub fn value(&self) -> Option<f64> {
        if self.impossible > 0 { Some(f64::INFINITY) } else { self.of_possible() }
    }

    /// The mean over the rows whose class has a positive probability, in nats; `None` without any.
    pub fn of_possible(&self) -> Option<f64> {
        mean(self.sum, self.possible)
    }

    /// Number of rows whose true class has probability 0: there is no reference of that class.
    pub fn impossible(&self) -> usize {
        self.impossible
    }
}

/// The Brier score of class probabilities, from 0 (best) to 2; `None` without rows.
///
/// ```text
/// (1/n) Σ_i Σ_c (P(c | x_i) - [y_i = c])²                                       (eq. 2 of [1])
/// ```
/// Over all classes, as in the paper; some programs give half of it for two classes.
///
/// # Errors
/// As [`expected_accuracy`].
///
/// # References
/// \[1\] G. W. Brier, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78, 1950.
pub fn brier_score(probabilities: &ClassProbabilities, truth: &[usize]) -> Result<Option<f64>> {
    check_truth(probabilities, truth)?;
    let score = |(row, &truth): (usize, &usize)| -> f64 {
        let ideal = |class| f64::from(u8::from(class == truth));
        let square = |class| (probabilities.probability(row, class) - ideal(class)).powi(2);
        (0..probabilities.classes()).map(square).sum()
    };
    Ok(mean(truth.iter().enumerate().map(score).sum(), truth.len()))
}

/// Checks that each row has one true class, and that the probabilities know it.
pub(super) fn check_truth(probabilities: &ClassProbabilities, truth: &[usize]) -> Result<()> {
    check_lengths(probabilities.rows(), truth.len())?;
    match truth.iter().find(|class| **class >= probabilities.classes()) {
        Some(class) => Err(Error::data(format!(
            "true class {class}, but the probabilities are of {} classes, counted from 0; give the \
             same number of classes to both",
            probabilities.classes()
        ))),
        None => Ok(()),
    }
}

/// `sum / count`; `None` for a count of 0.
fn mean(sum: f64, count: usize) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::super::Accuracy;
    use super::*;
    use crate::neighbors::fixture::tensor;
    use crate::neighbors::leave_one_out_probabilities;

    #[test]
    fn the_expected_accuracy_is_the_mean_probability_of_the_true_class() {
        // The golden points; f / n of equation 3.
        let points = tensor(&[-0.1, 1.0, -0.1, 0.0, -0.1, -1.0, 0.1, 1.0, 0.1, 0.0, 0.1, -1.0], 2);
        let labels = [0, 0, 0, 1, 1, 1];
        let probabilities = leave_one_out_probabilities(&points, &labels, 2).unwrap();
        let found = expected_accuracy(&probabilities, &labels).unwrap().unwrap();
        assert!((found - 1.5114047814734728 / 6.0).abs() < 1e-13, "{found}");
        let argmax = Accuracy::of(&probabilities.most_probable(), &labels).unwrap();
        assert_eq!(argmax, Accuracy::new(0, 6).unwrap());

        assert!(expected_accuracy(&probabilities, &labels[1..]).is_err());
        assert!(expected_accuracy(&probabilities, &[2; 6]).is_err());
        let none = points.slice([0..0]);
        let probabilities = leave_one_out_probabilities(&none, &[], 2).unwrap();
        assert_eq!(expected_accuracy(&probabilities, &[]).unwrap(), None);
    }

    #[test]
    fn three_rows_by_hand() {
        let p = [0.7, 0.2, 0.1, 0.3, 0.4, 0.3, 0.0, 0.0, 1.0];
        let probabilities = ClassProbabilities::from_probabilities(&p, 3).unwrap();
        let truth = [0, 2, 2];
        let loss = LogLoss::of(&probabilities, &truth).unwrap();
        assert!((loss.value().unwrap() - -(0.7f64.ln() + 0.3f64.ln()) / 3.0).abs() < 1e-15);
        // 0.09 + 0.04 + 0.01 = 0.14;   0.09 + 0.16 + 0.49 = 0.74;   0
        let brier = brier_score(&probabilities, &truth).unwrap().unwrap();
        assert!((brier - 0.88 / 3.0).abs() < 1e-15, "{brier}");
    }

    #[test]
    fn rows_whose_probabilities_underflow_have_a_finite_loss() {
        // exp(-2500) is 0 in f64; the loss is 2500 all the same.
        let points = tensor(&[0.0, 0.0, 50.0], 1);
        let labels = [0, 1, 0];
        let probabilities = leave_one_out_probabilities(&points, &labels, 2).unwrap();
        assert_eq!(probabilities.probability(0, 0), 0.0);
        let loss = LogLoss::of(&probabilities, &labels).unwrap();
        assert_eq!(loss.impossible(), 1, "row 2 is alone in class 1");
        let expected = (2500.0 + 2f64.ln()) / 2.0;
        assert!((loss.of_possible().unwrap() - expected).abs() < 1e-9, "{loss:?}");
        assert_eq!(loss.value(), Some(f64::INFINITY));
        assert!(brier_score(&probabilities, &labels).unwrap().unwrap().is_finite());
    }

    #[test]
    fn without_rows_there_is_no_score() {
        let none = ClassProbabilities::from_probabilities(&[], 2).unwrap();
        let loss = LogLoss::of(&none, &[]).unwrap();
        assert_eq!((loss.value(), loss.of_possible(), loss.impossible()), (None, None, 0));
        assert_eq!(brier_score(&none, &[]).unwrap(), None);
        assert!(LogLoss::of(&none, &[0]).is_err());
        assert!(brier_score(&none, &[0]).is_err());
    }
}
