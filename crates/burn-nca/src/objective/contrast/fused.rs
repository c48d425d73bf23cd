//! The contrast of queries by fused sums: both sides class by class, so that a range says what a query sums over.

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, IndexingUpdateOp, Tensor};
use burn_nca_fused::{Distance, NeighborSets, PairSum, Summand, pair_sum};

use super::Contrast;
use super::placement::Placement;
use crate::objective::transfer::{column, float_tensor, int_tensor, places};

/// Queries against candidates, a softmax whose logits, distances with the sign changed, are never held.
///
/// The order by class is made on the host: labels are read from their device, once a batch.
pub(super) struct FusedContrast {
    /// Class by class, `[b, k]`.
    queries: Tensor<2>,
    /// Class by class, `[m, k]`.
    references: Tensor<2>,
    distance: Distance,
    placement: Placement,
    /// The label of each candidate, as they were given.
    labels: Vec<i64>,
}

impl FusedContrast {
    /// Queries `[b, k]` and references `[m, k]`, as they were given.
    pub(super) fn new(
        distance: Distance,
        [queries, references]: [Tensor<2>; 2],
        (placement, labels): (Placement, Vec<i64>),
    ) -> Self {
        let device = queries.device();
        let queries = queries.select(0, int_tensor(&placement.queries, &device));
        let references = references.select(0, int_tensor(&placement.candidates, &device));
        Self { queries, references, distance, placement, labels }
    }

    /// `-(1/|P_i|) Σ_{j ∈ P_i} ||q_i - r_j||`.
    fn mean_distance(&self) -> Tensor<2> {
        let sums = self.placement.positives();
        let sums = sums.iter().map(|columns| self.sum(PairSum::Sum(Summand::Euclidean), columns));
        let sum = sums.reduce(|a, b| a + b).expect("one range at least");
        self.as_given((sum / self.num_positives()).neg())
    }

    /// The number of positives of each placed query, 1 where there is none, `[b, 1]`.
    fn num_positives(&self) -> Tensor<2> {
        let counts = self.placement.num_positives().into_iter().map(|count| count.max(1) as f64);
        let shape = [self.placement.queries.len(), 1];
        float_tensor(counts.collect(), shape, &self.queries.device(), self.queries.dtype())
    }

    /// `-(1/|P_i|) Σ_{j ∈ P_i} ||q_i - r_j||²` from the sums of each class, around the mean of the queries.
    fn mean_square(&self) -> Tensor<2> {
        let (device, dtype) = (self.queries.device(), self.queries.dtype());
        // It carries no gradient: moving all points together changes no distance.
        let mean = self.queries.clone().without_autodiff().mean_dim(0);
        let (queries, references) =
            (self.queries.clone() - mean.clone(), self.references.clone() - mean);
        let [b, k] = queries.dims();
        let moments = Tensor::cat(vec![references.clone(), references.square().sum_dim(1)], 1);
        let gathered = |to: usize, at: &[usize], moments: Tensor<2>| {
            let none = Tensor::<2>::zeros([to, k + 1], (&device, dtype));
            none.select_assign(0, int_tensor(at, &device), moments, IndexingUpdateOp::Add)
        };
        let (of_queries, of_candidates, classes) = self.placement.classes(&self.labels);
        let sums = gathered(classes, &of_candidates, moments.clone());
        let sums = sums.select(0, int_tensor(&of_queries, &device));
        let (own, own_candidates) = self.placement.own_pairs();
        let sums = if own.is_empty() {
            sums
        } else {
            let of_own = moments.select(0, int_tensor(&own_candidates, &device));
            sums - gathered(b, &own, of_own)
        };
        let means = sums / self.num_positives();
        let (mean, squares) = (means.clone().slice([0..b, 0..k]), means.slice([0..b, k..k + 1]));
        let products = (queries.clone() * mean).sum_dim(1).mul_scalar(2.0);
        self.as_given(products - squares - queries.square().sum_dim(1))
    }

    /// `log Σ_j exp(l_ij)` of the placed queries, `[b, 1]`, and where it is over nothing; it is 0 there, as -∞ would leave NaN in
    /// the gradient.
    fn log_sum(&self, columns: &NeighborSets) -> (Tensor<2>, Vec<bool>) {
        let empty: Vec<bool> = (0..columns.queries()).map(|i| columns.count(i) == 0).collect();
        let sum = self.sum(PairSum::LogSumExp(self.distance), columns);
        (sum.mask_fill(self.mask(&empty), 0.0), empty)
    }

    /// A sum over the columns of the placed queries, `[b, 1]`.
    fn sum(&self, sum: PairSum, columns: &NeighborSets) -> Tensor<2> {
        pair_sum(sum, (self.queries.clone(), self.references.clone()), None, columns)
    }

    /// The log-sum-exp over two sets, each with where it is empty, and where both are; 0 there.
    fn joined(
        &self,
        (a, no_a): (Tensor<2>, Vec<bool>),
        (b, no_b): (Tensor<2>, Vec<bool>),
    ) -> (Tensor<2>, Vec<bool>) {
        let [only_b, only_a] = [self.mask(&no_a), self.mask(&no_b)];
        // log(e^a + e^b) = a - log σ(a - b)
        let both = a.clone() - log_sigmoid(a.clone() - b.clone());
        let sum = both.mask_where(only_b, b).mask_where(only_a, a);
        (sum, no_a.into_iter().zip(no_b).map(|(a, b)| a && b).collect())
    }

    /// A mask of the placed queries, `[b, 1]`.
    fn mask(&self, of: &[bool]) -> Tensor<2, Bool> {
        column(of.to_vec(), &self.queries.device())
    }

    /// The rows of the placed queries in the order in which they were given.
    fn as_given(&self, rows: Tensor<2>) -> Tensor<2> {
        let device = rows.device();
        rows.select(0, int_tensor(&places(&self.placement.queries), &device))
    }
}

impl Contrast for FusedContrast {
    fn without_positive(&self) -> Tensor<2, Bool> {
        let positives = self.placement.num_positives();
        let given = places(&self.placement.queries).into_iter();
        self.mask(&given.map(|place| positives[place] == 0).collect::<Vec<_>>())
    }

    fn log_all(&self) -> Tensor<2> {
        self.as_given(self.log_sum(&self.placement.all()).0)
    }

    fn log_p(&self) -> Tensor<2> {
        let positives = self.placement.positives();
        let parts = positives.iter().map(|columns| self.log_sum(columns));
        let (same, without_positive) =
            parts.reduce(|a, b| self.joined(a, b)).expect("one range at least");
        let (others, without_others) = self.log_sum(&self.placement.others());
        let probability_is_one: Vec<bool> =
            without_positive.iter().zip(&without_others).map(|(a, b)| *a || *b).collect();
        self.as_given(log_sigmoid(same - others).mask_fill(self.mask(&probability_is_one), 0.0))
    }

    fn mean_positive(&self) -> Tensor<2> {
        match self.distance {
            Distance::SqEuclidean => self.mean_square(),
            Distance::Euclidean => self.mean_distance(),
        }
    }

    fn hinge(&self) -> Tensor<2> {
        let others = self.placement.others();
        self.as_given(self.sum(PairSum::Sum(Summand::Hinge), &others))
    }
}
