//! Losses of a batch: what a training loop minimizes, with nothing else of this crate.

use burn::module::{Module, ModuleDisplay};
use burn::tensor::{DType, Tensor};

use super::BatchTarget;

/// A loss over the embedding of one batch; smaller is better.
///
/// # Examples
/// A loss of one's own, which a [`MetricModel`](crate::MetricModel) then trains like any other:
/// ```
/// use burn::module::Module;
/// use burn::tensor::{DType, Tensor};
/// use burn_nca::objective::{BatchLoss, ClassTarget};
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
    /// The targets of the rows: classes, agreements, pairs.
    type Target: BatchTarget;

    /// The loss of a batch, shape `[1]`, differentiable in the embedding and in the loss's own parameters.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - output: `[1]`
    fn batch_loss(&self, embeddings: Tensor<2>, target: &Self::Target) -> Tensor<1>;

    /// Called once after each step of the optimizer; a loss that remembers embeddings takes them up here.
    #[must_use]
    fn after_step(self) -> Self {
        self
    }
}

/// The embedding in a type of at least 32 bits.
///
/// Squared distances of half-precision rows would overflow from a norm of 256 on, so the losses of a batch are
/// computed in f32; the gradient comes back in the type of the embedding.
pub fn at_least_f32(embedding: Tensor<2>) -> Tensor<2> {
    match embedding.dtype() {
        DType::F16 | DType::BF16 => embedding.cast(DType::F32),
        _ => embedding,
    }
}

/// Requires a row.
///
/// # Panics
/// If there is none.
pub fn assert_rows(what: &str, rows: usize) {
    assert!(
        rows > 0,
        "the {what} has no row; a loss needs at least one, so leave empty batches out"
    );
}
