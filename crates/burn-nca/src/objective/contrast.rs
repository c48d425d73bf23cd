//! Queries against candidates: the one softmax over similarities that the batch losses over classes are made of.

#[cfg(feature = "fused")]
mod fused;
#[cfg(feature = "fused")]
pub(super) mod placement;
pub(super) mod plain;
#[cfg(test)]
mod tests;

use core::ops::Range;

use burn::nn::loss::Reduction;
use burn::tensor::{Bool, Int, Tensor, assert_shape};
use burn_nca_fused::PairSum;

use super::batch::{assert_rows, at_least_f32};
use super::reduction::reduce;
use super::{Candidates, Similarity, Temperature};
use crate::sums::{Sums, in_blocks, rows_in_blocks};
use plain::{PlainContrast, without_positive};

/// What the terms of a loss are made of, for each query `[b, 1]`; logits are similarities over T, up to one constant of each
/// query.
pub trait Contrast {
    /// Where a query has no positive.
    fn without_positive(&self) -> Tensor<2, Bool>;

    /// `log Σ_a exp(l_ia)` over the candidates that are not excluded; 0 where there is none.
    fn log_all(&self) -> Tensor<2>;

    /// `log p_i`, the log-probability of a positive; 0 where a query has no positive.
    fn log_p(&self) -> Tensor<2>;

    /// The mean logit of the positives; of no meaning where a query has no positive.
    fn mean_positive(&self) -> Tensor<2>;

    /// `Σ_j max(0, 1 - ||q_i - r_j||²)²` over the candidates of other classes, where logits are squared distances with the
    /// sign changed.
    fn hinge(&self) -> Tensor<2>;
}

/// The terms of a loss, `[b, 1]`; 0 where a query adds nothing.
pub type Terms<'a> = dyn Fn(&dyn Contrast) -> Tensor<2> + Sync + 'a;

/// How queries and candidates are compared.
pub struct Contrasted {
    /// How the sums over pairs are added up.
    pub sums: Sums,
    /// How alike two rows are.
    pub similarity: Similarity,
    /// What similarities are divided by.
    pub temperature: Temperature,
}

impl Contrasted {
    /// The terms of the queries `[b, k]` with their classes `[b]`, over those that have a positive or as their sum, `[1]`.
    ///
    /// # Panics
    /// If the shapes contradict each other, or there is no query or no candidate.
    pub fn loss(
        &self,
        terms: &Terms<'_>,
        (queries, labels): (Tensor<2>, Tensor<1, Int>),
        candidates: &Candidates,
        reduction: &Reduction,
    ) -> Tensor<1> {
        check_shapes(&queries, &labels, candidates);
        let points = [queries, candidates.embeddings.clone()].map(at_least_f32);
        if self.are_fused(&points) {
            #[cfg(feature = "fused")]
            return {
                let contrast = self.fused(points, labels, candidates);
                let counted = || contrast.without_positive().bool_not().float();
                reduce(terms(&contrast).sum(), counted, reduction)
            };
        }
        let [b, _] = points[0].dims();
        let points = self.similarity.as_logits(&self.temperature, points);
        let counted = || {
            rows_in_blocks(&candidates.embeddings, 0..b, |rows| {
                let [_, positive] = candidates.masks(&labels, rows);
                without_positive(positive).bool_not().float()
            })
        };
        let sum = in_blocks(points, 0..b, |points, rows| {
            terms(&self.plain(points, rows, &labels, candidates)).sum()
        });
        reduce(sum, counted, reduction)
    }

    /// The term of each query, `[b, 1]`, in one graph.
    ///
    /// # Panics
    /// As [`loss`](Self::loss).
    pub fn terms(
        &self,
        terms: &Terms<'_>,
        (queries, labels): (Tensor<2>, Tensor<1, Int>),
        candidates: &Candidates,
    ) -> Tensor<2> {
        check_shapes(&queries, &labels, candidates);
        let points = [queries, candidates.embeddings.clone()].map(at_least_f32);
        if self.are_fused(&points) {
            #[cfg(feature = "fused")]
            return terms(&self.fused(points, labels, candidates));
        }
        let [b, _] = points[0].dims();
        let points = self.similarity.as_logits(&self.temperature, points);
        terms(&self.plain(points, 0..b, &labels, candidates))
    }

    fn are_fused(&self, points: &[Tensor<2>; 2]) -> bool {
        let sum = PairSum::LogSumExp(self.similarity.distance());
        self.sums.are_fused(sum, &points.each_ref())
    }

    #[cfg(feature = "fused")]
    fn fused(
        &self,
        points: [Tensor<2>; 2],
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> fused::FusedContrast {
        let points = self.similarity.as_distances(&self.temperature, points);
        let placement = candidates.placement(labels);
        fused::FusedContrast::new(self.similarity.distance(), points, placement)
    }

    fn plain(
        &self,
        [queries, references]: [Tensor<2>; 2],
        rows: Range<usize>,
        labels: &Tensor<1, Int>,
        candidates: &Candidates,
    ) -> PlainContrast {
        let [excluded, positive] = candidates.masks(labels, rows.clone());
        let logits = self.similarity.logits(queries.slice([rows]), references);
        PlainContrast { excluded, positive, logits }
    }
}

/// Panics if shapes contradict each other, or there is no query or no candidate.
fn check_shapes(queries: &Tensor<2>, labels: &Tensor<1, Int>, candidates: &Candidates) {
    let [b, k] = queries.dims();
    let [m, _] = candidates.embeddings.dims();
    assert_rows("batch", b);
    assert_rows("set of candidates", m);
    assert_shape!(labels, [b]);
    assert_shape!(candidates.embeddings, [m, k]);
    assert_shape!(candidates.labels, [m]);
}
