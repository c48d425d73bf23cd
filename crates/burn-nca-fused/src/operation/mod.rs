//! Sums over all pairs of points as one operation of [Burn](https://burn.dev), with a registered derivative.
//!
//! Written in ordinary tensor operations such a sum takes several `[b, m]` matrices forwards and as many backwards, each of
//! which passes through memory. Here it is a primitive, like a matrix product or attention: it keeps two numbers a row and
//! computes the pairs again, tile by tile, when a gradient is asked for (the idea of FlashAttention).
//!
//! On `flex` in f32 and f64 the tiles stay in the cache, vector instructions are chosen at run time and all cores take part;
//! results do not depend on the number of threads. GPUs (wgpu, CUDA and the others of CubeCL) have kernels of their own for
//! most sums in f32. [`takes`] says where there is one; nothing else is computed in another way.
//!
//! # References
//! T. Dao, D. Y. Fu, S. Ermon, A. Rudra, C. Ré, "FlashAttention: Fast and Memory-Efficient Exact Attention with
//! IO-Awareness", NeurIPS 2022.

mod autodiff;
#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod flex;
#[cfg(feature = "flex")]
mod flex_tensor;
#[cfg(all(feature = "flex", feature = "fourier"))]
mod fourier;
mod layers;
mod ops;
#[cfg(feature = "fourier")]
mod series;

pub use layers::{
    batch_norm, euclidean_mean, has_layers, linear, periodic_embedding, sum_of_euclidean_means,
};
#[cfg(feature = "fourier")]
pub use series::{fourier_cost, fourier_exact_rows};

use burn::backend::{Dispatch, DispatchTensorKind};
use burn::tensor::Tensor;

use crate::{Distance, NeighborSets, PairSum};
use ops::PairSums;

/// Whether a sum over the pairs of these tensors is one operation on their device, in their type.
///
/// ```text
/// flex                     f32, f64    all sums; Fourier(_), FourierMean(_) of 1 or 2 dimensions, with the feature `fourier`
/// wgpu, CUDA, ROCm, Metal  f32         LogSumExp(SqEuclidean), Sum(Hinge), Mean; tensors of 1 to 2^31 numbers
/// ```
/// Only backends that this crate's own features name have an operation.
pub fn takes(sum: PairSum, tensors: &[&Tensor<2>]) -> bool {
    tensors.iter().all(|tensor| has_kernel(sum, &(*tensor).clone().into_dispatch().kind))
}

#[cfg_attr(not(any(feature = "flex", feature = "cube")), expect(clippy::only_used_in_recursion))]
fn has_kernel(sum: PairSum, tensor: &DispatchTensorKind) -> bool {
    match tensor {
        DispatchTensorKind::Autodiff(inner) => has_kernel(sum, inner),
        #[cfg(feature = "flex")]
        DispatchTensorKind::Flex(tensor) => {
            use burn::backend::TensorMetadata;
            use burn::tensor::DType;
            let is_written = match sum {
                PairSum::Fourier(_) | PairSum::FourierMean(_) => {
                    cfg!(feature = "fourier") && matches!(tensor.shape()[1], 1 | 2)
                }
                _ => true,
            };
            is_written && matches!(tensor.dtype(), DType::F32 | DType::F64)
        }
        #[cfg(feature = "cube")]
        DispatchTensorKind::Cube(tensor) => cube::has_kernel(sum, tensor),
        #[allow(unreachable_patterns)]
        _ => false,
    }
}

/// A sum over the pairs of queries and references, with costs or values where it has such an operand.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`, of the same type and device; costs: `[b, m]`; values: `[m, c]`
/// - output: `[b, 1]`, of means `[b, c]`
///
/// # Panics
/// If the shapes contradict each other or the columns, an operand is missing, or the device has no such operation
/// ([`takes`]).
pub fn pair_sum(
    sum: PairSum,
    (queries, references): (Tensor<2>, Tensor<2>),
    operand: Option<Tensor<2>>,
    columns: &NeighborSets,
) -> Tensor<2> {
    check(&queries, &references, columns);
    let (b, m) = (columns.queries(), columns.references());
    let operand = match (sum, operand) {
        (PairSum::CostedLogSumExp, Some(costs)) => {
            assert_eq!(costs.dims(), [b, m], "one cost for each of {b} queries and {m} references");
            costs.without_autodiff()
        }
        (PairSum::Mean | PairSum::FourierMean(_), Some(values)) => {
            let rows = values.dims()[0];
            assert_eq!(m, rows, "{m} references, but {rows} rows of values");
            if sum == PairSum::Mean { values } else { values.without_autodiff() }
        }
        (PairSum::LogSumExp(_) | PairSum::Fourier(_) | PairSum::Sum(_), None) => {
            queries.clone().without_autodiff()
        }
        (_, operand) => {
            let count = usize::from(operand.is_some());
            panic!("{sum:?} was given {count} tensors of costs or values")
        }
    };
    // Values have as many columns as they like.
    let of_operand = if matches!(sum, PairSum::FourierMean(_)) { PairSum::Mean } else { sum };
    assert!(
        takes(sum, &[&queries, &references]) && takes(of_operand, &[&operand]),
        "{sum:?} is no operation on {:?} in {:?}; build burn-nca with the feature of this backend, or add up the pairs in \
         ordinary operations (Sums::Plain)",
        queries.device(),
        queries.dtype()
    );
    let [queries, references, operand] = [queries, references, operand].map(Tensor::into_dispatch);
    let (sums, _) = Dispatch::pair_sum(queries, references, operand, sum, columns.clone());
    Tensor::from_dispatch(sums)
}

/// `log Σ_j exp(-||q_i - r_j||²)` over the columns of each row.
///
/// ```text
/// lse_i = log Σ_{j ∈ S_i} exp(-||q_i - r_j||²)
/// ```
/// The sets `S_i` are the [`NeighborSets`]; a row without any column has `-∞` there, and no gradient. The operation is
/// differentiable in both tensors, which may be the same one, and may be anywhere in a graph.
///
/// # Numerics
/// The largest term of a row is factored out, so that nothing overflows and the logarithm is exact however far the
/// points are apart. Terms below 1e-38 of the largest (f32; 1e-308 in f64) count as zero. Distances are sums of squared
/// differences: an offset that all points share costs no digits beyond those of the tensors themselves.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`, of the same type and device
/// - output: `[b]`
///
/// # Panics
/// As [`pair_sum`].
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_fused::{NeighborSets, log_sum_exp};
///
/// let device = Device::flex().autodiff();
/// let z = Tensor::<2>::from_floats([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], &device).require_grad();
/// // Each point against the two others.
/// let columns = NeighborSets::all(3, 3).without_self(0);
/// let lse = log_sum_exp(z.clone(), z.clone(), &columns);
/// let expected = ((-1.0f32).exp() + (-4.0f32).exp()).ln();
/// assert!((lse.clone().slice([0..1]).into_scalar::<f32>() - expected).abs() < 1e-6);
/// let gradients = lse.sum().backward();
/// assert_eq!(z.grad(&gradients).unwrap().dims(), [3, 2]);
/// # }
/// ```
pub fn log_sum_exp(queries: Tensor<2>, references: Tensor<2>, columns: &NeighborSets) -> Tensor<1> {
    let sum = PairSum::LogSumExp(Distance::SqEuclidean);
    pair_sum(sum, (queries, references), None, columns).reshape([columns.queries()])
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
/// As [`pair_sum`].
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_fused::{NeighborSets, weighted_mean};
///
/// let device = Device::flex();
/// let z = Tensor::<2>::from_floats([[0.0], [0.1], [9.0], [9.1]], &device);
/// let prices = Tensor::<2>::from_floats([[5.0], [7.0], [1.0], [2.0]], &device);
/// // What the neighbors of each point cost.
/// let columns = NeighborSets::all(4, 4).without_self(0);
/// let predicted = weighted_mean(z.clone(), z, prices, &columns);
/// assert!((predicted.slice([0..1, 0..1]).into_scalar::<f32>() - 7.0).abs() < 1e-6);
/// # }
/// ```
pub fn weighted_mean(
    queries: Tensor<2>,
    references: Tensor<2>,
    values: Tensor<2>,
    columns: &NeighborSets,
) -> Tensor<2> {
    pair_sum(PairSum::Mean, (queries, references), Some(values), columns)
}

fn check(queries: &Tensor<2>, references: &Tensor<2>, columns: &NeighborSets) {
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
