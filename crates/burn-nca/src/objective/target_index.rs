//! The numeric targets of n points, on a device.

use core::ops::Range;
use std::sync::Arc;

use burn::tensor::{DType, Device, Tensor};

use super::DataTarget;
use super::term_weights::TermWeights;
use super::transfer::{float_tensor, widest_float};
use crate::data::{Features, RegressionData, Scaling, ScalingKind};
use crate::error::{Error, Result};

/// The numeric targets of n points, prepared once for many evaluations of an objective on a device.
///
/// They are kept less the mean of their column: an objective of their differences does not change, and
/// loses fewer digits.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca::objective::TargetIndex;
///
/// let prices = TargetIndex::new(&[24.0, 21.6, 34.7], 1, &Device::flex())?;
/// assert_eq!((prices.points(), prices.columns()), (3, 1));
/// # }
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TargetIndex {
    /// Row-major `[n, m]`, centered.
    values: Arc<Vec<f64>>,
    columns: usize,
    on_device: Tensor<2>,
    /// The weight of the term of each point.
    weights: TermWeights,
}

impl TargetIndex {
    /// The index of targets scaled to mean 0 and variance 1 in each column, so that none counts more than another.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn standardized(targets: &Features, device: &Device) -> Result<Self> {
        let standard = Scaling::fit(ScalingKind::Standardize, targets).apply(targets)?;
        Self::new(standard.values(), standard.columns(), device)
    }

    /// The index of a measured table: its targets [standardized](Self::standardized), and its weights.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(data: &RegressionData, device: &Device) -> Result<Self> {
        let index = Self::standardized(data.targets(), device)?;
        match data.weights() {
            Some(weights) => index.with_weights(weights),
            None => Ok(index),
        }
    }

    /// The index of these targets, row-major `[n, columns]`.
    ///
    /// # Errors
    /// Values that do not fill rows, no row, or a target that is not finite.
    pub fn new(values: &[f64], columns: usize, device: &Device) -> Result<Self> {
        if columns == 0 || values.is_empty() || !values.len().is_multiple_of(columns) {
            return Err(Error::data(format!(
                "{} target values do not fill rows of {columns} columns; give rows x columns values, \
                 and at least one row",
                values.len()
            )));
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::data(format!(
                "the target of row {} is {}; correct it or remove the row",
                at / columns + 1,
                values[at]
            )));
        }
        Ok(Self::index(centered(values, columns), columns, &device.clone().inner()))
    }

    fn index(values: Vec<f64>, columns: usize, device: &Device) -> Self {
        let shape = [values.len() / columns, columns];
        let on_device = float_tensor(values.clone(), shape, device, widest_float(device));
        Self { values: Arc::new(values), columns, on_device, weights: TermWeights::default() }
    }

    /// The same points, the term of each times its weight: `Σ_i w_i ||t_i - t̂_i||²`.
    ///
    /// All stay neighbors of the others, once.
    ///
    /// # Errors
    /// Not one weight per point, a weight that is negative or not finite, or none that is positive.
    pub fn with_weights(self, weights: &[f64]) -> Result<Self> {
        let weights = TermWeights::new(weights, self.points(), &self.on_device.device())?;
        Ok(Self { weights, ..self })
    }

    /// The terms of points `rows`, each times its weight, `[b, 1]` to `[b, 1]`.
    pub fn weigh(&self, terms: Tensor<2>, rows: Range<usize>) -> Tensor<2> {
        self.weights.weigh(terms, rows)
    }

    /// Number of points, n.
    pub fn points(&self) -> usize {
        self.values.len() / self.columns
    }

    /// Number of target columns, m.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The centered targets, `[n, m]`.
    pub fn centered(&self, dtype: DType) -> Tensor<2> {
        self.on_device.clone().cast(dtype)
    }
}

impl DataTarget for TargetIndex {
    fn points(&self) -> usize {
        self.points()
    }

    fn subset(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|row| &self.values[row * self.columns..][..self.columns]);
        let values = values.copied().collect();
        let index = Self::index(values, self.columns, &self.on_device.device());
        Self { weights: self.weights.select(rows), ..index }
    }

    /// In the order of the points.
    #[allow(clippy::single_range_in_vec_init)]
    fn sample(&self, rows: &[usize], others: &[usize]) -> Option<(Vec<usize>, Vec<Range<usize>>)> {
        Some(([rows, others].concat(), vec![0..rows.len()]))
    }

    /// All of them, unless a single point has no neighbor.
    fn counted(&self) -> usize {
        if self.points() > 1 { self.points() } else { 0 }
    }
}

/// Row-major values, each less the mean of its column.
pub(super) fn centered(values: &[f64], columns: usize) -> Vec<f64> {
    let rows = (values.len() / columns) as f64;
    let mean = |column: usize| values.iter().skip(column).step_by(columns).sum::<f64>() / rows;
    let means: Vec<f64> = (0..columns).map(mean).collect();
    let numbers = values.chunks_exact(columns).flat_map(|row| row.iter().zip(&means));
    numbers.map(|(value, mean)| value - mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_cannot_serve_are_named_with_the_cure() {
        let refused =
            |values: &[f64]| TargetIndex::new(values, 2, &Device::flex()).unwrap_err().to_string();
        assert!(refused(&[1.0, 2.0, 3.0]).contains("3 target values do not fill rows of 2"));
        assert!(refused(&[]).contains("at least one row"));
        assert!(refused(&[1.0, 2.0, 3.0, f64::NAN]).contains("row 2 is NaN; correct it"));
    }
}
