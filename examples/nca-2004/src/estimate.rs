//! Means over splits, and how far to trust them.

use burn_nca_figures::Estimate;
use serde::Serialize;

/// A mean over splits and its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard error, deviation (divisor n - 1) over √n; `None` for a single split.
    pub standard_error: Option<f64>,
    /// Number of splits.
    pub splits: usize,
}

impl Mean {
    /// The mean of these values; `None` without any.
    pub fn of(values: &[f64]) -> Option<Self> {
        let splits = values.len();
        if splits == 0 {
            return None;
        }
        let n = splits as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_error = (splits > 1).then(|| (squares / (n - 1.0) / n).sqrt());
        Some(Self { mean, standard_error, splits })
    }

    /// The mean of the differences of paired values.
    ///
    /// # Panics
    /// If there are not as many of the one as of the other.
    pub fn of_differences(ours: &[f64], theirs: &[f64]) -> Option<Self> {
        assert_eq!(ours.len(), theirs.len(), "paired values come in pairs");
        let differences: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
        Self::of(&differences)
    }

    /// Shares in percent, `95.44 ± 0.41`.
    pub fn percent(&self) -> String {
        let mean = format!("{:.2}", 100.0 * self.mean);
        self.with_error(&mean)
    }

    /// Differences of shares in percent points, with their sign: `+0.31 ± 0.12`.
    pub fn points(&self) -> String {
        let mean = 100.0 * self.mean;
        // Not "-0.00".
        let mean = if mean.abs() < 0.005 { "0.00".to_string() } else { format!("{mean:+.2}") };
        self.with_error(&mean.replace('-', "−"))
    }

    fn with_error(&self, mean: &str) -> String {
        match self.standard_error {
            Some(error) => format!("{mean} ± {:.2}", 100.0 * error),
            None => mean.to_string(),
        }
    }

    /// As a bar of a figure, in percent.
    pub fn bar(&self) -> Estimate {
        Estimate { mean: 100.0 * self.mean, error: 100.0 * self.standard_error.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_that_of_the_mean() {
        let mean = Mean::of(&[0.9, 1.0, 0.8]).unwrap();
        assert!((mean.mean - 0.9).abs() < 1e-15);
        assert!((mean.standard_error.unwrap() - 0.1 / 3f64.sqrt()).abs() < 1e-15);
        assert_eq!(mean.percent(), "90.00 ± 5.77");
        assert_eq!(Mean::of(&[0.5]).unwrap().percent(), "50.00");
        assert_eq!(Mean::of(&[]), None);
    }

    #[test]
    fn differences_have_a_sign() {
        let points = |a: &[f64], b: &[f64]| Mean::of_differences(a, b).unwrap().points();
        assert_eq!(points(&[0.9, 0.9], &[0.8, 0.8]), "+10.00 ± 0.00");
        assert_eq!(points(&[0.8], &[0.9]), "−10.00");
        assert_eq!(points(&[0.8], &[0.80001]), "0.00");
    }
}
