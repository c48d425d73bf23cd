//! Labeled pairs of n points, on a device.

use core::ops::Range;
use std::collections::HashMap;

use burn::tensor::{Bool, Device, Int, Tensor, TensorData};

use super::DataTarget;
use super::transfer::int_tensor;
use crate::data::{LabeledPair, LabeledPairs};

/// Labeled pairs, prepared once for many evaluations of an objective on a device.
///
/// Where the pairs are about m maps, the embedding has the latent spaces of all of them side by side, `[n, m p]`.
#[derive(Clone, Debug)]
pub struct CoincidenceIndex {
    points: usize,
    /// Number of maps, m.
    pub(super) maps: usize,
    /// Number of anchors of all pairs, those of a mini-batch and the others.
    pub(super) anchors: usize,
    /// The pairs with the number of each one's anchor.
    pub(super) pairs: Vec<(LabeledPair, usize)>,
    device: Device,
    on_device: Option<OnDevice>,
}

/// What the terms of some pairs depend on, `[pairs]`.
#[derive(Clone, Debug)]
pub(super) struct OnDevice {
    /// Rows of the embedding cut into maps.
    first: Tensor<1, Int>,
    second: Tensor<1, Int>,
    /// Whether the pair should be separated.
    pub apart: Tensor<1, Bool>,
    pub map: Tensor<1, Int>,
    pub scale: Tensor<1, Int>,
}

impl CoincidenceIndex {
    /// The index of these pairs, with what evaluations on `device` need there.
    pub fn new(pairs: &LabeledPairs, device: &Device) -> Self {
        let numbered = pairs.pairs().iter().copied().zip(pairs.scales().iter().copied()).collect();
        let sizes = [pairs.points(), pairs.maps(), pairs.anchors()];
        Self::index(sizes, numbered, &device.clone().inner())
    }

    /// The index of pairs of so many points, maps and anchors, each with the number of its anchor.
    pub(super) fn index(
        [points, maps, anchors]: [usize; 3],
        pairs: Vec<(LabeledPair, usize)>,
        device: &Device,
    ) -> Self {
        let on_device = (!pairs.is_empty()).then(|| {
            let numbers = |of: &dyn Fn(&(LabeledPair, usize)) -> usize| {
                int_tensor(&pairs.iter().map(of).collect::<Vec<_>>(), device)
            };
            let apart: Vec<bool> = pairs.iter().map(|(pair, _)| !pair.coincide).collect();
            OnDevice {
                first: numbers(&|(pair, _)| pair.anchor * maps + pair.map),
                second: numbers(&|(pair, _)| pair.other * maps + pair.map),
                apart: Tensor::from_data(TensorData::new(apart, [pairs.len()]), device),
                map: numbers(&|(pair, _)| pair.map),
                scale: numbers(&|(_, scale)| *scale),
            }
        });
        Self { points, maps, anchors, pairs, device: device.clone(), on_device }
    }

    /// The differences `[b, p]` of the pairs `terms` of an embedding `[n, m p]`, and what their terms depend on besides;
    /// `None` without pairs.
    pub(super) fn block(
        &self,
        embedding: Tensor<2>,
        terms: Range<usize>,
    ) -> Option<(Tensor<2>, OnDevice)> {
        let at = self.on_device.as_ref()?;
        if terms.is_empty() {
            return None;
        }
        let [n, columns] = embedding.dims();
        let maps = embedding.reshape([n * self.maps, columns / self.maps]);
        let [first, second, map, scale] = [&at.first, &at.second, &at.map, &at.scale]
            .map(|numbers| numbers.clone().slice([terms.clone()]));
        let rows = |rows: &Tensor<1, Int>| maps.clone().select(0, rows.clone());
        let difference = rows(&first) - rows(&second);
        let apart = at.apart.clone().slice([terms]);
        Some((difference, OnDevice { first, second, apart, map, scale }))
    }
}

impl DataTarget for CoincidenceIndex {
    fn points(&self) -> usize {
        self.points
    }

    /// The pairs whose both ends are in the batch.
    fn subset(&self, rows: &[usize]) -> Self {
        let place: HashMap<usize, usize> =
            rows.iter().enumerate().map(|(at, &row)| (row, at)).collect();
        let kept = |(pair, scale): &(LabeledPair, usize)| {
            let (anchor, other) = (*place.get(&pair.anchor)?, *place.get(&pair.other)?);
            Some((LabeledPair { anchor, other, ..*pair }, *scale))
        };
        let pairs = self.pairs.iter().filter_map(kept).collect();
        Self::index([rows.len(), self.maps, self.anchors], pairs, &self.device)
    }

    /// The pairs.
    fn terms(&self) -> usize {
        self.pairs.len()
    }
}
