//! Queries against candidates: the one softmax over similarities that all batch losses are made of.

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, Int, Tensor, assert_shape};

use super::affinity::{log_sum_exp, mask_out};
use super::{Candidates, Similarity, Temperature};

/// Where entry i of `rows` equals entry j of `columns`, `[b]` and `[m]` to `[b, m]`.
pub(super) fn equal_pairs(rows: Tensor<1, Int>, columns: Tensor<1, Int>) -> Tensor<2, Bool> {
    let ([b], [m]) = (rows.dims(), columns.dims());
    rows.reshape([b, 1]).expand([b, m]).equal(columns.reshape([1, m]).expand([b, m]))
}

/// Queries against candidates: who is how close, and who is a positive of whom.
pub(super) struct Contrast {
    /// The similarities over T, up to a constant of each row, `[b, m]`.
    pub logits: Tensor<2>,
    /// Where a candidate is excluded, `[b, m]`.
    pub excluded: Tensor<2, Bool>,
    /// Where a candidate is a positive of the query, and so not excluded, `[b, m]`.
    pub positive: Tensor<2, Bool>,
    /// Where a query has no positive, `[b, 1]`.
    pub alone: Tensor<2, Bool>,
}

impl Contrast {
    /// Queries and candidates with a class each; positives are of the query's class.
    pub fn new(
        (similarity, temperature): (Similarity, Option<&Temperature>),
        queries: Tensor<2>,
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> Self {
        let [b, k] = queries.dims();
        let [_, m] = candidates.dims();
        let Candidates { embeddings, labels: candidate_labels, excluded } = candidates.clone();
        assert_shape!(labels, [b]);
        assert_shape!(embeddings, [m, k]);
        assert_shape!(candidate_labels, [m]);
        assert_shape!(excluded, [b, m]);
        let scores = similarity.scores(queries, embeddings);
        let logits = temperature.map_or(scores.clone(), |temperature| temperature.divide(scores));
        Self::of_masks(logits, excluded, candidates.positive(labels))
    }

    /// Logits with the masks of what is excluded and what is positive, all `[b, m]`.
    pub fn of_masks(
        logits: Tensor<2>,
        excluded: Tensor<2, Bool>,
        positive: Tensor<2, Bool>,
    ) -> Self {
        let alone = positive.clone().any_dim(1).bool_not();
        Self { logits, excluded, positive, alone }
    }

    /// `log Σ_a exp(l_ia)` over the candidates that are not excluded, `[b, 1]`.
    pub fn log_all(&self) -> Tensor<2> {
        log_sum_exp(mask_out(self.logits.clone(), self.excluded.clone()))
    }

    /// `log p_i`, the log-probability of a positive, `[b, 1]`; 0 where a query is alone.
    ///
    /// The logistic function of two log-sum-exps, over the positives and over the others: near p_i = 1 it
    /// keeps the digits that a difference from the sum over all would lose.
    pub fn log_p(&self) -> Tensor<2> {
        let positives = mask_out(self.logits.clone(), self.positive.clone().bool_not());
        let same = log_sum_exp(positives);
        log_sigmoid(same - log_sum_exp(self.others())).mask_fill(self.alone.clone(), 0.0)
    }

    /// `log p_i = log Σ_j w_ij p_ij` with weights of the positives, `[b, 1]`; 0 where a query is alone.
    ///
    /// # Shapes
    /// - log_weights: `[b, m]`, `log w_ij` where positive; of no meaning elsewhere
    pub fn log_weighted_p(&self, log_weights: Tensor<2>) -> Tensor<2> {
        let weighted = self.logits.clone() + log_weights;
        let weighted = mask_out(weighted, self.positive.clone().bool_not());
        (log_sum_exp(weighted) - self.log_all()).mask_fill(self.alone.clone(), 0.0)
    }

    /// The logits of the candidates that are neither positive nor excluded, the rest masked out, `[b, m]`.
    pub fn others(&self) -> Tensor<2> {
        let mask = self.positive.clone().bool_or(self.excluded.clone());
        mask_out(self.logits.clone(), mask)
    }
}
