//! Stage 3: objectives. What an embedding should achieve, as a sum of terms to be minimised.
//!
//! An [`Objective`] can be evaluated a block of terms at a time, so that the exact value and gradient of a
//! large data set need memory for one block only (see [`crate::fit::exact`]). Each objective is an
//! ordinary Burn loss as well: [`NcaLoss::forward`] works in any training loop.

pub(crate) mod affinity;
mod agreement_index;
mod classes;
mod mlkr;
mod nca;
mod pair_index;
mod pairs;
pub(crate) mod repulsion;
mod self_entries;
mod soft_match;
mod target_index;
pub(crate) mod transfer;

pub use agreement_index::AgreementIndex;
pub use classes::ClassIndex;
pub use mlkr::{MlkrLoss, MlkrLossConfig};
pub use nca::{Criterion, NcaLoss, NcaLossConfig};
pub use pair_index::PairIndex;
pub use pairs::{Normaliser, PairLoss, PairLossConfig};
pub use soft_match::{SoftNcaLoss, SoftNcaLossConfig};
pub use target_index::TargetIndex;

use core::ops::Range;

use burn::module::{Module, ModuleDisplay};
use burn::tensor::Tensor;

/// A sum of terms over an embedding; smaller is better.
///
/// The gradient is left to automatic differentiation: implementations only write the value with
/// differentiable tensor operations.
pub trait Objective: Module + ModuleDisplay {
    /// What the terms are about: class labels, agreements, pairs.
    type Target: Clone + Send + Sync + 'static;

    /// What all terms share and a first pass without gradients supplies (`()` for most objectives).
    type Shared: Clone + Send + Sync + 'static;

    /// Number of terms of the whole sum.
    fn num_terms(&self, target: &Self::Target) -> usize;

    /// The first pass, given the whole embedding `[n, k]` (no gradient is taken through it).
    fn shared(&self, embedding: Tensor<2>, target: &Self::Target) -> Self::Shared;

    /// The sum of the terms in `terms`, shape `[1]`, differentiable in `embedding` and in the
    /// objective's own parameters.
    ///
    /// # Shapes
    /// - embedding: `[n, k]`, the whole embedding
    /// - output: `[1]`
    fn block(
        &self,
        embedding: Tensor<2>,
        target: &Self::Target,
        shared: &Self::Shared,
        terms: Range<usize>,
    ) -> Tensor<1>;

    /// What the value of all blocks together lacks (a term whose gradient the blocks carry already).
    fn offset(&self, _target: &Self::Target, _shared: &Self::Shared) -> f64 {
        0.0
    }

    /// Cuts the terms into blocks of at most `rows`, in order.
    fn blocks(&self, target: &Self::Target, rows: usize) -> Vec<Range<usize>> {
        let n = self.num_terms(target);
        (0..n).step_by(rows.max(1)).map(|start| start..(start + rows.max(1)).min(n)).collect()
    }

    /// The target of the points `rows` alone, for a mini-batch.
    fn subset(&self, target: &Self::Target, rows: &[usize]) -> Self::Target;

    /// The whole sum in one graph, shape `[1]`; its memory grows with n². For small data and tests.
    fn total(&self, embedding: Tensor<2>, target: &Self::Target) -> Tensor<1> {
        let shared = self.shared(embedding.clone().without_autodiff(), target);
        let terms = 0..self.num_terms(target);
        let offset = self.offset(target, &shared);
        self.block(embedding, target, &shared, terms).add_scalar(offset)
    }
}
