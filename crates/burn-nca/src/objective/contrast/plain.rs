//! The contrast of a block of queries as it is defined: logits `[b, m]`, with masks of what counts.

use burn::tensor::{Bool, Tensor};

use super::Contrast;
use crate::nca::{log_p, log_sum_exp};

/// Some queries against all candidates; everything stays on the device.
pub(super) struct PlainContrast {
    /// Where a candidate is excluded, `[b, m]`.
    pub(super) excluded: Tensor<2, Bool>,
    /// Where a candidate is a positive of the query, and so not excluded, `[b, m]`.
    pub(super) positive: Tensor<2, Bool>,
    /// The similarities over T, up to a constant of each row, `[b, m]`.
    pub(super) logits: Tensor<2>,
}

/// Where a query has no positive, `[b, 1]`.
pub(crate) fn without_positive(positive: Tensor<2, Bool>) -> Tensor<2, Bool> {
    positive.any_dim(1).bool_not()
}

impl Contrast for PlainContrast {
    fn without_positive(&self) -> Tensor<2, Bool> {
        without_positive(self.positive.clone())
    }

    fn log_all(&self) -> Tensor<2> {
        let none = self.excluded.clone().all_dim(1);
        log_sum_exp(self.logits.clone(), self.excluded.clone()).mask_fill(none, 0.0)
    }

    fn log_p(&self) -> Tensor<2> {
        log_p(self.logits.clone(), self.positive.clone(), self.excluded.clone())
    }

    fn mean_positive(&self) -> Tensor<2> {
        let positive = self.positive.clone().float().cast(self.logits.dtype());
        let count = positive.clone().sum_dim(1).clamp_min(1.0);
        (self.logits.clone() * positive).sum_dim(1) / count
    }

    fn hinge(&self) -> Tensor<2> {
        let others = self.positive.clone().bool_or(self.excluded.clone());
        hinge(self.logits.clone().neg(), others)
    }
}

/// `Σ_j max(0, 1 - d_ij)²` over the j that are not left out, `[b, m]` to `[b, 1]`.
pub(crate) fn hinge(sq_distances: Tensor<2>, left_out: Tensor<2, Bool>) -> Tensor<2> {
    let near = sq_distances.neg().add_scalar(1.0).clamp_min(0.0);
    near.mask_fill(left_out, 0.0).square().sum_dim(1)
}
