//! Large margin nearest neighbors (LMNN), written against burn-nca's public parts.

use std::ops::Range;

use burn::module::Module;
use burn::tensor::Tensor;
use burn_nca_learn::nca::squared_distances;
use burn_nca_learn::objective::Objective;

use crate::target_neighbors::TargetNeighbors;

/// Each row should be nearer to its target neighbors than to any row of another class, by a margin of 1.
///
/// ```text
/// L = Σ_i Σ_{j∈N(i)} ( (1 - μ) d²_ij + μ Σ_{l: y_l ≠ y_i} max(0, 1 + d²_ij - d²_il) )       (13 of [1])
/// d²_ij = ||z_i - z_j||²,   N(i) = the target neighbors: the nearest rows of i's class before learning
/// ```
/// Term i of the sum is that of row i: `block` computes some of them against all rows. Nothing else is
/// needed: value and gradient over all rows, blocks on all cores and the optimizers come from the library.
///
/// \[1\] K. Weinberger, L. Saul, Distance Metric Learning for Large Margin Nearest Neighbor Classification,
/// JMLR 10, 2009.
#[derive(Module, Debug)]
pub struct LargeMargin {
    /// μ, how much the margin counts against the pull, in 0..1.
    pub push: f64,
}

impl Objective for LargeMargin {
    type Target = TargetNeighbors;

    fn block(
        &self,
        embedding: Tensor<2>,
        target: &TargetNeighbors,
        terms: Range<usize>,
    ) -> Tensor<1> {
        let rows = embedding.clone().slice([terms.clone()]);
        let distances = squared_distances(rows, embedding); // [b, n]
        let (neighbors, present) = target.neighbors(&terms, distances.dtype()); // [b, k] each
        let near = distances.clone().gather(1, neighbors);
        let pull = (near.clone() * present.clone()).sum();
        let same = target.same_class(&terms);
        let [b, k] = near.dims();
        let push = (0..k).map(|j| {
            let column = [0..b, j..j + 1];
            let reach = near.clone().slice(column.clone()).add_scalar(1.0);
            let over = (reach - distances.clone()).clamp_min(0.0).mask_fill(same.clone(), 0.0);
            (over.sum_dim(1) * present.clone().slice(column)).sum()
        });
        push.fold(pull.mul_scalar(1.0 - self.push), |total, push| {
            total + push.mul_scalar(self.push)
        })
    }
}
