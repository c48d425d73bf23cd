//! The mean, the variance and the standard deviation of each column.

use super::Features;

/// The mean and the (population) variance of each column.
#[doc(hidden)]
pub fn mean_and_variance(train: &Features) -> (Vec<f64>, Vec<f64>) {
    let (d, n) = (train.columns(), train.rows().max(1) as f64);
    let mut mean = vec![0.0; d];
    train.each_row(|_, row| mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / n));
    let mut variance = vec![0.0; d];
    train.each_row(|_, row| {
        for ((variance, x), mean) in variance.iter_mut().zip(row).zip(&mean) {
            *variance += (x - mean) * (x - mean) / n;
        }
    });
    (mean, variance)
}

/// The standard deviation of each column, also where the squares of its differences leave the range of f64 (differences
/// above 1e154 or below 1e-154).
pub(super) fn deviations(train: &Features, mean: &[f64], variance: &[f64]) -> Vec<f64> {
    let columns = mean.iter().zip(variance).enumerate();
    columns
        .map(|(column, (mean, variance))| {
            if variance.is_normal() {
                return variance.sqrt();
            }
            root_mean_square(|| (0..train.rows()).map(|row| train.value(row, column) - mean))
        })
        .collect()
}

/// The root mean square of some values, summed in units of the largest of them; infinite where one of them is.
pub(super) fn root_mean_square<I: ExactSizeIterator<Item = f64>>(values: impl Fn() -> I) -> f64 {
    let unit = values().fold(0.0, |unit: f64, value| unit.max(value.abs()));
    if unit == 0.0 || !unit.is_finite() {
        return unit;
    }
    let n = values().len() as f64;
    unit * values().map(|value| (value / unit).powi(2) / n).sum::<f64>().sqrt()
}
