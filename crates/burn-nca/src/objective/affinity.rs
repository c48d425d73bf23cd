//! The affinities of equation 1 in log space: the softmax over squared distances that leaves the self out.

use burn::tensor::{Bool, DType, Device, Tensor};

use crate::device::runs_on_host;

/// The logits with those under `mask` put far below any other, so that their softmax weight is lost in
/// rounding.
///
/// The stand-in for -∞ is finite in the tensor's type: rows that are masked throughout would turn an
/// infinite one into NaN.
pub(crate) fn mask_out(logits: Tensor<2>, mask: Tensor<2, Bool>) -> Tensor<2> {
    let lowest = if logits.dtype() == DType::F16 { -6e4 } else { -1e30 };
    logits.mask_fill(mask, lowest)
}

/// The embedding moved so that its mean is the origin.
///
/// Affinities do not change under a translation, but the products below lose fewer digits near the origin.
/// The mean carries no gradient: its contributions cancel exactly.
pub(crate) fn centred(embedding: Tensor<2>) -> Tensor<2> {
    let mean = embedding.clone().without_autodiff().mean_dim(0);
    embedding - mean
}

/// The logits of `p_ij` up to a constant of each row, in one matrix product.
///
/// ```text
/// l_ij = 2 z_i·z_j - ||z_j||² = ||z_i||² - ||z_i - z_j||²
/// ```
/// A constant of row i cancels in the softmax over j (equation 1). The squared norms are a further
/// column of the product, so no pass over the pairs is spent on them.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`, output: `[b, m]`
pub(crate) fn logits(queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
    let [b, _] = queries.dims();
    let minus_one = Tensor::<2>::ones([b, 1], (&queries.device(), queries.dtype())).neg();
    let squares = references.clone().square().sum_dim(1);
    let left = Tensor::cat(vec![queries.mul_scalar(2.0), minus_one], 1);
    let right = Tensor::cat(vec![references, squares], 1);
    left.matmul(right.transpose())
}

/// `log Σ_j exp(l_ij)` of each row, `[b, m]` to `[b, 1]`, without overflow or underflow.
pub(crate) fn log_sum_exp(logits: Tensor<2>) -> Tensor<2> {
    let largest = logits.clone().without_autodiff().max_dim(1);
    (logits - largest.clone()).exp().sum_dim(1).log() + largest
}

/// Where a summand of a log-sum-exp stops to count: exp(-60) of the largest is lost in the rounding of the
/// sum, in f64 and for a billion summands.
const NEGLIGIBLE: f64 = -60.0;

/// [`log_sum_exp`] of logits that spread widely.
///
/// The largest summand of a row keeps its exact logarithm and gradient. Summands below exp(-60) of it are
/// lifted to there, which changes no digit of the sum, and keeps `exp` and all that multiplies its result out
/// of the denormal numbers, where a CPU takes many times as long.
pub(crate) fn log_sum_exp_of_spread(logits: Tensor<2>) -> Tensor<2> {
    let largest = logits.clone().without_autodiff().max_dim(1);
    let shifted = (logits - largest.clone()).clamp_min(NEGLIGIBLE);
    shifted.exp().sum_dim(1).log() + largest
}

/// `exp(l_ij)` of each row over the largest of the row, `[b, m]`: the weights `p_ij` up to a factor of each
/// row, of which the largest is 1.
///
/// With `wide`, for an embedding that [spreads widely](spreads_widely), weights stop at exp(-60) as in
/// [`log_sum_exp_of_spread`].
pub(super) fn shifted_exp(logits: Tensor<2>, wide: bool) -> Tensor<2> {
    let largest = logits.clone().without_autodiff().max_dim(1);
    let shifted = logits - largest;
    if wide { shifted.clamp_min(NEGLIGIBLE).exp() } else { shifted.exp() }
}

/// Whether an embedding `[n, k]` spreads so widely that some `exp(-||z_i - z_j||²)` may be denormal in f32,
/// on a device where that matters.
pub(crate) fn spreads_widely(embedding: &Tensor<2>) -> bool {
    if !runs_on_host(&embedding.device()) {
        return false;
    }
    // No two points are further apart than twice the largest distance from the mean.
    let squares = centred(embedding.clone()).square().sum_dim(1);
    4.0 * squares.max().into_scalar::<f64>() > 80.0
}

/// `log(Σ of the exponentials)` of several `[b, 1]` parts.
pub(crate) fn log_add_exp(mut parts: Vec<Tensor<2>>) -> Tensor<2> {
    match parts.len() {
        1 => parts.remove(0),
        _ => log_sum_exp(Tensor::cat(parts, 1)),
    }
}

/// The mask of the pairs (i, i) in a `[b, b]` block.
pub(crate) fn own_mask(b: usize, device: &Device) -> Tensor<2, Bool> {
    Tensor::<2>::eye(b, device).equal_elem(1.0)
}
