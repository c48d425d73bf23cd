//! The operations on `flex`: f32 and f64 by the kernels of the host, other types in ordinary operations.

use burn::backend::Flex;
use burn::backend::tensor::FloatTensor;
use burn::tensor::{DType, Element, TensorData};
use burn_nca_kernels::{Means, Number, Weighted, Weights};

use super::ops::PairwiseOps;
use super::{Columns, blocks};

/// A tensor of the backend.
type Float = FloatTensor<Flex>;

impl PairwiseOps for Flex {
    fn pairwise_statistics(queries: Float, references: Float, columns: Columns) -> Float {
        match queries.dtype() {
            DType::F32 => statistics::<f32>(queries, references, &columns),
            DType::F64 => statistics::<f64>(queries, references, &columns),
            _ => blocks::statistics::<Self>(queries, references, &columns),
        }
    }

    fn pairwise_gradients(
        queries: Float,
        references: Float,
        columns: Columns,
        statistics: Float,
        gradient: Float,
    ) -> (Float, Float) {
        let all = [queries, references, statistics, gradient];
        match all[0].dtype() {
            DType::F32 => gradients::<f32>(all, &columns),
            DType::F64 => gradients::<f64>(all, &columns),
            _ => {
                let [queries, references, statistics, gradient] = all;
                let pairs = blocks::Pairs { queries, references, columns: &columns };
                blocks::gradients::<Self>(pairs, statistics, gradient)
            }
        }
    }

    fn pairwise_gradient(
        points: Float,
        columns: Columns,
        statistics: Float,
        gradient: Float,
    ) -> Float {
        let all = [points, statistics, gradient];
        match all[0].dtype() {
            DType::F32 => gradient_of::<f32>(all, &columns),
            DType::F64 => gradient_of::<f64>(all, &columns),
            _ => {
                let [points, statistics, gradient] = all;
                blocks::gradient::<Self>(points, &columns, statistics, gradient)
            }
        }
    }

    fn pairwise_hinge(queries: Float, references: Float, columns: Columns) -> Float {
        match queries.dtype() {
            DType::F32 => hinge::<f32>(queries, references, &columns),
            DType::F64 => hinge::<f64>(queries, references, &columns),
            _ => blocks::hinge::<Self>(blocks::Pairs { queries, references, columns: &columns }),
        }
    }

    fn pairwise_hinge_gradients(
        queries: Float,
        references: Float,
        columns: Columns,
        gradient: Float,
    ) -> (Float, Float) {
        let all = [queries, references, gradient];
        match all[0].dtype() {
            DType::F32 => hinge_gradients::<f32>(all, &columns),
            DType::F64 => hinge_gradients::<f64>(all, &columns),
            _ => {
                let [queries, references, gradient] = all;
                let pairs = blocks::Pairs { queries, references, columns: &columns };
                blocks::hinge_gradients::<Self>(pairs, gradient)
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
                let pairs = blocks::Pairs { queries, references, columns: &columns };
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
                let pairs = blocks::Pairs { queries, references, columns: &columns };
                blocks::mean_gradients::<Self>(pairs, values, statistics, means, gradient)
            }
        }
    }
}

/// Numbers that a tensor holds and the kernels compute with.
trait Held: Number + Element + pulp::bytemuck::Pod {}
impl Held for f32 {}
impl Held for f64 {}

fn statistics<T: Held>(queries: Float, references: Float, columns: &Columns) -> Float {
    let k = width(&queries);
    let [queries, references] = [queries, references].map(|tensor| tensor.to_contiguous());
    let statistics = T::statistics(values(&queries), values(&references), k, columns);
    tensor(statistics, [2, columns.queries()])
}

fn gradients<T: Held>(all: [Float; 4], columns: &Columns) -> (Float, Float) {
    let k = width(&all[0]);
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, statistics, gradient] = all.each_ref().map(values::<T>);
    let weights = Weights::Softmax(statistics);
    of_points(&Weighted { queries, references, k, columns, weights, gradient })
}

fn gradient_of<T: Held>(all: [Float; 3], columns: &Columns) -> Float {
    let k = width(&all[0]);
    let all = all.map(|tensor| tensor.to_contiguous());
    let [points, statistics, gradient] = all.each_ref().map(values::<T>);
    let weights = Weights::Softmax(statistics);
    let of = Weighted { queries: points, references: points, k, columns, weights, gradient };
    tensor(T::gradient(&of), [columns.references(), k])
}

fn hinge<T: Held>(queries: Float, references: Float, columns: &Columns) -> Float {
    let k = width(&queries);
    let [queries, references] = [queries, references].map(|tensor| tensor.to_contiguous());
    let sums = T::hinges(values(&queries), values(&references), k, columns);
    Float::from_data(TensorData::new(sums, [columns.queries()]))
}

fn hinge_gradients<T: Held>(all: [Float; 3], columns: &Columns) -> (Float, Float) {
    let k = width(&all[0]);
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, gradient] = all.each_ref().map(values::<T>);
    let weights = Weights::Hinge;
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
