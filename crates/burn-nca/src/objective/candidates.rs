//! What the queries of a batch loss are compared with: their own batch, a memory, or any other samples.

use burn::tensor::{Bool, Int, Tensor, assert_shape};

use super::affinity::{assert_rows, own_mask};
use super::contrast::equal_pairs;
use super::{BatchLoss, ClassTarget};

/// What the rows of a query batch are compared with.
///
/// The query batch and the candidates have sizes of their own: b queries make b terms, and each of them
/// chooses among m candidates.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The embedding of the candidates, `[m, k]`.
    pub embeddings: Tensor<2>,
    /// The class of each candidate, `[m]`.
    pub labels: Tensor<1, Int>,
    /// Where a candidate is no candidate of a query, because it is the query's own sample or no sample at
    /// all, `[b, m]`.
    pub excluded: Tensor<2, Bool>,
}

impl Candidates {
    /// The batch itself: each row is compared with all others.
    ///
    /// # Shapes
    /// - embeddings: `[b, k]`, labels: `[b]`
    ///
    /// # Panics
    /// If there is not one label per embedding row, or no row.
    pub fn of_batch(embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Self {
        let [b, _] = embeddings.dims();
        assert_rows("batch", b);
        assert_shape!(labels, [b]);
        let excluded = own_mask(b, &embeddings.device());
        Self { embeddings, labels, excluded }
    }

    /// Any set of samples; those that a query is itself are told by their number.
    ///
    /// # Shapes
    /// - embeddings: `[m, k]`, target: m rows, query_ids: `[b]`
    ///
    /// # Panics
    /// If there is not one label and one number an embedding row.
    pub fn of_samples(
        embeddings: Tensor<2>,
        target: ClassTarget,
        query_ids: Tensor<1, Int>,
    ) -> Self {
        let [m, _] = embeddings.dims();
        let ClassTarget { labels, ids } = target;
        assert_shape!(labels, [m]);
        assert_shape!(ids, [m]);
        Self { embeddings, labels, excluded: equal_pairs(query_ids, ids) }
    }

    /// Number of queries with these labels that have no positive among the candidates, shape `[1]`: they make
    /// no term of a loss.
    ///
    /// # Shapes
    /// - labels: `[b]`
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::tensor::{Device, Int, Tensor};
    /// use burn_nca::objective::Candidates;
    ///
    /// let device = Device::flex();
    /// let labels = Tensor::<1, Int>::from_ints([4, 4, 1, 2], &device);
    /// let candidates = Candidates::of_batch(Tensor::zeros([4, 2], &device), labels.clone());
    /// assert_eq!(candidates.without_positive(labels).into_scalar::<i64>(), 2);
    /// # }
    /// ```
    pub fn without_positive(&self, labels: Tensor<1, Int>) -> Tensor<1, Int> {
        self.positive(labels).any_dim(1).bool_not().int().sum()
    }

    /// Where a candidate is of the query's class and not excluded, `[b, m]`.
    pub(super) fn positive(&self, labels: Tensor<1, Int>) -> Tensor<2, Bool> {
        let same = equal_pairs(labels, self.labels.clone());
        same.bool_and(self.excluded.clone().bool_not())
    }

    /// Number of queries and of candidates, `[b, m]`.
    pub fn dims(&self) -> [usize; 2] {
        self.excluded.dims()
    }
}

/// A loss whose queries can be compared with other samples than those of their batch.
pub trait CandidateLoss: BatchLoss<Target = ClassTarget> {
    /// The loss of the queries, each against the candidates that are not excluded for it, shape `[1]`.
    ///
    /// # Shapes
    /// - queries: `[b, k]`, labels: `[b]`, candidates: m of them
    /// - output: `[1]`
    ///
    /// # Panics
    /// If the shapes contradict each other.
    fn forward_among(
        &self,
        queries: Tensor<2>,
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> Tensor<1>;
}

/// The loss of a batch whose rows are each compared with all others.
pub(super) fn within_batch(
    loss: &impl CandidateLoss,
    embeddings: Tensor<2>,
    labels: Tensor<1, Int>,
) -> Tensor<1> {
    let candidates = Candidates::of_batch(embeddings.clone(), labels.clone());
    loss.forward_among(embeddings, labels, &candidates)
}
