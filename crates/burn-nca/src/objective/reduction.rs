//! How the terms of a batch become one number: their mean or their sum.

use burn::nn::loss::Reduction;
use burn::tensor::{Bool, Tensor};

/// The terms of the rows that count, as their mean or their sum.
///
/// `Mean` (and `Auto`, `BatchMean`) divides by the number of rows that are not alone; it is 0 without any.
///
/// # Shapes
/// - terms: `[b, 1]`, 0 where a row is alone
/// - alone: `[b, 1]`
/// - output: `[1]`
pub(super) fn reduce(terms: Tensor<2>, alone: Tensor<2, Bool>, reduction: &Reduction) -> Tensor<1> {
    if !is_mean(reduction) {
        return terms.sum();
    }
    let counted = alone.bool_not().float().cast(terms.dtype());
    terms.sum() / counted.sum().clamp_min(1.0)
}

/// A sum over `count` terms, as their mean or as it is; `[1]` to `[1]`.
pub(super) fn reduce_sum(sum: Tensor<1>, count: usize, reduction: &Reduction) -> Tensor<1> {
    if is_mean(reduction) { sum.div_scalar(count.max(1) as f64) } else { sum }
}

fn is_mean(reduction: &Reduction) -> bool {
    match reduction {
        Reduction::Sum => false,
        Reduction::Mean | Reduction::Auto | Reduction::BatchMean => true,
    }
}
