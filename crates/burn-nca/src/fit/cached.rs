//! The exact gradient of a large batch through a deep encoder, in memory for one chunk of rows.
//!
//! A network keeps the activations of every row of a batch until its backward pass, and a loss over
//! neighbors needs all rows of the batch at once. Here the embedding is computed first, in chunks and without
//! a graph; the loss of the whole batch then gives `dL/dZ` on that small matrix; and each chunk passes
//! through the encoder once more, with the surrogate `<Z, dL/dZ>`. By the chain rule this is the gradient of
//! the whole batch, not of the chunks.

use burn::optim::GradientsParams;
use burn::tensor::Tensor;

use super::chunks::{backward_through, embed};
use crate::encoder::Encoder;
use crate::model::MetricModel;
use crate::objective::BatchLoss;

/// A loss of a batch, the embedding it was taken of, and the gradient of every parameter.
pub struct CachedGradient {
    /// The loss, `[1]`, without gradient.
    pub loss: Tensor<1>,
    /// The embedding, `[n, k]`, without gradient.
    pub embedding: Tensor<2>,
    /// The gradient of each parameter of encoder and loss.
    pub gradients: GradientsParams,
}

/// The loss of a batch and its gradient, `chunk` rows through the encoder at a time.
///
/// ```text
/// Z = f(x) in chunks, without a graph;  D = dL(Z)/dZ;  dL/dw = Σ_chunks d<f(x_chunk), D_chunk>/dw
/// ```
/// Equal to the gradient without chunks for every encoder that treats rows one by one. The first pass runs the
/// encoder as it is in validation, so layers that draw at random (dropout) or look at the other rows of a
/// chunk (batch normalization) give another function in each pass: freeze them, or do without chunks.
///
/// # Shapes
/// - x: `[n, d]`; the model must live on an autodiff device
///
/// # Panics
/// If `chunk` is 0, or the model is not on an autodiff device.
///
/// # References
/// L. Gao, Y. Zhang, J. Han, J. Callan, Scaling Deep Contrastive Learning Batch Size under Memory Limited
/// Setup, RepL4NLP 2021 (gradient cache).
pub fn value_and_gradient<E: Encoder, L: BatchLoss>(
    model: &MetricModel<E, L>,
    x: &Tensor<2>,
    target: &L::Target,
    chunk: usize,
) -> CachedGradient {
    assert!(chunk > 0, "a chunk has at least one row, got 0");
    let x = x.clone().without_autodiff();
    let embedding = embed(&model.encoder.valid(), &x, chunk);
    let (loss, dz, mut gradients) = loss_of_embedding(&model.objective, &embedding, target);
    if let Some(dz) = dz {
        backward_through(&model.encoder, &x, &dz, chunk, &mut gradients);
    }
    CachedGradient { loss, embedding, gradients }
}

/// The loss of an embedding, `dL/dZ` (`None` where the loss does not depend on it), and the gradients of the
/// parameters of the loss itself.
pub(super) fn loss_of_embedding<L: BatchLoss>(
    objective: &L,
    embedding: &Tensor<2>,
    target: &L::Target,
) -> (Tensor<1>, Option<Tensor<2>>, GradientsParams) {
    let leaf = embedding.clone().autodiff().require_grad();
    let loss = objective.batch_loss(leaf.clone(), target);
    let value = loss.clone().without_autodiff();
    // A loss may be a constant on a batch, and has nothing to send back then.
    if !loss.is_tracked() {
        return (value, None, GradientsParams::new());
    }
    let mut grads = loss.backward();
    let dz = leaf.grad_remove(&mut grads);
    (value, dz, GradientsParams::from_grads(grads, objective))
}
