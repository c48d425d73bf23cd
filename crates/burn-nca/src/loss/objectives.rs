//! The objectives as losses of a batch.

use burn::tensor::{Int, Tensor};

use super::candidates::{Contrast, equal_pairs};
use super::reduction::reduce;
use super::similarity::around_mean;
use super::{BatchLoss, CandidateLoss, Candidates, ClassTarget, PairTarget, Similarity};
use crate::objective::affinity::{logits, mask_out};
use crate::objective::repulsion::hinge;
use crate::objective::{NcaLoss, PairLoss, SoftNcaLoss};

impl BatchLoss for NcaLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward(embeddings, target.labels.clone())
    }
}

impl CandidateLoss for NcaLoss {
    fn forward_among(
        &self,
        queries: Tensor<2>,
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> Tensor<1> {
        let affinity = (Similarity::SqEuclidean, None);
        let contrast = Contrast::new(affinity, queries.clone(), labels.clone(), candidates);
        let terms = self.terms(contrast.log_p()).mask_fill(contrast.alone.clone(), 0.0);
        let terms = if self.repulsion() > 0.0 {
            terms + hinge_among(queries, labels, candidates).mul_scalar(self.repulsion())
        } else {
            terms
        };
        reduce(terms, contrast.alone, self.reduction())
    }
}

/// The hinge of each query with the candidates of other classes, `[b, 1]`.
fn hinge_among(queries: Tensor<2>, labels: Tensor<1, Int>, candidates: &Candidates) -> Tensor<2> {
    let (queries, references) = around_mean(queries, candidates.embeddings.clone());
    let squares = queries.clone().square().sum_dim(1);
    let same = equal_pairs(labels, candidates.labels.clone());
    let no_other = same.bool_or(candidates.excluded.clone());
    hinge(mask_out(logits(queries, references), no_other), squares)
}

impl BatchLoss for SoftNcaLoss {
    /// The agreement of each two rows, `[n, n]`, in 0..1.
    type Target = Tensor<2>;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &Tensor<2>) -> Tensor<1> {
        self.forward(embeddings, target.clone())
    }
}

impl BatchLoss for PairLoss {
    type Target = PairTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &PairTarget) -> Tensor<1> {
        self.forward_indexed(embeddings, target.pairs.clone(), target.weights.clone())
    }
}
