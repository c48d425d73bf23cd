//! The weight of each term of an objective: how often a row counts as a term.

use core::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::transfer::{float_tensor, widest_float};
use crate::data::check_weights;
use crate::error::Result;

/// One factor per term, on the host and on a device `[n, 1]`; without any, each term counts once.
#[derive(Clone, Debug, Default)]
pub struct TermWeights(Option<(Arc<Vec<f64>>, Tensor<2>)>);

impl TermWeights {
    /// The weights of `points` terms.
    ///
    /// # Errors
    /// Not one weight per point, a weight that is negative or not finite, or none that is positive.
    pub fn new(weights: &[f64], points: usize, device: &Device) -> Result<Self> {
        check_weights(weights, points)?;
        Ok(Self::index(weights.to_vec(), device))
    }

    fn index(values: Vec<f64>, device: &Device) -> Self {
        let shape = [values.len(), 1];
        let on_device = float_tensor(values.clone(), shape, device, widest_float(device));
        Self(Some((Arc::new(values), on_device)))
    }

    /// The weight of each term, if there are any.
    pub fn values(&self) -> Option<&[f64]> {
        self.0.as_ref().map(|(values, _)| values.as_slice())
    }

    /// The weights at these places, in that order.
    #[must_use]
    pub fn select(&self, places: &[usize]) -> Self {
        let Some((values, on_device)) = &self.0 else { return Self::default() };
        let values = places.iter().map(|&place| values[place]).collect();
        Self::index(values, &on_device.device())
    }

    /// The sum of the weights at `places`.
    pub fn sum(&self, places: Range<usize>) -> f64 {
        self.values().map_or(places.len() as f64, |values| values[places].iter().sum())
    }

    /// The terms of `rows`, each times its weight, `[b, 1]` to `[b, 1]`.
    pub fn weigh(&self, terms: Tensor<2>, rows: Range<usize>) -> Tensor<2> {
        let Some((_, on_device)) = &self.0 else { return terms };
        let weights = on_device.clone().slice([rows]).cast(terms.dtype());
        terms * weights
    }
}
