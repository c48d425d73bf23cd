//! The differentiable operations, each on the tensors of one backend.

use burn::backend::tensor::FloatTensor;

use super::ops::PairwiseOps;
use super::{Columns, Distance, Summand};

/// An operation on `N` tensors of one backend, differentiable where it is one with a graph.
pub(super) trait Operation<const N: usize> {
    /// Computes it.
    fn run<B: PairwiseOps>(self, tensors: [FloatTensor<B>; N]) -> FloatTensor<B>;
}

/// Queries `[b, k]` and references `[m, k]` to `[b]`; see [`PairwiseOps::pairwise_log_sum_exp`].
pub(super) struct LogSumExp {
    pub(super) columns: Columns,
    pub(super) distance: Distance,
}

impl Operation<2> for LogSumExp {
    fn run<B: PairwiseOps>(self, [queries, references]: [FloatTensor<B>; 2]) -> FloatTensor<B> {
        B::pairwise_log_sum_exp(queries, references, self.columns, self.distance)
    }
}

/// Queries `[b, k]`, references `[m, k]` and costs `[b, m]` to `[b]`; see
/// [`PairwiseOps::pairwise_costed_log_sum_exp`].
pub(super) struct CostedLogSumExp {
    pub(super) columns: Columns,
}

impl Operation<3> for CostedLogSumExp {
    fn run<B: PairwiseOps>(self, tensors: [FloatTensor<B>; 3]) -> FloatTensor<B> {
        let [queries, references, costs] = tensors;
        B::pairwise_costed_log_sum_exp(queries, references, costs, self.columns)
    }
}

/// Queries `[b, k]` and references `[m, k]` to `[b]`; see [`PairwiseOps::pairwise_sum`].
pub(super) struct Sum {
    pub(super) columns: Columns,
    pub(super) summand: Summand,
}

impl Operation<2> for Sum {
    fn run<B: PairwiseOps>(self, [queries, references]: [FloatTensor<B>; 2]) -> FloatTensor<B> {
        B::pairwise_sum(queries, references, self.columns, self.summand)
    }
}

/// Queries `[b, k]`, references `[m, k]` and values `[m, c]` to `[b, c]`; see
/// [`PairwiseOps::pairwise_weighted_mean`].
pub(super) struct WeightedMean {
    pub(super) columns: Columns,
}

impl Operation<3> for WeightedMean {
    fn run<B: PairwiseOps>(self, tensors: [FloatTensor<B>; 3]) -> FloatTensor<B> {
        let [queries, references, values] = tensors;
        B::pairwise_weighted_mean(queries, references, values, self.columns)
    }
}
