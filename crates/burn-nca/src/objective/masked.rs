//! Logits that are held, with masks of what counts: what the sums over pairs that are never stored are compared with.

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, Tensor};

use super::affinity::log_sum_exp_without;

/// Queries against candidates: who is how close, and who is a positive of whom.
pub(super) struct MaskedContrast {
    /// The similarities over T, up to a constant of each row, `[b, m]`.
    pub logits: Tensor<2>,
    /// Where a candidate is excluded, `[b, m]`.
    pub excluded: Tensor<2, Bool>,
    /// Where a candidate is a positive of the query, and so not excluded, `[b, m]`.
    pub positive: Tensor<2, Bool>,
    /// Where a query has no positive, `[b, 1]`.
    pub alone: Tensor<2, Bool>,
}

impl MaskedContrast {
    /// Logits with the masks of what is excluded and what is positive, all `[b, m]`.
    pub fn new(logits: Tensor<2>, excluded: Tensor<2, Bool>, positive: Tensor<2, Bool>) -> Self {
        let alone = positive.clone().any_dim(1).bool_not();
        Self { logits, excluded, positive, alone }
    }

    /// `log Σ_a exp(l_ia)` over the candidates that are not excluded, `[b, 1]`.
    pub fn log_all(&self) -> Tensor<2> {
        log_sum_exp_without(self.logits.clone(), self.excluded.clone())
    }

    /// `log p_i`, the log-probability of a positive, `[b, 1]`; 0 where a query is alone.
    ///
    /// The logistic function of two log-sum-exps, over the positives and over the others: near p_i = 1 it
    /// keeps the digits that a difference from the sum over all would lose.
    pub fn log_p(&self) -> Tensor<2> {
        let others = self.positive.clone().bool_or(self.excluded.clone());
        // Alone, or without another candidate: a probability of one.
        let sure = self.alone.clone().bool_or(others.clone().all_dim(1));
        let same = log_sum_exp_without(self.logits.clone(), self.positive.clone().bool_not());
        let others = log_sum_exp_without(self.logits.clone(), others);
        log_sigmoid(same - others).mask_fill(sure, 0.0)
    }

    /// The mean logit of the positives, `[b, 1]`; 0 where a query is alone.
    pub fn mean_positive(&self) -> Tensor<2> {
        let positive = self.positive.clone().float().cast(self.logits.dtype());
        let count = positive.clone().sum_dim(1).clamp_min(1.0);
        (self.logits.clone() * positive).sum_dim(1) / count
    }
}
