//! Scores of predicted numbers: R², mean absolute and squared error.

use crate::error::{Error, Result};

/// How well numbers were predicted.
///
/// ```text
/// R²   = 1 - Σ_i (t_i - t̂_i)² / Σ_i (t_i - t̄)²,   t̄ the mean of these t_i
/// RMSE = sqrt( 1/n Σ_i (t_i - t̂_i)² )
/// MAE  = 1/n Σ_i |t_i - t̂_i|
/// ```
/// R² is 1 for a perfect prediction, 0 for the mean of the very rows that are predicted, and negative for
/// what is worse than that. RMSE and MAE are in the units of the target.
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::RegressionScores;
///
/// let scores = RegressionScores::of(&[1.0, 3.0, 3.0], &[1.0, 2.0, 3.0])?;
/// assert_eq!((scores.r2(), scores.mae()), (Some(0.5), Some(1.0 / 3.0)));
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegressionScores {
    rows: usize,
    squared_errors: f64,
    absolute_errors: f64,
    squared_deviations: f64,
}

impl RegressionScores {
    /// The scores of predictions `t̂_i` of the numbers `t_i`.
    ///
    /// # Errors
    /// Not one prediction per row, or a number that is not finite.
    pub fn of(predicted: &[f64], truth: &[f64]) -> Result<Self> {
        if predicted.len() != truth.len() {
            return Err(Error::data(format!(
                "{} predictions for {} rows; give one prediction per row",
                predicted.len(),
                truth.len()
            )));
        }
        let pairs = || predicted.iter().zip(truth);
        if let Some(at) = pairs().position(|(p, t)| !(p.is_finite() && t.is_finite())) {
            return Err(Error::data(format!(
                "row {}: {} was predicted for {}, and errors need finite numbers; remove the row, or \
                 fit again with a smaller step",
                at + 1,
                predicted[at],
                truth[at]
            )));
        }
        let mean = truth.iter().sum::<f64>() / truth.len().max(1) as f64;
        Ok(Self {
            rows: truth.len(),
            squared_errors: pairs().map(|(p, t)| (p - t).powi(2)).sum(),
            absolute_errors: pairs().map(|(p, t)| (p - t).abs()).sum(),
            squared_deviations: truth.iter().map(|t| (t - mean).powi(2)).sum(),
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// R²; `None` where the true numbers are all equal, or there is none.
    pub fn r2(&self) -> Option<f64> {
        (self.squared_deviations > 0.0).then(|| 1.0 - self.squared_errors / self.squared_deviations)
    }

    /// The root of the mean squared error, in units of the target; `None` without rows.
    pub fn rmse(&self) -> Option<f64> {
        (self.rows > 0).then(|| (self.squared_errors / self.rows as f64).sqrt())
    }

    /// The mean absolute error, in units of the target; `None` without rows.
    pub fn mae(&self) -> Option<f64> {
        (self.rows > 0).then(|| self.absolute_errors / self.rows as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_worked_out_by_hand() {
        // Errors 1, 0, -2, 1: squares 6, absolute 4; deviations of 1, 2, 5, 8 from 4: 9 + 4 + 1 + 16.
        let scores = RegressionScores::of(&[2.0, 2.0, 3.0, 9.0], &[1.0, 2.0, 5.0, 8.0]).unwrap();
        assert_eq!(scores.rows(), 4);
        assert!((scores.r2().unwrap() - (1.0 - 6.0 / 30.0)).abs() < 1e-15);
        assert!((scores.rmse().unwrap() - 1.5f64.sqrt()).abs() < 1e-15);
        assert_eq!(scores.mae(), Some(1.0));
    }

    #[test]
    fn what_has_no_value_is_none() {
        let constant = RegressionScores::of(&[1.0, 2.0], &[1.0, 1.0]).unwrap();
        assert_eq!((constant.r2(), constant.mae()), (None, Some(0.5)));
        let nothing = RegressionScores::of(&[], &[]).unwrap();
        assert_eq!((nothing.r2(), nothing.rmse(), nothing.mae()), (None, None, None));
    }
}
