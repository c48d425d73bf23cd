//! The weighted pairs of n points, on a device.

use core::ops::Range;

use burn::tensor::{Device, Int, Tensor};

use super::DataTarget;
use super::transfer::{float_tensor, int_tensor, widest_float};
use crate::data::Pairs;
use crate::nca::pairs::attraction;

/// The pairs of n points, prepared once for many evaluations of an objective on a device.
///
/// Pairs are ordered by their first point, so that those of a block of points are one contiguous range.
#[derive(Clone, Debug)]
pub struct PairIndex {
    pairs: Pairs,
    total_weight: f64,
    device: Device,
    /// The pairs on the device, if there are any.
    ends: Option<PairEnds>,
}

#[derive(Clone, Debug)]
struct PairEnds {
    /// Points a, `[pairs]`, ascending.
    first: Tensor<1, Int>,
    /// Points b, `[pairs]`.
    second: Tensor<1, Int>,
    /// Weights `w_ab`, `[pairs]`.
    weights: Tensor<1>,
}

impl PairIndex {
    /// The index of these pairs, with what evaluations on `device` need there.
    pub fn new(pairs: &Pairs, device: &Device) -> Self {
        Self::index(pairs.clone(), &device.clone().inner())
    }

    fn index(pairs: Pairs, device: &Device) -> Self {
        let ends = (!pairs.is_empty()).then(|| {
            let first: Vec<usize> = pairs.iter().map(|pair| pair.0).collect();
            let weights = pairs.table().weights().to_vec();
            PairEnds {
                first: int_tensor(&first, device),
                second: int_tensor(pairs.table().columns(), device),
                weights: float_tensor(weights, [pairs.len()], device, widest_float(device)),
            }
        });
        let (total_weight, device) = (pairs.total_weight(), device.clone());
        Self { total_weight, pairs, device, ends }
    }

    /// Number of points, n, paired or not.
    pub fn points(&self) -> usize {
        self.pairs.points()
    }

    /// Number of pairs.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// W, the sum of all weights.
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// `Σ w_ab ||z_a - z_b||²` over the pairs whose first point a is in `points`, shape `[1]`; `None`
    /// without such pairs.
    pub(super) fn attraction(&self, z: &Tensor<2>, points: &Range<usize>) -> Option<Tensor<1>> {
        let starts = self.pairs.table().starts();
        let span = starts[points.start]..starts[points.end];
        if span.is_empty() {
            return None;
        }
        let ends = self.ends.as_ref()?;
        let first = z.clone().select(0, ends.first.clone().slice([span.clone()]));
        let second = z.clone().select(0, ends.second.clone().slice([span.clone()]));
        let weights = ends.weights.clone().slice([span]).cast(z.dtype());
        Some(attraction(first, second, weights))
    }
}

impl DataTarget for PairIndex {
    fn points(&self) -> usize {
        self.points()
    }

    /// The pairs whose both ends are in the batch.
    fn subset(&self, rows: &[usize]) -> Self {
        Self::index(self.pairs.select(rows), &self.device)
    }

    /// The pairs: a mean is over them, whatever their weights.
    fn counted(&self) -> usize {
        self.pairs()
    }
}
