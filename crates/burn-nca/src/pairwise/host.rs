//! The operations of backends without an implementation of their own: on `flex` f32 and f64 by the kernels of the host, all
//! else in ordinary operations.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, TensorMetadata};
use burn::tensor::{DType, Element, Shape, TensorData};
use burn_nca_fused::{Means, Number, Weighted, Weights};

use super::ops::PairwiseOps;
use super::values::Values;
use super::{Columns, Distance, Summand, blocks};

/// A backend without an implementation of its own.
pub(super) trait CommonBackend {
    /// Whether its tensors lie in host memory, for the kernels of the host to compute with.
    const HAS_HOST_KERNELS: bool = false;
}

/// The type for which the kernels of the host compute with a tensor.
fn kernels<B: Backend + CommonBackend>(tensor: &FloatTensor<B>) -> Option<DType> {
    B::HAS_HOST_KERNELS.then(|| tensor.dtype())
}

impl<B: Backend + CommonBackend> PairwiseOps for B {
    fn pairwise_statistics(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        columns: Columns,
        distance: Distance,
    ) -> FloatTensor<B> {
        match kernels::<B>(&queries) {
            Some(DType::F32) => statistics::<B, f32>(queries, references, &columns, distance),
            Some(DType::F64) => statistics::<B, f64>(queries, references, &columns, distance),
            _ => {
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::statistics::<B>(pairs, distance)
            }
        }
    }

    fn pairwise_gradients(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        columns: Columns,
        distance: Distance,
        statistics: FloatTensor<B>,
        gradient: FloatTensor<B>,
    ) -> (FloatTensor<B>, FloatTensor<B>) {
        let all = [queries, references, statistics, gradient];
        match kernels::<B>(&all[0]) {
            Some(DType::F32) => gradients::<B, f32>(all, &columns, distance),
            Some(DType::F64) => gradients::<B, f64>(all, &columns, distance),
            _ => {
                let [queries, references, statistics, gradient] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::gradients::<B>(pairs, distance, statistics, gradient)
            }
        }
    }

    fn pairwise_costed_statistics(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        costs: FloatTensor<B>,
        columns: Columns,
    ) -> FloatTensor<B> {
        match kernels::<B>(&queries) {
            Some(DType::F32) => costed_statistics::<B, f32>([queries, references, costs], &columns),
            Some(DType::F64) => costed_statistics::<B, f64>([queries, references, costs], &columns),
            _ => {
                let pairs = blocks::Pairs::new(queries, references, &columns).with_costs(costs);
                blocks::statistics::<B>(pairs, Distance::SqEuclidean)
            }
        }
    }

    fn pairwise_costed_gradients(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        costs: FloatTensor<B>,
        columns: Columns,
        statistics: FloatTensor<B>,
        gradient: FloatTensor<B>,
    ) -> (FloatTensor<B>, FloatTensor<B>) {
        let all = [queries, references, costs, statistics, gradient];
        match kernels::<B>(&all[0]) {
            Some(DType::F32) => costed_gradients::<B, f32>(all, &columns),
            Some(DType::F64) => costed_gradients::<B, f64>(all, &columns),
            _ => {
                let [queries, references, costs, statistics, gradient] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns).with_costs(costs);
                blocks::gradients::<B>(pairs, Distance::SqEuclidean, statistics, gradient)
            }
        }
    }

    fn pairwise_gradient(
        points: FloatTensor<B>,
        columns: Columns,
        distance: Distance,
        statistics: FloatTensor<B>,
        gradient: FloatTensor<B>,
    ) -> FloatTensor<B> {
        let all = [points, statistics, gradient];
        match kernels::<B>(&all[0]) {
            Some(DType::F32) => gradient_of::<B, f32>(all, &columns, distance),
            Some(DType::F64) => gradient_of::<B, f64>(all, &columns, distance),
            _ => {
                let [points, statistics, gradient] = all;
                blocks::gradient::<B>(points, &columns, distance, statistics, gradient)
            }
        }
    }

    fn pairwise_sum(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        columns: Columns,
        summand: Summand,
    ) -> FloatTensor<B> {
        match kernels::<B>(&queries) {
            Some(DType::F32) => sum::<B, f32>(queries, references, &columns, summand),
            Some(DType::F64) => sum::<B, f64>(queries, references, &columns, summand),
            _ => {
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::sum::<B>(pairs, summand)
            }
        }
    }

    fn pairwise_sum_gradients(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        columns: Columns,
        summand: Summand,
        gradient: FloatTensor<B>,
    ) -> (FloatTensor<B>, FloatTensor<B>) {
        let all = [queries, references, gradient];
        match kernels::<B>(&all[0]) {
            Some(DType::F32) => sum_gradients::<B, f32>(all, &columns, summand),
            Some(DType::F64) => sum_gradients::<B, f64>(all, &columns, summand),
            _ => {
                let [queries, references, gradient] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::sum_gradients::<B>(pairs, summand, gradient)
            }
        }
    }

    fn pairwise_means(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        values: FloatTensor<B>,
        columns: Columns,
        statistics: FloatTensor<B>,
    ) -> FloatTensor<B> {
        let all = [queries, references, values, statistics];
        match kernels::<B>(&all[0]) {
            Some(DType::F32) => means::<B, f32>(all, &columns),
            Some(DType::F64) => means::<B, f64>(all, &columns),
            _ => {
                let [queries, references, values, statistics] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::means::<B>(pairs, values, statistics)
            }
        }
    }

    fn pairwise_mean_gradients(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        values: FloatTensor<B>,
        columns: Columns,
        statistics: FloatTensor<B>,
        means: FloatTensor<B>,
        gradient: FloatTensor<B>,
    ) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
        let all = [queries, references, values, statistics, means, gradient];
        match kernels::<B>(&all[0]) {
            Some(DType::F32) => mean_gradients::<B, f32>(all, &columns),
            Some(DType::F64) => mean_gradients::<B, f64>(all, &columns),
            _ => {
                let [queries, references, values, statistics, means, gradient] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::mean_gradients::<B>(pairs, values, statistics, means, gradient)
            }
        }
    }
}

/// Numbers that a tensor holds and the kernels compute with.
trait Held: Number + Element + pulp::bytemuck::Pod {}
impl Held for f32 {}
impl Held for f64 {}

fn statistics<B: Backend, T: Held>(
    queries: FloatTensor<B>,
    references: FloatTensor<B>,
    columns: &Columns,
    distance: Distance,
) -> FloatTensor<B> {
    let (k, device) = (width::<B>(&queries), queries.device());
    let [queries, references] = [queries, references].map(Values::<B>::of::<T>);
    let points = (queries.slice(), references.slice(), k);
    let statistics = T::statistics_of(distance, points, columns);
    tensor::<B, T>(statistics, [2, columns.queries()], &device)
}

fn softmax<T>(distance: Distance, statistics: &[T]) -> Weights<'_, T> {
    match distance {
        Distance::SqEuclidean => Weights::Softmax(statistics),
        Distance::Euclidean => Weights::EuclideanSoftmax(statistics),
    }
}

fn gradients<B: Backend, T: Held>(
    all: [FloatTensor<B>; 4],
    columns: &Columns,
    distance: Distance,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let (k, device) = (width::<B>(&all[0]), all[0].device());
    let all = all.map(Values::<B>::of::<T>);
    let [queries, references, statistics, gradient] = all.each_ref().map(Values::slice);
    let weights = softmax(distance, statistics);
    of_points::<B, T>(&Weighted { queries, references, k, columns, weights, gradient }, &device)
}

fn costed_statistics<B: Backend, T: Held>(
    all: [FloatTensor<B>; 3],
    columns: &Columns,
) -> FloatTensor<B> {
    let (k, device) = (width::<B>(&all[0]), all[0].device());
    let all = all.map(Values::<B>::of::<T>);
    let [queries, references, costs] = all.each_ref().map(Values::slice);
    let statistics = T::statistics_with_costs((queries, references, k), costs, columns);
    tensor::<B, T>(statistics, [2, columns.queries()], &device)
}

fn costed_gradients<B: Backend, T: Held>(
    all: [FloatTensor<B>; 5],
    columns: &Columns,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let (k, device) = (width::<B>(&all[0]), all[0].device());
    let all = all.map(Values::<B>::of::<T>);
    let [queries, references, costs, statistics, gradient] = all.each_ref().map(Values::slice);
    let weights = Weights::CostedSoftmax(statistics, costs);
    of_points::<B, T>(&Weighted { queries, references, k, columns, weights, gradient }, &device)
}

fn gradient_of<B: Backend, T: Held>(
    all: [FloatTensor<B>; 3],
    columns: &Columns,
    distance: Distance,
) -> FloatTensor<B> {
    let (k, device) = (width::<B>(&all[0]), all[0].device());
    let all = all.map(Values::<B>::of::<T>);
    let [points, statistics, gradient] = all.each_ref().map(Values::slice);
    let weights = softmax(distance, statistics);
    let of = Weighted { queries: points, references: points, k, columns, weights, gradient };
    tensor::<B, T>(T::gradient(&of), [columns.queries(), k], &device)
}

fn sum<B: Backend, T: Held>(
    queries: FloatTensor<B>,
    references: FloatTensor<B>,
    columns: &Columns,
    summand: Summand,
) -> FloatTensor<B> {
    let (k, device) = (width::<B>(&queries), queries.device());
    let [queries, references] = [queries, references].map(Values::<B>::of::<T>);
    let sums = T::sums(summand, (queries.slice(), references.slice(), k), columns);
    tensor::<B, T>(sums, [columns.queries()], &device)
}

fn sum_gradients<B: Backend, T: Held>(
    all: [FloatTensor<B>; 3],
    columns: &Columns,
    summand: Summand,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let (k, device) = (width::<B>(&all[0]), all[0].device());
    let all = all.map(Values::<B>::of::<T>);
    let [queries, references, gradient] = all.each_ref().map(Values::slice);
    let weights = Weights::Sum(summand);
    of_points::<B, T>(&Weighted { queries, references, k, columns, weights, gradient }, &device)
}

fn of_points<B: Backend, T: Held>(
    weighted: &Weighted<'_, T>,
    device: &B::Device,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let (columns, k) = (weighted.columns, weighted.k);
    let (of_queries, of_references) = T::gradients(weighted);
    let of_queries = tensor::<B, T>(of_queries, [columns.queries(), k], device);
    (of_queries, tensor::<B, T>(of_references, [columns.references(), k], device))
}

fn means<B: Backend, T: Held>(all: [FloatTensor<B>; 4], columns: &Columns) -> FloatTensor<B> {
    let (k, c, device) = (width::<B>(&all[0]), width::<B>(&all[2]), all[0].device());
    let all = all.map(Values::<B>::of::<T>);
    let [queries, references, values, statistics] = all.each_ref().map(Values::slice);
    let of = Means { queries, references, values, k, c, columns, statistics };
    tensor::<B, T>(T::means(of), [columns.queries(), c], &device)
}

fn mean_gradients<B: Backend, T: Held>(
    all: [FloatTensor<B>; 6],
    columns: &Columns,
) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
    let (k, c, device) = (width::<B>(&all[0]), width::<B>(&all[2]), all[0].device());
    let all = all.map(Values::<B>::of::<T>);
    let [queries, references, values, statistics, means, gradient] =
        all.each_ref().map(Values::slice);
    let of = Means { queries, references, values, k, c, columns, statistics };
    let [dq, dr, dv] = T::mean_gradients(of, means, gradient);
    let (b, m) = (columns.queries(), columns.references());
    let of_points = |values, rows| tensor::<B, T>(values, [rows, k], &device);
    (of_points(dq, b), of_points(dr, m), tensor::<B, T>(dv, [m, c], &device))
}

/// Number of columns.
fn width<B: Backend>(tensor: &FloatTensor<B>) -> usize {
    tensor.shape()[1]
}

fn tensor<B: Backend, T: Held>(
    values: Vec<T>,
    shape: impl Into<Shape>,
    device: &B::Device,
) -> FloatTensor<B> {
    B::float_from_data(TensorData::new(values, shape), device)
}
