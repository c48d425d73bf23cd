//! The residual block of modern NCA.

use burn::module::Module;
use burn::nn::{BatchNorm, Dropout, DropoutConfig, Linear};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use burn_nca::internal::{linear, normalization, normalized, seeded_dropout};
use rand_chacha::ChaCha8Rng;

/// A residual block: `z + W₂ dropout(ReLU(W₁ norm(z) + b₁)) + b₂`, of width `[k, width, k]`.
#[derive(Module, Debug)]
pub struct ResidualBlock {
    /// Of the input.
    pub norm: BatchNorm,
    /// To the hidden units.
    pub inner: Linear,
    /// Of the hidden units.
    pub dropout: Dropout,
    /// Back from the hidden units.
    pub outer: Linear,
}

impl ResidualBlock {
    /// A block of k dimensions at a random start.
    pub(super) fn new(
        [size, width]: [usize; 2],
        dropout: f64,
        rng: &mut ChaCha8Rng,
        device: &Device,
    ) -> Self {
        Self {
            norm: normalization(size, device),
            inner: linear([size, width], rng, device),
            dropout: DropoutConfig::new(dropout).init(),
            outer: linear([width, size], rng, device),
        }
    }

    /// `[n, k]` to `[n, k]`.
    pub fn forward(&self, z: Tensor<2>) -> Tensor<2> {
        self.forward_from(z, None)
    }

    /// The same with a dropout from this stream, where there is one.
    pub(super) fn forward_from(&self, z: Tensor<2>, rng: Option<&mut ChaCha8Rng>) -> Tensor<2> {
        let inner = self.inner.forward(normalized(&self.norm, z.clone()));
        // Before the rectifier, which gives the same: one matrix less is kept for the backward pass.
        z + self.outer.forward(relu(seeded_dropout(&self.dropout, inner, rng)))
    }
}
