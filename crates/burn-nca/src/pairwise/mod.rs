//! Sums over all pairs of points whose terms are never stored.
//!
//! The objectives of this crate compare each point with every other. Written in ordinary tensor operations that takes
//! several `[b, m]` matrices forwards and as many backwards, each of which passes through memory. [`log_sum_exp`] is
//! one operation instead, like a matrix product or attention: it keeps two numbers a row and computes the pairs
//! again, tile by tile, when a gradient is asked for (the idea of FlashAttention).
//!
//! On the `flex` backend the tiles stay in the cache, vector instructions are chosen at run time and all cores take
//! part; results do not depend on the number of threads. GPUs (wgpu, CUDA and the others of CubeCL) have kernels of their
//! own for f32, where the backend is enabled by this crate's feature. Elsewhere, and in other types, the same sums are
//! written in Burn's operations, a block of rows at a time. A backend that is enabled on `burn` alone is served as well.
//!
//! # References
//! T. Dao, D. Y. Fu, S. Ermon, A. Rudra, C. Ré, "FlashAttention: Fast and Memory-Efficient Exact Attention with
//! IO-Awareness", NeurIPS 2022.

mod autodiff;
mod blocks;
#[cfg(feature = "cube")]
mod cube;
mod dispatch;
mod host;
mod operation;
mod ops;
mod values;

use core::ops::Range;

use burn::tensor::Tensor;

pub use burn_nca_fused::Columns;
pub(crate) use burn_nca_fused::{Distance, Summand};
use dispatch::dispatch;
use operation::{CostedLogSumExp, LogSumExp, Sum, WeightedMean};

/// `log Σ_j exp(-||q_i - r_j||²)` over the columns of each row.
///
/// ```text
/// lse_i = log Σ_{j ∈ S_i} exp(-||q_i - r_j||²)
/// ```
/// The sets `S_i` are the [`Columns`]; a row without any column has `-∞` there, and no gradient. The operation is
/// differentiable in both tensors, which may be the same one, and may stand anywhere in a graph.
///
/// # Numerics
/// The largest term of a row is factored out, so that nothing overflows and the logarithm is exact however far the
/// points are apart. Terms below 1e-38 of the largest (f32; 1e-308 in f64) count as zero. On `flex`, and on
/// GPUs in f32, distances are sums of squared differences: an offset that all points share costs no digits beyond those of
/// the tensors themselves. Elsewhere the ordinary operations do the same up to 64 dimensions; beyond, they expand the square about the mean of the references, which
/// loses digits where squared distances from the mean are much larger than those between neighbors.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`, of the same type and device
/// - output: `[b]`
///
/// # Panics
/// If the tensors differ in their number of columns, or do not have as many rows as `columns` says.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::pairwise::{Columns, log_sum_exp};
///
/// let device = Device::flex().autodiff();
/// let z = Tensor::<2>::from_floats([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], &device).require_grad();
/// // Each point against the two others.
/// let columns = Columns::all(3, 3).without_self(0);
/// let lse = log_sum_exp(z.clone(), z.clone(), &columns);
/// let expected = ((-1.0f32).exp() + (-4.0f32).exp()).ln();
/// assert!((lse.clone().slice([0..1]).into_scalar::<f32>() - expected).abs() < 1e-6);
/// let gradients = lse.sum().backward();
/// assert_eq!(z.grad(&gradients).unwrap().dims(), [3, 2]);
/// # }
/// ```
pub fn log_sum_exp(queries: Tensor<2>, references: Tensor<2>, columns: &Columns) -> Tensor<1> {
    log_sum_exp_of(Distance::SqEuclidean, (queries, references), columns)
}

/// `log Σ_j exp(-d_ij)` over the columns of each row, as [`log_sum_exp`] with distances of a kind. Between equal points a
/// Euclidean distance has no direction: its gradient is taken as 0.
pub(crate) fn log_sum_exp_of(
    distance: Distance,
    (queries, references): (Tensor<2>, Tensor<2>),
    columns: &Columns,
) -> Tensor<1> {
    check(&queries, &references, columns);
    let operation = LogSumExp { columns: columns.clone(), distance };
    let output = dispatch(operation, [queries, references].map(Tensor::into_dispatch));
    Tensor::from_dispatch(output)
}

/// The mean of values under the softmax of `-||q_i - r_j||²` over the columns of each row: attention by distance.
///
/// ```text
/// mean_i = Σ_{j ∈ S_i} p_ij v_j,   p_ij = exp(-||q_i - r_j||²) / Σ_{l ∈ S_i} exp(-||q_i - r_l||²)
/// ```
/// Differentiable in all three tensors; see [`log_sum_exp`] for the numerics. A row without any column has the mean 0
/// and no gradient.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`, values: `[m, c]`, of the same type and device
/// - output: `[b, c]`
///
/// # Panics
/// As [`log_sum_exp`], or if there is not one row of values per reference.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::pairwise::{Columns, weighted_mean};
///
/// let device = Device::flex();
/// let z = Tensor::<2>::from_floats([[0.0], [0.1], [9.0], [9.1]], &device);
/// let prices = Tensor::<2>::from_floats([[5.0], [7.0], [1.0], [2.0]], &device);
/// // What the neighbors of each point cost.
/// let columns = Columns::all(4, 4).without_self(0);
/// let predicted = weighted_mean(z.clone(), z, prices, &columns);
/// assert!((predicted.slice([0..1, 0..1]).into_scalar::<f32>() - 7.0).abs() < 1e-6);
/// # }
/// ```
pub fn weighted_mean(
    queries: Tensor<2>,
    references: Tensor<2>,
    values: Tensor<2>,
    columns: &Columns,
) -> Tensor<2> {
    check(&queries, &references, columns);
    let (m, of_values) = (columns.references(), values.dims()[0]);
    assert_eq!(m, of_values, "{m} references, but {of_values} rows of values");
    let operation = WeightedMean { columns: columns.clone() };
    let output = dispatch(operation, [queries, references, values].map(Tensor::into_dispatch));
    Tensor::from_dispatch(output)
}

/// `log Σ_j exp(-||q_i - r_j||² - c_ij)` over the columns of each row, with a cost for each pair, `[b, m]`: an agreement
/// `w_ij = exp(-c_ij)` that is given. Differentiable in queries and references, not in the costs.
pub(crate) fn log_sum_exp_with_costs(
    (queries, references): (Tensor<2>, Tensor<2>),
    costs: Tensor<2>,
    columns: &Columns,
) -> Tensor<1> {
    check(&queries, &references, columns);
    let costs = in_graph_of(costs.without_autodiff().cast(queries.dtype()), &queries);
    let operation = CostedLogSumExp { columns: columns.clone() };
    let output = dispatch(operation, [queries, references, costs].map(Tensor::into_dispatch));
    Tensor::from_dispatch(output)
}

/// The sum of a function of the distance over the columns of each row, `[b, k]` and `[m, k]` to `[b]`: the hinge
/// `Σ_j max(0, 1 - ||q_i - r_j||²)²` that keeps points at a distance of at least 1, or `Σ_j ||q_i - r_j||`. Differentiable in
/// both tensors.
pub(crate) fn sum(
    summand: Summand,
    (queries, references): (Tensor<2>, Tensor<2>),
    columns: &Columns,
) -> Tensor<1> {
    check(&queries, &references, columns);
    let operation = Sum { columns: columns.clone(), summand };
    let output = dispatch(operation, [queries, references].map(Tensor::into_dispatch));
    Tensor::from_dispatch(output)
}

/// The tensor with a graph where the other has one: to be joined, or one operation's operands, both need one.
pub(crate) fn in_graph_of(tensor: Tensor<2>, other: &Tensor<2>) -> Tensor<2> {
    if other.is_autodiff() && !tensor.is_autodiff() { tensor.autodiff() } else { tensor }
}

/// The rows of some points as the queries among all of them: the points themselves where it is all of them, so that a
/// gradient need not be computed for queries and references apart.
pub(crate) fn among_all(points: &Tensor<2>, rows: &Range<usize>) -> Tensor<2> {
    let points = points.clone();
    if *rows == (0..points.dims()[0]) { points } else { points.slice([rows.clone()]) }
}

/// Whether the shapes belong together.
fn check(queries: &Tensor<2>, references: &Tensor<2>, columns: &Columns) {
    let ([b, k], [m, of_references]) = (queries.dims(), references.dims());
    assert_eq!(k, of_references, "queries have {k} columns, references {of_references}");
    assert_eq!(b, columns.queries(), "{b} queries, but columns for {}", columns.queries());
    assert_eq!(
        m,
        columns.references(),
        "{m} references, but columns among {}",
        columns.references()
    );
}
