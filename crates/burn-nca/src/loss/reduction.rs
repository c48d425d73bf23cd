use burn::nn::loss::Reduction;
use burn::tensor::{Bool, Tensor};

/// The terms of the anchors that have a positive, as their mean or their sum.
///
/// `Mean` (and `Auto`, `BatchMean`) divides by the number of those anchors; it is 0 without any.
///
/// # Shapes
/// - terms: `[b, 1]`, 0 where an anchor is alone
/// - alone: `[b, 1]`
/// - output: `[1]`
pub(super) fn reduce(terms: Tensor<2>, alone: Tensor<2, Bool>, reduction: &Reduction) -> Tensor<1> {
    match reduction {
        Reduction::Sum => terms.sum(),
        Reduction::Mean | Reduction::Auto | Reduction::BatchMean => {
            let counted = alone.bool_not().float().cast(terms.dtype());
            terms.sum() / counted.sum().clamp_min(1.0)
        }
    }
}
