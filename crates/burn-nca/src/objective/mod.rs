//! Stage 3: objectives and losses. What an embedding should achieve, smaller is better.
//!
//! A loss is in one file with all its forms:
//!
//! ```text
//!                              over all data, exact     of a batch
//! NcaLoss                      Objective                BatchLoss, CandidateLoss     f, g over classes
//! SoftNcaLoss                  Objective                BatchLoss                    f, g over soft agreements
//! PairLoss                     Objective                BatchLoss                    equation 8 over pairs
//! MlkrLoss                     Objective                BatchLoss                    numeric targets
//! ```
//! An [`Objective`] is a sum of terms that can be evaluated a block at a time, so that the exact value and
//! gradient of a large data set need memory for one block only (see [`crate::fit::exact`]). A [`BatchLoss`] is
//! an ordinary Burn loss for any training loop: it may have parameters (proxies, a learned temperature), which
//! a model that holds the loss hands to its optimizer, and may remember earlier batches.
//!
//! The losses over classes are softmaxes over one affinity:
//!
//! ```text
//! p_ij = exp(s_ij / T) / Σ_{a ≠ i} exp(s_ia / T)      s = -||z_i - z_j||², -||z_i - z_j||, or the cosine
//! ```
//! NCA's s is the first and its T is 1. The contrastive losses and the proxies of `burn-nca-deep` choose the [`Similarity`] s
//! and the [`Temperature`] T, fixed or learned.

mod agreement_index;
pub(crate) mod batch;
pub(crate) mod candidates;
mod classes;
pub(crate) mod contrast;
pub(crate) mod integers;
pub(crate) mod mlkr;
mod nca;
mod pair_index;
mod pairs;
pub(crate) mod reduction;
mod sampled;
pub(crate) mod similarity;
mod soft_match;
mod target;
mod target_index;
pub(crate) mod temperature;
pub(crate) mod term_weights;
#[cfg(test)]
mod tests;
#[doc(hidden)]
pub mod transfer;

pub use agreement_index::AgreementIndex;
pub use batch::BatchLoss;
pub use candidates::{CandidateLoss, Candidates};
pub use classes::ClassIndex;
pub use mlkr::{MlkrLoss, MlkrLossConfig};
pub use nca::{Criterion, NcaLoss, NcaLossConfig};
pub use pair_index::PairIndex;
pub use pairs::{PairLoss, PairLossConfig};
pub(crate) use reduction::over;
pub use sampled::SampledTerms;
pub use similarity::Similarity;
use similarity::squared_distances_by_product;
pub use soft_match::{SoftNcaLoss, SoftNcaLossConfig};
pub use target::{AgreementTarget, BatchTarget, ClassTarget, DataTarget, PairTarget};
pub use target_index::TargetIndex;
pub use temperature::{Temperature, TemperatureConfig};

use core::ops::Range;

use burn::module::{Module, ModuleDisplay};
use burn::tensor::Tensor;

use crate::device::runs_on_host;
use crate::error::{Error, Result};
use crate::sums::{Sums, cut};

/// A sum of terms over an embedding; smaller is better.
///
/// The gradient is left to automatic differentiation: implementations only write the value with
/// differentiable tensor operations.
///
/// # What an implementation can rely on, and must keep to
/// - **Rows.** Row i of every embedding is point i of the target: the order of the data, with one row per
///   point ([`DataTarget::points`]; another number is refused before a fit).
/// - **Devices.** The embedding may be on an autodiff device or not; the target never is. The parameters of the objective
///   are on the autodiff device in a fit.
/// - **Threads.** On the host several [`block`](Self::block)s run at once, each on a clone of the objective and
///   with the same target; their sums are added in a fixed order. A block must depend on its arguments alone,
///   so that a fit repeats bit for bit.
/// - **Terms.** The blocks of any cut add up to the same value, and their gradients to that of the whole.
pub trait Objective: Module + ModuleDisplay {
    /// What the terms are about: class labels, agreements, pairs.
    type Target: DataTarget;

    /// The sum of the terms in `terms`, shape `[1]`, differentiable in `embedding` and in the
    /// objective's own parameters.
    ///
    /// # Shapes
    /// - embedding: `[n, k]`, the whole embedding
    /// - output: `[1]`
    fn block(&self, embedding: Tensor<2>, target: &Self::Target, terms: Range<usize>) -> Tensor<1>;

    /// The same objective with its sums over pairs added up in this way, as a fit's settings ask for it; one without such sums
    /// stays as it is.
    #[must_use]
    fn with_sums(self, _sums: Sums) -> Self {
        self
    }

    /// The logarithms of what candidates weigh for queries, but for what is the same for all candidates of a query: p_ij is their
    /// softmax. The kernel of NCA, `-||q_i - r_j||²`, where an objective does not say otherwise.
    ///
    /// # Shapes
    /// - queries: `[b, k]`, references: `[m, k]`
    /// - output: `[b, m]`
    fn exponents(&self, queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
        squared_distances_by_product(queries, references).neg()
    }

    /// How the sums over the pairs of all terms are computed at this embedding `[n, k]`, and how many points have one that a
    /// Fourier series leaves to an exact sum; `None` where an objective has no such sums.
    fn sums_taken(&self, _embedding: Tensor<2>, _target: &Self::Target) -> Option<(Sums, usize)> {
        None
    }

    /// The target with what all terms share at this embedding `[n, k]`, which a first pass without gradients supplies; `None`
    /// where they share nothing. All blocks of an evaluation have it.
    fn prepared(&self, _embedding: Tensor<2>, _target: &Self::Target) -> Option<Self::Target> {
        None
    }

    /// Whether the target depends on the position of a fit, so that [`updated_target`](Self::updated_target) returns one.
    const MOVING_TARGET: bool = false;

    /// The target at an embedding that a fit has reached, where it depends on that: neighbors that are searched again,
    /// say. `None` keeps the one before.
    ///
    /// The value of a fit is by the target of its own embedding, so it may jump; where full-batch minimizers find nothing
    /// lower, they try steps with the target held. It must follow from the embedding alone, so that a resumed fit takes the
    /// same steps.
    fn updated_target(
        &self,
        _embedding: Tensor<2>,
        _target: &Self::Target,
    ) -> Option<Self::Target> {
        None
    }

    /// The parts that a [`block`](Self::block) is the sum of, each of shape `[1]`, where they may cancel.
    ///
    /// The rounding error of a value is relative to its parts: a line search that looked at the sum alone, which may be
    /// near 0, would fight noise. By default a block is one part.
    fn block_parts(
        &self,
        embedding: Tensor<2>,
        target: &Self::Target,
        terms: Range<usize>,
    ) -> Vec<Tensor<1>> {
        vec![self.block(embedding, target, terms)]
    }

    /// A lower bound of the value of any embedding, where it is known: what distinguishes a start that cannot move from
    /// an optimum. Without it a saturated start is reported as converged.
    fn lower_bound(&self, _target: &Self::Target) -> Option<f64> {
        None
    }

    /// Cuts the terms into blocks of at most `rows`, in order, for an evaluation at this embedding `[n, k]`.
    fn blocks(
        &self,
        _embedding: &Tensor<2>,
        target: &Self::Target,
        rows: usize,
    ) -> Vec<Range<usize>> {
        cut(0..target.terms(), rows)
    }

    /// The whole sum in one graph, shape `[1]`; its memory grows with n². For small data and tests.
    ///
    /// # Panics
    /// If the target is about another number of points than the embedding has rows.
    fn total(&self, embedding: Tensor<2>, target: &Self::Target) -> Tensor<1> {
        assert_points(target, embedding.dims()[0]);
        let prepared = self.prepared(embedding.clone().without_autodiff(), target);
        let target = prepared.as_ref().unwrap_or(target);
        self.block(embedding, target, 0..target.terms())
    }

    /// What a mini-batch says of the whole sum, shape `[1]`; `None` where none of its terms counts.
    ///
    /// ```text
    /// S = Σ_{i of all} t_i  ≈  (M / m) Σ_{i in the batch} t_i
    /// M, m = the terms that count, of all and of the batch
    /// ```
    /// The mean of the batch's terms times their number in the whole data: the neighbors of a point are those
    /// of the batch, and a batch in which few points have a partner weighs no less than the others. The batch
    /// of all points gives the sum itself.
    ///
    /// # Shapes
    /// - embedding: `[b, k]`, of the points of the batch
    /// - batch: their [`subset`](DataTarget::subset) of the target `whole`
    ///
    /// # Panics
    /// As [`total`](Self::total).
    fn estimate(
        &self,
        embedding: Tensor<2>,
        batch: &Self::Target,
        whole: &Self::Target,
    ) -> Option<Tensor<1>> {
        let (all, counted) = (whole.counted(), batch.counted());
        (counted > 0).then(|| self.total(embedding, batch).mul_scalar(all as f64 / counted as f64))
    }
}

/// Whether the target is about as many points as there are rows.
pub(crate) fn check_points(target: &impl DataTarget, rows: usize) -> Result<()> {
    let points = target.points();
    if points == rows {
        return Ok(());
    }
    Err(Error::data(format!(
        "the target is about {points} points, but there are {rows} rows; give a target of these rows"
    )))
}

/// Panics unless the target is about as many points as there are rows.
pub(crate) fn assert_points(target: &impl DataTarget, rows: usize) {
    if let Err(error) = check_points(target, rows) {
        panic!("{error}");
    }
}

/// Terms of a block that holds no table of pairs: few enough that f32 sums them exactly, and the blocks' sums are
/// added in f64; enough that a block takes longer than to set it up.
pub(crate) const STREAMED: usize = 4096;

/// Cuts the terms of an objective whose blocks hold no table of pairs.
#[doc(hidden)]
pub fn whole_range(terms: usize) -> Vec<Range<usize>> {
    cut(0..terms, STREAMED)
}

/// The same, but one block of all terms where their sums are operations on the host: a sum over all points finds each pair
/// once for the gradients of both, and a Fourier series of a block would take as long.
fn whole_on_host(terms: usize, operations: bool, z: &Tensor<2>) -> Vec<Range<usize>> {
    let is_whole = operations && runs_on_host(&z.device());
    cut(0..terms, if is_whole { terms } else { STREAMED })
}

/// The rows of some points as the queries among all of them: the points themselves where it is all of them, so that a
/// gradient need not be computed for queries and references apart.
fn among_all(points: &Tensor<2>, rows: &Range<usize>) -> Tensor<2> {
    let points = points.clone();
    if *rows == (0..points.dims()[0]) { points } else { points.slice([rows.clone()]) }
}
