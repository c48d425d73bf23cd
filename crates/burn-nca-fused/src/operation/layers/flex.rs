//! The operations on Burn's CPU backend `flex`, in f32 and f64.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::tensor::{DType, TensorData};

use super::Layers;
use crate::operation::flex_tensor::{KernelElement, tensor, values, width};
use crate::panel::PADDING;
use crate::periodic::Periodic;
use crate::softmax_rows::SoftmaxRows;

impl Layers for Flex {
    fn euclidean_mean(
        queries: FlexTensor,
        references: FlexTensor,
        values: FlexTensor,
        own: Option<usize>,
    ) -> (FlexTensor, FlexTensor, FlexTensor) {
        match queries.dtype() {
            DType::F64 => means::<f64>([queries, references, values], own),
            _ => means::<f32>([queries, references, values], own),
        }
    }

    fn euclidean_mean_backward(
        queries: FlexTensor,
        references: FlexTensor,
        values: FlexTensor,
        means: FlexTensor,
        distances: FlexTensor,
        rows: FlexTensor,
        gradient: FlexTensor,
        own: Option<usize>,
    ) -> (FlexTensor, FlexTensor) {
        let of = [queries, references, values, means, rows, gradient];
        match distances.dtype() {
            DType::F64 => mean_gradients::<f64>(of, distances, own),
            _ => mean_gradients::<f32>(of, distances, own),
        }
    }

    fn periodic(
        x: FlexTensor,
        frequencies: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
    ) -> FlexTensor {
        match x.dtype() {
            DType::F64 => embedding::<f64>([x, frequencies, weight, bias]),
            _ => embedding::<f32>([x, frequencies, weight, bias]),
        }
    }

    fn periodic_backward(
        x: FlexTensor,
        frequencies: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
        output: FlexTensor,
        gradient: FlexTensor,
    ) -> (FlexTensor, FlexTensor, FlexTensor, FlexTensor) {
        let of = [x, frequencies, weight, bias, output, gradient];
        match of[0].dtype() {
            DType::F64 => embedding_gradients::<f64>(of),
            _ => embedding_gradients::<f32>(of),
        }
    }
}

/// The references with rows of zeros, up to a whole number of vectors.
fn with_padding<T: KernelElement>(references: &FlexTensor) -> FlexTensor {
    let [m, k] = [references.layout().shape()[0], width(references)];
    let padded = m.next_multiple_of(PADDING);
    if padded == m {
        return references.clone();
    }
    let mut all = Vec::with_capacity(padded * k);
    all.extend_from_slice(values::<T>(references));
    all.resize(padded * k, T::ZERO);
    tensor(all, [padded, k])
}

/// What the rows of distances are about.
fn softmax<T: KernelElement>(
    [queries, references, of_values]: [&FlexTensor; 3],
    own: Option<usize>,
) -> SoftmaxRows<T> {
    let points = (values::<T>(queries), values::<T>(references), width(queries));
    SoftmaxRows::new(points, (values::<T>(of_values), width(of_values)), own)
}

/// See [`Layers::euclidean_mean`].
fn means<T: KernelElement>(
    all: [FlexTensor; 3],
    own: Option<usize>,
) -> (FlexTensor, FlexTensor, FlexTensor) {
    let all = all.map(|tensor| tensor.to_contiguous());
    let of = softmax::<T>(all.each_ref(), own);
    let [queries, references, of_values] = all;
    let [b, c] = [queries.layout().shape()[0], width(&of_values)];
    let references = Flex::float_transpose(with_padding::<T>(&references));
    let mut distances = Flex::float_matmul(queries, references);
    let (means, rows) = of.means(distances.storage_mut::<T>());
    (tensor(means, [b, c]), distances, tensor(rows, [2, b]))
}

/// See [`Layers::euclidean_mean_backward`].
fn mean_gradients<T: KernelElement>(
    all: [FlexTensor; 6],
    mut distances: FlexTensor,
    own: Option<usize>,
) -> (FlexTensor, FlexTensor) {
    let [queries, references, of_values, means, rows, gradient] =
        all.map(|tensor| tensor.to_contiguous());
    let of = softmax::<T>([&queries, &references, &of_values], own);
    let numbers = (values::<T>(&means), values::<T>(&gradient));
    let [of_rows, of_columns] =
        of.slopes(distances.storage_mut::<T>(), values::<T>(&rows), numbers);
    let slopes = distances;
    let from_queries = Flex::float_matmul(slopes.clone(), with_padding::<T>(&references));
    let from_references = Flex::float_matmul(Flex::float_transpose(slopes), queries.clone());
    (
        less_sums::<T>(&of_rows, &queries, from_queries),
        less_sums::<T>(&of_columns, &references, from_references),
    )
}

/// `s_i x_i - y_i` of each row of x, `[n, k]`; y may have more.
fn less_sums<T: KernelElement>(sums: &[T], points: &FlexTensor, others: FlexTensor) -> FlexTensor {
    let (points, k) = (values::<T>(points), width(points));
    let rows = points.chunks_exact(k.max(1)).zip(values::<T>(&others).chunks_exact(k.max(1)));
    let mut all = Vec::with_capacity(points.len());
    for (&sum, (x, y)) in sums.iter().zip(rows) {
        all.extend(x.iter().zip(y).map(|(&x, &y)| sum * x - y));
    }
    tensor(all, [sums.len(), k])
}

/// d, m, e.
fn sizes(all: &[FlexTensor]) -> [usize; 3] {
    [width(&all[0]), width(&all[1]), width(&all[2])]
}

/// See [`Layers::periodic`].
fn embedding<T: KernelElement>(all: [FlexTensor; 4]) -> FlexTensor {
    let (rows, sizes) = (all[0].layout().shape()[0], sizes(&all));
    let all = all.map(|tensor| tensor.to_contiguous());
    let [x, frequencies, weight, bias] = all.each_ref().map(values::<T>);
    let [d, _, e] = sizes;
    tensor(Periodic { x, frequencies, weight, bias, sizes }.embed(), [rows, d * e])
}

/// See [`Layers::periodic_backward`].
fn embedding_gradients<T: KernelElement>(
    all: [FlexTensor; 6],
) -> (FlexTensor, FlexTensor, FlexTensor, FlexTensor) {
    let (rows, sizes) = (all[0].layout().shape()[0], sizes(&all));
    let all = all.map(|tensor| tensor.to_contiguous());
    let [x, frequencies, weight, bias, output, gradient] = all.each_ref().map(values::<T>);
    let of = Periodic { x, frequencies, weight, bias, sizes };
    let [of_x, of_frequencies, of_weight, of_bias] = of.gradients(output, gradient);
    let [d, m, e] = sizes;
    (
        tensor(of_x, [rows, d]),
        tensor(of_frequencies, [d, m]),
        tensor(of_weight, [2 * m, e]),
        FlexTensor::from_data(TensorData::new(of_bias, [e])),
    )
}
