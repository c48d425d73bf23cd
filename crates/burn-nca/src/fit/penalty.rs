//! What the L2 penalty weighs: the weights of the encoder, or the spread of its embedding.

use burn::config::Config;
use burn::tensor::Tensor;

use crate::objective::over;

/// What the L2 penalty weighs.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum Penalty {
    /// The weights, `||A||²_F`; of a network those of all layers ([`Encoder::squared_norm`]).
    ///
    /// Its weight counts in units of the features: one value means other things for features of spread 0.2 (scaled to
    /// 0..1) and of spread 1 (standardized).
    ///
    /// [`Encoder::squared_norm`]: crate::encoder::Encoder::squared_norm
    Weights,
    /// The spread of the embedding, the mean squared distance from its mean.
    ///
    /// ```text
    /// 1/n Σ_i ||z_i - z̄||²   =   tr(A S Aᵀ) for z = A x,   S the covariance of the features
    /// ```
    /// Directions in which the features vary much pay as much as their distances count; the units of the features
    /// have no part in it. For standardized features that are not correlated the two are equal.
    Spread,
}

/// The mean squared distance of the points from their mean, shape `[1]`, differentiable.
///
/// # Shapes
/// - z: `[n, k]`
pub(super) fn spread(z: Tensor<2>) -> Tensor<1> {
    let [n, _] = z.dims();
    let centered = z.clone() - z.mean_dim(0);
    over(centered.square().sum(), n.max(1) as f64)
}
