//! The operation on CubeCL's devices (wgpu, CUDA and the others) in f32.
//!
//! One source for all of them; distances that are not squared, pairs with costs and f64 have no kernel. A unit has one query (for the gradients of references: one reference); it walks over the
//! other points in tiles that the units of a cube load together into shared memory:
//!
//! ```text
//! d_ij   = Σ_c (q_ic - r_jc)²                               squared differences, never a product (no TF32)
//! least  = min_j d_ij,  log = log Σ_j exp(least - d_ij)     kept in registers, rescaled where least falls
//! p_ij   = exp(least - d_ij - log)                          computed again in each of the passes below
//! dq_i   = -2 Σ_j g_i p_ij (q_i - r_j)                      a unit a query
//! dr_j   = -2 Σ_i g_i p_ij (r_j - q_i)                      a unit a reference
//! mean_i = Σ_j p_ij v_j                                     and with s_ij = p_ij (g_i · v_j - g_i · mean_i)
//!                                                           for g_i p_ij the gradients of means; dv_j = Σ_i p_ij g_i
//! ```
//!
//! Which pairs count is decided by position; tiles that no query of a cube sums over are skipped. With few rows the other
//! points are cut into parts, which a second kernel adds up in their order. No unit adds to another's number, so that a
//! result is the same in every run. Of points with more than 32 coordinates (16 where shared memory is small) some are
//! loaded at a time, and a gradient's distances are computed again for each such piece.

mod backward;
mod forward;
mod launch;
mod tile;

use burn::backend::TensorMetadata;
use burn::backend::ops::FloatTensorOps;
use burn::tensor::{DType, Shape};
use burn_cubecl::CubeBackend;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::ops::PairSums;
use crate::{Distance, NeighborSets, PairSum, Summand};
use backward::{Summed, Weight};
use launch::{Operands, Positions, Values, weighted};

/// Whether there is a kernel for this sum, and one that can address such a tensor.
pub(super) fn has_kernel(sum: PairSum, tensor: &impl TensorMetadata) -> bool {
    let is_written = match sum {
        PairSum::LogSumExp(distance) => distance == Distance::SqEuclidean,
        PairSum::Sum(summand) => summand == Summand::Hinge,
        PairSum::Mean => true,
        PairSum::CostedLogSumExp | PairSum::Fourier(_) | PairSum::FourierMean(_) => false,
    };
    let numbers = tensor.shape().num_elements();
    is_written && tensor.dtype() == DType::F32 && (1..1 << 31).contains(&numbers)
}

impl PairSums for CubeBackend {
    fn pair_sum(
        queries: CubeTensor,
        references: CubeTensor,
        operand: CubeTensor,
        sum: PairSum,
        columns: NeighborSets,
    ) -> (CubeTensor, CubeTensor) {
        let b = columns.queries();
        let [queries, references] = [queries, references].map(into_contiguous);
        if let PairSum::Sum(_) = sum {
            let sums = launch::hinge(queries, references, &columns);
            return (sums.clone(), sums);
        }
        let rows = launch::statistics(queries.clone(), references.clone(), &columns);
        if sum != PairSum::Mean {
            let row = |at: usize| Self::float_slice(rows.clone(), &[(at..at + 1).into()]);
            let sums = Self::float_sub(row(1), row(0));
            return (Self::float_reshape(sums, Shape::new([b, 1])), rows);
        }
        let positions = Positions::new(&columns, &queries.device);
        let numbers = with_ones(rows.clone(), &columns);
        let operands = Operands { numbers, queries, references };
        let values = into_contiguous(operand);
        let values = Values { of_queries: values.clone(), of_references: values };
        let what = (false, Weight::Softmax, Summed::Values);
        (weighted(operands, values, &positions, what), rows)
    }

    fn pair_sum_backward(
        queries: CubeTensor,
        references: CubeTensor,
        operand: CubeTensor,
        sums: CubeTensor,
        rows: CubeTensor,
        gradient: CubeTensor,
        sum: PairSum,
        columns: NeighborSets,
        among_themselves: bool,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let points = (queries, references);
        let (dq, dr, dv) = match sum {
            PairSum::Mean => of_means(points, (operand, sums), (rows, gradient), &columns),
            PairSum::Sum(_) => {
                let (dq, dr) =
                    of_points(points, &columns, into_contiguous(gradient), Weight::Hinge);
                (dq, dr, operand)
            }
            PairSum::Fourier(_) | PairSum::FourierMean(_) => {
                unreachable!("a Fourier series has no kernel")
            }
            PairSum::LogSumExp(_) | PairSum::CostedLogSumExp => {
                let numbers = with_factor(rows, gradient, &columns);
                let (dq, dr) = of_points(points, &columns, numbers, Weight::Softmax);
                (dq, dr, operand)
            }
        };
        let dq = if among_themselves { Self::float_add(dq, dr.clone()) } else { dq };
        (dq, dr, dv)
    }
}

/// The gradients of means with respect to queries, references and values.
fn of_means(
    (queries, references): (CubeTensor, CubeTensor),
    (values, means): (CubeTensor, CubeTensor),
    (rows, gradient): (CubeTensor, CubeTensor),
    columns: &NeighborSets,
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let dots = CubeBackend::float_mul(means, gradient.clone());
    let dots = CubeBackend::float_sum_dim(dots, 1);
    let positions = Positions::new(columns, &queries.device);
    let shares = Operands {
        numbers: with_ones(rows.clone(), columns),
        queries: into_contiguous(queries),
        references: into_contiguous(references),
    };
    let turned = Operands { numbers: with_factor(rows, dots, columns), ..shares.clone() };
    let of_queries = into_contiguous(gradient);
    let values = Values { of_queries, of_references: into_contiguous(values) };
    let of = |operands: &Operands, by_reference, weight, summed| {
        let what = (by_reference, weight, summed);
        weighted(operands.clone(), values.clone(), &positions, what)
    };
    let dq = of(&turned, false, Weight::Transposed, Summed::Moments);
    let dr = of(&turned, true, Weight::Transposed, Summed::Moments);
    let dv = of(&shares, true, Weight::Softmax, Summed::Values);
    (dq, dr, dv)
}

/// The gradients with respect to queries and references.
fn of_points(
    (queries, references): (CubeTensor, CubeTensor),
    columns: &NeighborSets,
    numbers: CubeTensor,
    weight: Weight,
) -> (CubeTensor, CubeTensor) {
    let positions = Positions::new(columns, &queries.device);
    let [queries, references] = [queries, references].map(into_contiguous);
    // No values are read.
    let values = Values { of_queries: queries.clone(), of_references: references.clone() };
    let operands = Operands { queries, references, numbers };
    let of = |by_reference| {
        let what = (by_reference, weight, Summed::Moments);
        weighted(operands.clone(), values.clone(), &positions, what)
    };
    (of(false), of(true))
}

/// Statistics `[2, b]` and a factor for each query, `[3, b]`.
fn with_factor(statistics: CubeTensor, factor: CubeTensor, columns: &NeighborSets) -> CubeTensor {
    let factor = CubeBackend::float_reshape(factor, Shape::new([1, columns.queries()]));
    into_contiguous(CubeBackend::float_cat(vec![statistics, factor], 0))
}

/// Statistics `[2, b]` and a factor of 1.
fn with_ones(statistics: CubeTensor, columns: &NeighborSets) -> CubeTensor {
    let shape = Shape::new([columns.queries()]);
    let ones = CubeBackend::float_ones(shape, &statistics.device(), statistics.dtype().into());
    with_factor(statistics, ones, columns)
}
