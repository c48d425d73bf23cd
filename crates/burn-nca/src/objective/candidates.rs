//! What the queries of a batch loss are compared with: their own batch, a memory, or any other samples.

use core::ops::Range;

use burn::tensor::{Bool, Int, Tensor, assert_shape};

use super::batch::assert_rows;
#[cfg(feature = "fused")]
use super::contrast::placement::{Placement, Samples};
use super::integers::equal_pairs;
#[cfg(feature = "fused")]
use super::integers::on_host_together;
use super::{BatchLoss, ClassTarget};
use crate::nca::own_pairs;

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
    own: Own,
    /// Which candidates there are at all, `[m]`; all without it.
    usable: Option<Tensor<1, Bool>>,
}

/// Which candidate is a query itself.
#[derive(Clone, Debug)]
enum Own {
    None,
    /// Candidate i is query i.
    Row,
    /// That of the same number: those of the queries, `[b]`, and of the candidates, `[m]`.
    Sample(Box<[Tensor<1, Int>; 2]>),
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
        Self { embeddings, labels, own: Own::Row, usable: None }
    }

    /// Any set of samples; those that a query is itself are identified by their number.
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
        let own = Own::Sample(Box::new([query_ids, ids]));
        Self { embeddings, labels, own, usable: None }
    }

    /// Points of which none is a query itself.
    ///
    /// # Shapes
    /// - embeddings: `[m, k]`, labels: `[m]`
    ///
    /// # Panics
    /// If there is not one label per embedding row.
    pub fn of_others(embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Self {
        let [m, _] = embeddings.dims();
        assert_shape!(labels, [m]);
        Self { embeddings, labels, own: Own::None, usable: None }
    }

    /// Only those candidates where `usable` is true.
    ///
    /// # Shapes
    /// - usable: `[m]`
    ///
    /// # Panics
    /// If there is not one entry per candidate.
    #[must_use]
    pub fn only(self, usable: Tensor<1, Bool>) -> Self {
        assert_shape!(usable, [self.labels.dims()[0]]);
        Self { usable: Some(usable), ..self }
    }

    /// Number of queries with these labels that have no positive among the candidates: they make no term of a
    /// loss. The number is read from its device.
    ///
    /// # Shapes
    /// - labels: `[b]`
    ///
    /// # Panics
    /// If there are not as many labels as the candidates were made for queries.
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
    /// assert_eq!(candidates.without_positive(labels), 2);
    /// # }
    /// ```
    pub fn without_positive(&self, labels: Tensor<1, Int>) -> usize {
        let [b] = labels.dims();
        let [_, positive] = self.masks(&labels, 0..b);
        positive.any_dim(1).bool_not().int().sum().into_scalar::<i64>() as usize
    }

    /// Where a candidate is the query itself or no candidate at all, and where it is a positive; both `[rows, m]`, of some
    /// rows of the queries with these labels.
    ///
    /// # Panics
    /// If there are not as many labels as the candidates were made for queries.
    pub(super) fn masks(
        &self,
        labels: &Tensor<1, Int>,
        rows: Range<usize>,
    ) -> [Tensor<2, Bool>; 2] {
        let ([b], [m]) = (labels.dims(), self.labels.dims());
        let same = equal_pairs(labels.clone().slice([rows.clone()]), self.labels.clone());
        let own = match &self.own {
            Own::None => None,
            Own::Row => {
                assert_eq!(b, m, "{b} queries, but a batch of {m} rows");
                Some(own_pairs(rows.clone(), m, &self.labels.device()))
            }
            Own::Sample(numbers) => {
                let [queries, candidates] = (**numbers).clone();
                let numbered = queries.dims()[0];
                assert_eq!(b, numbered, "{b} queries, but {numbered} numbers of them");
                Some(equal_pairs(queries.slice([rows.clone()]), candidates))
            }
        };
        let unusable = self
            .usable
            .clone()
            .map(|usable| usable.bool_not().reshape([1, m]).expand([rows.len(), m]));
        let excluded = match (own, unusable) {
            (Some(own), Some(unusable)) => own.bool_or(unusable),
            (Some(excluded), None) | (None, Some(excluded)) => excluded,
            (None, None) => same.clone().bool_and(same.clone().bool_not()),
        };
        [excluded.clone(), same.bool_and(excluded.bool_not())]
    }

    /// Queries and candidates class by class, and the labels of the candidates as they are; read from their device
    /// together.
    #[cfg(feature = "fused")]
    pub(super) fn placement(&self, labels: Tensor<1, Int>) -> (Placement, Vec<i64>) {
        let (b, m) = (labels.dims()[0], self.labels.dims()[0]);
        let mut wanted = vec![labels];
        // The labels of a batch are those of its candidates.
        if !matches!(self.own, Own::Row) {
            wanted.push(self.labels.clone());
        }
        if let Own::Sample(numbers) = &self.own {
            let [numbered] = numbers[0].dims();
            assert_eq!(b, numbered, "{b} queries, but {numbered} numbers of them");
            wanted.extend((**numbers).clone());
        }
        wanted.extend(self.usable.clone().map(|usable| usable.int()));
        let mut read = on_host_together(wanted).into_iter();
        let mut next = || read.next().unwrap_or_default();
        let of_queries = next();
        let (of_candidates, ids) = match self.own {
            Own::None => (next(), None),
            Own::Row => {
                assert_eq!(b, m, "{b} queries, but a batch of {m} rows");
                let rows: Vec<i64> = (0..).take(b).collect();
                (of_queries.clone(), Some([rows.clone(), rows]))
            }
            Own::Sample(_) => (next(), Some([next(), next()])),
        };
        let usable = self.usable.is_some().then(next);
        let id = |at: usize| ids.as_ref().map(|ids| &ids[at][..]);
        let queries = Samples { labels: &of_queries, ids: id(0) };
        let candidates = Samples { labels: &of_candidates, ids: id(1) };
        (Placement::new(queries, candidates, usable.as_deref()), of_candidates)
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
pub fn within_batch(
    loss: &impl CandidateLoss,
    embeddings: Tensor<2>,
    labels: Tensor<1, Int>,
) -> Tensor<1> {
    let candidates = Candidates::of_batch(embeddings.clone(), labels.clone());
    loss.forward_among(embeddings, labels, &candidates)
}
