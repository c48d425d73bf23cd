//! Losses of a batch: what a training loop minimises, with nothing else of this crate.
//!
//! [`NcaLoss`](crate::objective::NcaLoss) and its close relatives, all softmaxes over one affinity:
//!
//! ```text
//! p_ij = exp(s_ij / T) / Σ_{a ≠ i} exp(s_ia / T)      s = -||z_i - z_j||², -||z_i - z_j||, or the cosine
//! ```
//! [`SoftNearestNeighborLoss`], [`SupConLoss`] and [`ProxyNcaLoss`] choose the [`Similarity`] s and the
//! [`Temperature`] T, fixed or learnt. Parameters of a loss (proxies, a learnt temperature) are those of a
//! Burn module: a model that holds the loss hands them to its optimiser.
//!
//! An objective is a sum of terms that can be evaluated in blocks over a whole data set; a loss here needs a
//! batch only, may have parameters, and may remember earlier batches ([`MemoryLoss`]). The objectives over
//! classes, agreements and pairs are each a [`BatchLoss`] too.

mod candidates;
mod memory;
mod memory_loss;
mod objectives;
mod proxy_nca;
mod reduction;
mod similarity;
mod soft_nearest_neighbor;
mod sup_con;
mod target;
mod temperature;

pub use candidates::{CandidateLoss, Candidates};
pub use memory::{CrossBatchMemory, CrossBatchMemoryConfig};
pub use memory_loss::{MemoryLoss, MemoryLossConfig};
pub use proxy_nca::{ProxyNcaLoss, ProxyNcaLossConfig};
pub use similarity::Similarity;
pub use soft_nearest_neighbor::{SoftNearestNeighborLoss, SoftNearestNeighborLossConfig};
pub use sup_con::{SupConLoss, SupConLossConfig};
pub use target::{BatchTarget, ClassTarget, PairTarget};
pub use temperature::{Temperature, TemperatureConfig};

use burn::module::{Module, ModuleDisplay};
use burn::tensor::Tensor;

/// A loss over the embedding of one batch; smaller is better.
///
/// # Examples
/// A loss of one's own, which a [`MetricModel`](crate::MetricModel) then trains like any other:
/// ```
/// use burn::module::Module;
/// use burn::tensor::Tensor;
/// use burn_nca::loss::{BatchLoss, ClassTarget};
///
/// /// Pulls every row to the origin.
/// #[derive(Module, Debug)]
/// struct Shrink { weight: f64 }
///
/// impl BatchLoss for Shrink {
///     type Target = ClassTarget;
///
///     fn batch_loss(&self, embeddings: Tensor<2>, _target: &ClassTarget) -> Tensor<1> {
///         embeddings.square().mean().mul_scalar(self.weight)
///     }
/// }
/// ```
pub trait BatchLoss: Module + ModuleDisplay {
    /// What the loss is told of the rows: classes, agreements, pairs.
    type Target: BatchTarget;

    /// The loss of a batch, shape `[1]`, differentiable in the embedding and in the loss's own parameters.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - output: `[1]`
    fn batch_loss(&self, embeddings: Tensor<2>, target: &Self::Target) -> Tensor<1>;

    /// Called once after each step of the optimiser; a loss that remembers embeddings takes them up here.
    #[must_use]
    fn after_step(self) -> Self {
        self
    }
}
