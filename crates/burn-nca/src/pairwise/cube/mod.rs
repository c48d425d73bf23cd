//! The operations on CubeCL's devices (wgpu, CUDA and the others): f32 by kernels of our own, other types in ordinary
//! operations.
//!
//! One source for all of them; distances that are not squared, and pairs with costs, are left to
//! ordinary operations. A unit has one query (for the gradients of references: one reference); it walks over the
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
use burn::tensor::Shape;
use burn_cubecl::CubeBackend;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::ops::PairwiseOps;
use super::{Columns, Distance, Summand, blocks};
use backward::{Summed, Weight};
use launch::{Operands, Positions, Values, takes, weighted};

impl PairwiseOps for CubeBackend {
    fn pairwise_statistics(
        queries: CubeTensor,
        references: CubeTensor,
        columns: Columns,
        distance: Distance,
    ) -> CubeTensor {
        if distance == Distance::Euclidean || !takes(&[&queries, &references]) {
            let pairs = blocks::Pairs::new(queries, references, &columns);
            return blocks::statistics::<Self>(pairs, distance);
        }
        launch::statistics(into_contiguous(queries), into_contiguous(references), &columns)
    }

    fn pairwise_gradients(
        queries: CubeTensor,
        references: CubeTensor,
        columns: Columns,
        distance: Distance,
        statistics: CubeTensor,
        gradient: CubeTensor,
    ) -> (CubeTensor, CubeTensor) {
        let euclidean = distance == Distance::Euclidean;
        if euclidean || !takes(&[&queries, &references, &statistics, &gradient]) {
            let pairs = blocks::Pairs::new(queries, references, &columns);
            return blocks::gradients::<Self>(pairs, distance, statistics, gradient);
        }
        let numbers = with_factor(statistics, gradient, &columns);
        of_points(queries, references, &columns, numbers, Weight::Softmax)
    }

    fn pairwise_sum(
        queries: CubeTensor,
        references: CubeTensor,
        columns: Columns,
        summand: Summand,
    ) -> CubeTensor {
        if summand == Summand::Euclidean || !takes(&[&queries, &references]) {
            let pairs = blocks::Pairs::new(queries, references, &columns);
            return blocks::sum::<Self>(pairs, summand);
        }
        launch::hinge(into_contiguous(queries), into_contiguous(references), &columns)
    }

    fn pairwise_sum_gradients(
        queries: CubeTensor,
        references: CubeTensor,
        columns: Columns,
        summand: Summand,
        gradient: CubeTensor,
    ) -> (CubeTensor, CubeTensor) {
        if summand == Summand::Euclidean || !takes(&[&queries, &references, &gradient]) {
            let pairs = blocks::Pairs::new(queries, references, &columns);
            return blocks::sum_gradients::<Self>(pairs, summand, gradient);
        }
        let gradient = into_contiguous(gradient);
        of_points(queries, references, &columns, gradient, Weight::Hinge)
    }

    fn pairwise_means(
        queries: CubeTensor,
        references: CubeTensor,
        values: CubeTensor,
        columns: Columns,
        statistics: CubeTensor,
    ) -> CubeTensor {
        if !takes(&[&queries, &references, &values, &statistics]) {
            let pairs = blocks::Pairs::new(queries, references, &columns);
            return blocks::means::<Self>(pairs, values, statistics);
        }
        let positions = Positions::new(&columns, &queries.device);
        let operands = Operands {
            numbers: with_ones(statistics, &columns),
            queries: into_contiguous(queries),
            references: into_contiguous(references),
        };
        let values = into_contiguous(values);
        let values = Values { of_queries: values.clone(), of_references: values };
        weighted(operands, values, &positions, (false, Weight::Softmax, Summed::Values))
    }

    fn pairwise_mean_gradients(
        queries: CubeTensor,
        references: CubeTensor,
        values: CubeTensor,
        columns: Columns,
        statistics: CubeTensor,
        means: CubeTensor,
        gradient: CubeTensor,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        if !takes(&[&queries, &references, &values, &statistics, &means, &gradient]) {
            let pairs = blocks::Pairs::new(queries, references, &columns);
            return blocks::mean_gradients::<Self>(pairs, values, statistics, means, gradient);
        }
        let dots = Self::float_sum_dim(Self::float_mul(means, gradient.clone()), 1);
        let positions = Positions::new(&columns, &queries.device);
        let shares = Operands {
            numbers: with_ones(statistics.clone(), &columns),
            queries: into_contiguous(queries),
            references: into_contiguous(references),
        };
        let turned =
            Operands { numbers: with_factor(statistics, dots, &columns), ..shares.clone() };
        let of_queries = into_contiguous(gradient);
        let values = Values { of_queries, of_references: into_contiguous(values) };
        let of = |operands: &Operands, by_reference, weight, summed| {
            let what = (by_reference, weight, summed);
            weighted(operands.clone(), values.clone(), &positions, what)
        };
        let dq = of(&turned, false, Weight::Turned, Summed::Moments);
        let dr = of(&turned, true, Weight::Turned, Summed::Moments);
        let dv = of(&shares, true, Weight::Softmax, Summed::Values);
        (dq, dr, dv)
    }
}

/// The gradients with respect to queries and references.
fn of_points(
    queries: CubeTensor,
    references: CubeTensor,
    columns: &Columns,
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
fn with_factor(statistics: CubeTensor, factor: CubeTensor, columns: &Columns) -> CubeTensor {
    let factor = CubeBackend::float_reshape(factor, Shape::new([1, columns.queries()]));
    into_contiguous(CubeBackend::float_cat(vec![statistics, factor], 0))
}

/// Statistics `[2, b]` and a factor of 1.
fn with_ones(statistics: CubeTensor, columns: &Columns) -> CubeTensor {
    let shape = Shape::new([columns.queries()]);
    let ones = CubeBackend::float_ones(shape, &statistics.device(), statistics.dtype().into());
    with_factor(statistics, ones, columns)
}
