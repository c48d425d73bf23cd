//! The classes of n points, and which neighbors their errors are taken with.

use std::sync::Arc;

use burn::tensor::{DType, Device, Int, Tensor};

use crate::error::{Error, Result};
use crate::objective::DataTarget;
use crate::objective::transfer::int_tensor;
use burn_nca::internal::TermWeights;
use burn_nca::internal::equal_pairs;

/// The classes of n points, prepared once for many evaluations of a
/// [`VariableKernelLoss`](super::VariableKernelLoss).
#[derive(Clone, Debug)]
pub struct KernelTarget {
    labels: Arc<Vec<usize>>,
    /// Number of classes.
    pub(super) classes: usize,
    /// The class of each point, `[n]`.
    pub(super) on_device: Tensor<1, Int>,
    pub(super) weights: TermWeights,
    /// The neighbors that are held fixed, `[n, K]`.
    pub(super) neighbors: Option<Tensor<2, Int>>,
}

impl KernelTarget {
    /// The classes of more than K points, counted from 0.
    ///
    /// # Errors
    /// As many rows as neighbors K, or fewer.
    pub fn new(labels: &[usize], neighbors: usize, device: &Device) -> Result<Self> {
        if labels.len() <= neighbors {
            return Err(Error::data(format!(
                "{} rows for a rule of {neighbors} neighbors; give more rows, or fewer neighbors",
                labels.len()
            )));
        }
        Ok(Self::index(labels.to_vec(), &device.clone().inner()))
    }

    /// Those of any number of points, which may have fewer others than K.
    pub(super) fn index(labels: Vec<usize>, device: &Device) -> Self {
        let classes = labels.iter().max().map_or(1, |largest| largest + 1);
        let on_device = int_tensor(&labels, device);
        let weights = TermWeights::default();
        Self { labels: Arc::new(labels), classes, on_device, weights, neighbors: None }
    }

    /// The same points, the error of each times its weight.
    ///
    /// # Errors
    /// Not one weight per point, a weight that is negative or not finite, or none that is positive.
    pub fn with_weights(self, weights: &[f64]) -> Result<Self> {
        let weights = TermWeights::new(weights, self.points(), &self.on_device.device())?;
        Ok(Self { weights, ..self })
    }

    /// The same points with these neighbors, `[n, K]`.
    pub(super) fn with_neighbors(&self, neighbors: Tensor<2, Int>) -> Self {
        Self { neighbors: Some(neighbors), ..self.clone() }
    }

    /// 1 at the class of each of some points, `[b]` to `[b, c]`.
    pub(super) fn one_hot(&self, labels: Tensor<1, Int>, dtype: DType) -> Tensor<2> {
        let classes = Tensor::arange(0..self.classes as i64, &self.on_device.device());
        equal_pairs(labels, classes).float().cast(dtype)
    }
}

impl DataTarget for KernelTarget {
    fn points(&self) -> usize {
        self.labels.len()
    }

    /// Their neighbors are for the embedding to tell.
    fn subset(&self, rows: &[usize]) -> Self {
        let labels = rows.iter().map(|&row| self.labels[row]).collect();
        let part = Self::index(labels, &self.on_device.device());
        Self { weights: self.weights.select(rows), classes: self.classes, ..part }
    }
}
