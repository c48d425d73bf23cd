//! The hinge between classes.

use burn::tensor::Tensor;

/// The hinge between classes of torchnca, which keeps other classes at a distance of at least 1.
///
/// ```text
/// h_i = Σ_{j: y_j ≠ y_i} max(0, 1 - ||z_i - z_j||²)²
/// ```
/// Each unordered pair counts twice over all i, as in torchnca. It has no gradient beyond distance 1, so
/// it acts against a collapse of all points onto one, not on the scale of a spread-out embedding.
///
/// # Shapes
/// - logits: `[b, m]`, from [`logits`](super::affinity::logits) of the block and all points of other classes
/// - squared_norms: `[b, 1]`, `||z_i||²` of the block
/// - output: `[b, 1]`
///
/// # References
/// K. Zakka, torchnca, 2020.
pub(crate) fn hinge(logits: Tensor<2>, squared_norms: Tensor<2>) -> Tensor<2> {
    let sq_distance = (squared_norms - logits).clamp_min(0.0);
    sq_distance.neg().add_scalar(1.0).clamp_min(0.0).square().sum_dim(1)
}
