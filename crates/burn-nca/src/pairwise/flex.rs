//! The operations on `flex`: f32 and f64 by the kernels of the host, other types in ordinary operations.

use burn::backend::Flex;
use burn::backend::tensor::FloatTensor;
use burn::tensor::{DType, Element, TensorData};
use burn_nca_kernels::{Means, Number, Weighted, Weights};

use super::ops::PairwiseOps;
use super::{Columns, Distance, Summand, blocks};

/// A tensor of the backend.
type Float = FloatTensor<Flex>;

impl PairwiseOps for Flex {
    fn pairwise_statistics(
        queries: Float,
        references: Float,
        columns: Columns,
        distance: Distance,
    ) -> Float {
        match queries.dtype() {
            DType::F32 => statistics::<f32>(queries, references, &columns, distance),
            DType::F64 => statistics::<f64>(queries, references, &columns, distance),
            _ => {
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::statistics::<Self>(pairs, distance)
            }
        }
    }

    fn pairwise_gradients(
        queries: Float,
        references: Float,
        columns: Columns,
        distance: Distance,
        statistics: Float,
        gradient: Float,
    ) -> (Float, Float) {
        let all = [queries, references, statistics, gradient];
        match all[0].dtype() {
            DType::F32 => gradients::<f32>(all, &columns, distance),
            DType::F64 => gradients::<f64>(all, &columns, distance),
            _ => {
                let [queries, references, statistics, gradient] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::gradients::<Self>(pairs, distance, statistics, gradient)
            }
        }
    }

    fn pairwise_costed_statistics(
        queries: Float,
        references: Float,
        costs: Float,
        columns: Columns,
    ) -> Float {
        match queries.dtype() {
            DType::F32 => costed_statistics::<f32>([queries, references, costs], &columns),
            DType::F64 => costed_statistics::<f64>([queries, references, costs], &columns),
            _ => {
                let pairs = blocks::Pairs::new(queries, references, &columns).with_costs(costs);
                blocks::statistics::<Self>(pairs, Distance::SqEuclidean)
            }
        }
    }

    fn pairwise_costed_gradients(
        queries: Float,
        references: Float,
        costs: Float,
        columns: Columns,
        statistics: Float,
        gradient: Float,
    ) -> (Float, Float) {
        let all = [queries, references, costs, statistics, gradient];
        match all[0].dtype() {
            DType::F32 => costed_gradients::<f32>(all, &columns),
            DType::F64 => costed_gradients::<f64>(all, &columns),
            _ => {
                let [queries, references, costs, statistics, gradient] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns).with_costs(costs);
                blocks::gradients::<Self>(pairs, Distance::SqEuclidean, statistics, gradient)
            }
        }
    }

    fn pairwise_gradient(
        points: Float,
        columns: Columns,
        distance: Distance,
        statistics: Float,
        gradient: Float,
    ) -> Float {
        let all = [points, statistics, gradient];
        match all[0].dtype() {
            DType::F32 => gradient_of::<f32>(all, &columns, distance),
            DType::F64 => gradient_of::<f64>(all, &columns, distance),
            _ => {
                let [points, statistics, gradient] = all;
                blocks::gradient::<Self>(points, &columns, distance, statistics, gradient)
            }
        }
    }

    fn pairwise_sum(
        queries: Float,
        references: Float,
        columns: Columns,
        summand: Summand,
    ) -> Float {
        match queries.dtype() {
            DType::F32 => sum::<f32>(queries, references, &columns, summand),
            DType::F64 => sum::<f64>(queries, references, &columns, summand),
            _ => {
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::sum::<Self>(pairs, summand)
            }
        }
    }

    fn pairwise_sum_gradients(
        queries: Float,
        references: Float,
        columns: Columns,
        summand: Summand,
        gradient: Float,
    ) -> (Float, Float) {
        let all = [queries, references, gradient];
        match all[0].dtype() {
            DType::F32 => sum_gradients::<f32>(all, &columns, summand),
            DType::F64 => sum_gradients::<f64>(all, &columns, summand),
            _ => {
                let [queries, references, gradient] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::sum_gradients::<Self>(pairs, summand, gradient)
            }
        }
    }

    fn pairwise_means(
        queries: Float,
        references: Float,
        values: Float,
        columns: Columns,
        statistics: Float,
    ) -> Float {
        let all = [queries, references, values, statistics];
        match all[0].dtype() {
            DType::F32 => means::<f32>(all, &columns),
            DType::F64 => means::<f64>(all, &columns),
            _ => {
                let [queries, references, values, statistics] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::means::<Self>(pairs, values, statistics)
            }
        }
    }

    fn pairwise_mean_gradients(
        queries: Float,
        references: Float,
        values: Float,
        columns: Columns,
        statistics: Float,
        means: Float,
        gradient: Float,
    ) -> (Float, Float, Float) {
        let all = [queries, references, values, statistics, means, gradient];
        match all[0].dtype() {
            DType::F32 => mean_gradients::<f32>(all, &columns),
            DType::F64 => mean_gradients::<f64>(all, &columns),
            _ => {
                let [queries, references, values, statistics, means, gradient] = all;
                let pairs = blocks::Pairs::new(queries, references, &columns);
                blocks::mean_gradients::<Self>(pairs, values, statistics, means, gradient)
            }
        }
    }
}

/// Numbers that a tensor holds and the kernels compute with.
trait Held: Number + Element + pulp::bytemuck::Pod {}
impl Held for f32 {}
impl Held for f64 {}

fn statistics<T: Held>(
    queries: Float,
    references: Float,
    columns: &Columns,
    distance: Distance,
) -> Float {
    let k = width(&queries);
    let [queries, references] = [queries, references].map(|tensor| tensor.to_contiguous());
    let points = (values(&queries), values(&references), k);
    tensor(T::statistics_of(distance, points, columns), [2, columns.queries()])
}

fn softmax<T>(distance: Distance, statistics: &[T]) -> Weights<'_, T> {
    match distance {
        Distance::SqEuclidean => Weights::Softmax(statistics),
        Distance::Euclidean => Weights::EuclideanSoftmax(statistics),
    }
}

fn gradients<T: Held>(all: [Float; 4], columns: &Columns, distance: Distance) -> (Float, Float) {
    let k = width(&all[0]);
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, statistics, gradient] = all.each_ref().map(values::<T>);
    let weights = softmax(distance, statistics);
    of_points(&Weighted { queries, references, k, columns, weights, gradient })
}

fn costed_statistics<T: Held>(all: [Float; 3], columns: &Columns) -> Float {
    let k = width(&all[0]);
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, costs] = all.each_ref().map(values::<T>);
    let statistics = T::statistics_with_costs((queries, references, k), costs, columns);
    tensor(statistics, [2, columns.queries()])
}

fn costed_gradients<T: Held>(all: [Float; 5], columns: &Columns) -> (Float, Float) {
    let k = width(&all[0]);
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, costs, statistics, gradient] = all.each_ref().map(values::<T>);
    let weights = Weights::CostedSoftmax(statistics, costs);
    of_points(&Weighted { queries, references, k, columns, weights, gradient })
}

fn gradient_of<T: Held>(all: [Float; 3], columns: &Columns, distance: Distance) -> Float {
    let k = width(&all[0]);
    let all = all.map(|tensor| tensor.to_contiguous());
    let [points, statistics, gradient] = all.each_ref().map(values::<T>);
    let weights = softmax(distance, statistics);
    let of = Weighted { queries: points, references: points, k, columns, weights, gradient };
    tensor(T::gradient(&of), [columns.queries(), k])
}

fn sum<T: Held>(queries: Float, references: Float, columns: &Columns, summand: Summand) -> Float {
    let k = width(&queries);
    let [queries, references] = [queries, references].map(|tensor| tensor.to_contiguous());
    let sums = T::sums(summand, (values(&queries), values(&references), k), columns);
    Float::from_data(TensorData::new(sums, [columns.queries()]))
}

fn sum_gradients<T: Held>(all: [Float; 3], columns: &Columns, summand: Summand) -> (Float, Float) {
    let k = width(&all[0]);
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, gradient] = all.each_ref().map(values::<T>);
    let weights = Weights::Sum(summand);
    of_points(&Weighted { queries, references, k, columns, weights, gradient })
}

fn of_points<T: Held>(weighted: &Weighted<'_, T>) -> (Float, Float) {
    let (columns, k) = (weighted.columns, weighted.k);
    let (of_queries, of_references) = T::gradients(weighted);
    let of_queries = tensor(of_queries, [columns.queries(), k]);
    (of_queries, tensor(of_references, [columns.references(), k]))
}

fn means<T: Held>(all: [Float; 4], columns: &Columns) -> Float {
    let (k, c) = (width(&all[0]), width(&all[2]));
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, values, statistics] = all.each_ref().map(values::<T>);
    let of = Means { queries, references, values, k, c, columns, statistics };
    tensor(T::means(of), [columns.queries(), c])
}

fn mean_gradients<T: Held>(all: [Float; 6], columns: &Columns) -> (Float, Float, Float) {
    let (k, c) = (width(&all[0]), width(&all[2]));
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, values, statistics, means, gradient] =
        all.each_ref().map(values::<T>);
    let of = Means { queries, references, values, k, c, columns, statistics };
    let [dq, dr, dv] = T::mean_gradients(of, means, gradient);
    let (b, m) = (columns.queries(), columns.references());
    (tensor(dq, [b, k]), tensor(dr, [m, k]), tensor(dv, [m, c]))
}

/// Number of columns.
fn width(tensor: &Float) -> usize {
    tensor.layout().shape()[1]
}

fn values<T: Held>(tensor: &Float) -> &[T] {
    tensor.as_slice().expect("a contiguous tensor of this type, as all of an operation are")
}

fn tensor<T: Held>(values: Vec<T>, shape: [usize; 2]) -> Float {
    Float::from_data(TensorData::new(values, shape))
}
