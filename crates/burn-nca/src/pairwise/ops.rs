//! The operations that a backend may bring its own kernels for.

// What Burn's macro writes for the backends that it is told of, none, uses no argument.
#![allow(unused_variables)]

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, backend_extension};
#[cfg(feature = "fusion")]
use burn::tensor::Shape;

use super::{Columns, Distance, Summand, blocks};

/// Sums over pairs on the tensors of one backend.
///
/// Every method has a body in ordinary operations; some backends have kernels of their own. Burn's macro writes the
/// operations that are fused; which backend holds a tensor is found by [`dispatch`](super::dispatch::dispatch), since the
/// macro can ask no features but those of this crate. What it writes for Burn's `Dispatch` is not called.
#[backend_extension(Fusion: cfg(feature = "fusion"))]
pub(crate) trait PairwiseOps: Backend {
    /// `log Σ_j exp(-d_ij)` of each row, with distances d of a kind: `[b, k]` and `[m, k]` to `[b]`.
    #[fusion(default)]
    fn pairwise_log_sum_exp(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        columns: Columns,
        distance: Distance,
    ) -> FloatTensor<Self> {
        let statistics = Self::pairwise_statistics(queries, references, columns, distance);
        blocks::combine::<Self>(statistics)
    }

    /// The least distance of each row, and the logarithm of its sum of `exp(least - d_ij)`: `[b, k]` and `[m, k]` to
    /// `[2, b]`.
    #[fusion(dtype = queries, shape = Shape::new([2, columns.queries()]))]
    fn pairwise_statistics(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        columns: Columns,
        distance: Distance,
    ) -> FloatTensor<Self> {
        blocks::statistics::<Self>(blocks::Pairs::new(queries, references, &columns), distance)
    }

    /// The gradients with respect to queries `[b, k]` and references `[m, k]`, from the statistics of the rows and the
    /// gradient `[b]` with respect to their log-sum-exp.
    #[fusion(meta = |queries, references, _, _, _, _| (queries.clone(), references.clone()))]
    fn pairwise_gradients(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        columns: Columns,
        distance: Distance,
        statistics: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let pairs = blocks::Pairs::new(queries, references, &columns);
        blocks::gradients::<Self>(pairs, distance, statistics, gradient)
    }

    /// `log Σ_j exp(-||q_i - r_j||² - c_ij)` of each row, with costs c `[b, m]` that carry no gradient.
    #[fusion(default)]
    fn pairwise_costed_log_sum_exp(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        costs: FloatTensor<Self>,
        columns: Columns,
    ) -> FloatTensor<Self> {
        let statistics = Self::pairwise_costed_statistics(queries, references, costs, columns);
        blocks::combine::<Self>(statistics)
    }

    /// The statistics of `||q_i - r_j||² + c_ij`.
    #[fusion(dtype = queries, shape = Shape::new([2, columns.queries()]))]
    fn pairwise_costed_statistics(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        costs: FloatTensor<Self>,
        columns: Columns,
    ) -> FloatTensor<Self> {
        let pairs = blocks::Pairs::new(queries, references, &columns).with_costs(costs);
        blocks::statistics::<Self>(pairs, Distance::SqEuclidean)
    }

    /// The gradients with respect to queries and references where pairs have costs.
    #[fusion(meta = |queries, references, _, _, _, _| (queries.clone(), references.clone()))]
    fn pairwise_costed_gradients(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        costs: FloatTensor<Self>,
        columns: Columns,
        statistics: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let pairs = blocks::Pairs::new(queries, references, &columns).with_costs(costs);
        blocks::gradients::<Self>(pairs, Distance::SqEuclidean, statistics, gradient)
    }

    /// The gradient with respect to points `[n, k]` that are both the queries and the references: the sum of the two.
    #[fusion(meta = |points, _, _, _, _| points.clone())]
    fn pairwise_gradient(
        points: FloatTensor<Self>,
        columns: Columns,
        distance: Distance,
        statistics: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (of_queries, of_references) = Self::pairwise_gradients(
            points.clone(),
            points,
            columns,
            distance,
            statistics,
            gradient,
        );
        Self::float_add(of_queries, of_references)
    }

    /// The sum of each row over its columns: `[b, k]` and `[m, k]` to `[b]`.
    #[fusion(dtype = queries, shape = Shape::new([columns.queries()]))]
    fn pairwise_sum(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        columns: Columns,
        summand: Summand,
    ) -> FloatTensor<Self> {
        blocks::sum::<Self>(blocks::Pairs::new(queries, references, &columns), summand)
    }

    /// The gradients of these sums with respect to queries `[b, k]` and references `[m, k]`, from the gradient `[b]` with
    /// respect to the sums.
    #[fusion(meta = |queries, references, _, _, _| (queries.clone(), references.clone()))]
    fn pairwise_sum_gradients(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        columns: Columns,
        summand: Summand,
        gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let pairs = blocks::Pairs::new(queries, references, &columns);
        blocks::sum_gradients::<Self>(pairs, summand, gradient)
    }

    /// `Σ_j p_ij v_j` with `p_ij = exp(-||q_i - r_j||² - lse_i)`: values `[m, c]` to `[b, c]`.
    #[fusion(default)]
    fn pairwise_weighted_mean(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
        columns: Columns,
    ) -> FloatTensor<Self> {
        let statistics = Self::pairwise_statistics(
            queries.clone(),
            references.clone(),
            columns.clone(),
            Distance::SqEuclidean,
        );
        Self::pairwise_means(queries, references, values, columns, statistics)
    }

    /// The same, from the statistics of the rows.
    #[fusion(dtype = queries, shape = Shape::new([columns.queries(), values[1]]))]
    fn pairwise_means(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
        columns: Columns,
        statistics: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let pairs = blocks::Pairs::new(queries, references, &columns);
        blocks::means::<Self>(pairs, values, statistics)
    }

    /// The gradients with respect to queries, references and values, from the statistics of the rows, the means and
    /// the gradient with respect to them, `[b, c]`.
    #[fusion(meta = |queries, references, values, _, _, _, _| {
        (queries.clone(), references.clone(), values.clone())
    })]
    fn pairwise_mean_gradients(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
        columns: Columns,
        statistics: FloatTensor<Self>,
        means: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let pairs = blocks::Pairs::new(queries, references, &columns);
        blocks::mean_gradients::<Self>(pairs, values, statistics, means, gradient)
    }
}
