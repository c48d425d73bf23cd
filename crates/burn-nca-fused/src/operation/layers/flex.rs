//! The operations on Burn's CPU backend `flex`, in f32 and f64.

use core::ops::Range;

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::tensor::TensorData;

use super::{LayerGradients, Layers};
use crate::batch_norm::BatchNorm;
use crate::operation::flex_tensor::{KernelElement, tensor, values, width, with_numbers_of};
use crate::panel::PADDING;
use crate::periodic::Periodic;
use crate::softmax_rows::SoftmaxRows;

impl Layers for Flex {
    fn euclidean_mean(
        queries: FlexTensor,
        references: FlexTensor,
        values: FlexTensor,
        own: Option<usize>,
    ) -> (FlexTensor, FlexTensor) {
        with_numbers_of!(queries, means([queries, references, values], own))
    }

    fn periodic(
        x: FlexTensor,
        frequencies: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
    ) -> FlexTensor {
        with_numbers_of!(x, embedding([x, frequencies, weight, bias]))
    }

    fn normalize(
        x: FlexTensor,
        gamma: FlexTensor,
        beta: FlexTensor,
        epsilon: f64,
    ) -> (FlexTensor, FlexTensor, FlexTensor) {
        with_numbers_of!(x, normalized([x, gamma, beta], epsilon))
    }
}

impl LayerGradients for Flex {
    fn euclidean_mean_gradients(
        of: [FlexTensor; 5],
        gradient: FlexTensor,
        own: Option<usize>,
    ) -> [FlexTensor; 2] {
        with_numbers_of!(gradient, mean_gradients(of, gradient, own))
    }

    fn periodic_gradients(of: [FlexTensor; 5], gradient: FlexTensor) -> [FlexTensor; 4] {
        with_numbers_of!(gradient, embedding_gradients(of, gradient))
    }

    fn normalize_gradients(
        of: [FlexTensor; 4],
        gradient: FlexTensor,
        epsilon: f64,
    ) -> [FlexTensor; 3] {
        with_numbers_of!(gradient, normalized_gradients(of, gradient, epsilon))
    }
}

/// What the rows of distances are about.
fn softmax<T: KernelElement>(
    [queries, references, of_values]: [&FlexTensor; 3],
    own: Option<usize>,
) -> SoftmaxRows<T> {
    let points = (values::<T>(queries), values::<T>(references), width(queries));
    SoftmaxRows::new(points, (values::<T>(of_values), width(of_values)), own)
}

/// Queries and references whose products are in memory at once, which the cache holds.
const BLOCK: [usize; 2] = [1024, 1024];

/// Rows of points `[n, k]`, so many at a time, with rows of zeros behind up to a multiple of `padding`.
fn blocks<T: KernelElement>(
    points: &FlexTensor,
    rows: usize,
    padding: usize,
) -> impl Iterator<Item = (Range<usize>, FlexTensor)> {
    let (n, k) = (points.layout().shape()[0], width(points));
    (0..n).step_by(rows).map(move |first| {
        let some = first..n.min(first + rows);
        let padded = some.len().next_multiple_of(padding);
        let mut part = Vec::with_capacity(padded * k);
        part.extend_from_slice(&values::<T>(points)[some.start * k..some.end * k]);
        part.resize(padded * k, T::ZERO);
        (some, tensor(part, [padded, k]))
    })
}

fn means<T: KernelElement>(all: [FlexTensor; 3], own: Option<usize>) -> (FlexTensor, FlexTensor) {
    let all = all.map(|tensor| tensor.to_contiguous());
    let of = softmax::<T>(all.each_ref(), own);
    let [queries, references, of_values] = all;
    let [b, c] = [queries.layout().shape()[0], width(&of_values)];
    let (mut means, mut sums) = (vec![T::ZERO; b * c], vec![[T::INFINITY, T::ZERO]; b]);
    for (some, block) in blocks::<T>(&queries, BLOCK[0], 1) {
        let means = &mut means[some.start * c..some.end * c];
        let sums = &mut sums[some.clone()];
        for (near, part) in blocks::<T>(&references, BLOCK[1], PADDING) {
            let mut products = Flex::float_matmul(block.clone(), Flex::float_transpose(part));
            of.add([some.clone(), near], products.storage_mut::<T>(), means, sums);
        }
        of.divide(means, sums);
    }
    (tensor(means, [b, c]), tensor(sums.into_flattened(), [b, 2]))
}

fn mean_gradients<T: KernelElement>(
    of: [FlexTensor; 5],
    gradient: FlexTensor,
    own: Option<usize>,
) -> [FlexTensor; 2] {
    let [queries, references, of_values, means, sums] = of.map(|tensor| tensor.to_contiguous());
    let gradient = gradient.to_contiguous();
    let of = softmax::<T>([&queries, &references, &of_values], own);
    let ([b, k], c) = ([queries.layout().shape()[0], width(&queries)], width(&means));
    let m = references.layout().shape()[0];
    let numbers = [(&sums, 2), (&means, c), (&gradient, c)];
    let [mut of_queries, mut of_references] = [b, m].map(|rows| vec![T::ZERO; rows * k]);
    for (some, block) in blocks::<T>(&queries, BLOCK[0], 1) {
        let numbers = numbers.map(|(tensor, width)| &values::<T>(tensor)[some.start * width..]);
        let of_block = &mut of_queries[some.start * k..some.end * k];
        let mut of_rows = vec![T::ZERO; some.len()];
        for (near, part) in blocks::<T>(&references, BLOCK[1], PADDING) {
            let mut slopes = Flex::float_matmul(block.clone(), Flex::float_transpose(part.clone()));
            let of_part = &mut of_references[near.start * k..near.end * k];
            let spans = [some.clone(), near];
            let of_columns = of.slopes(spans, slopes.storage_mut::<T>(), numbers, &mut of_rows);
            let from_part = Flex::float_matmul(slopes.clone(), part.clone());
            subtract(of_block, values::<T>(&from_part));
            let from_block = Flex::float_matmul(Flex::float_transpose(slopes), block.clone());
            subtract(of_part, values::<T>(&from_block));
            add_times(of_part, &of_columns, values::<T>(&part), k);
        }
        add_times(of_block, &of_rows, values::<T>(&block), k);
    }
    [tensor(of_queries, [b, k]), tensor(of_references, [m, k])]
}

/// Subtracts as many numbers as there are; the others may be more.
fn subtract<T: KernelElement>(from: &mut [T], others: &[T]) {
    from.iter_mut().zip(others).for_each(|(x, &y)| *x = *x - y);
}

/// Adds `s_i x_i` to each row; the sums and points may be more.
fn add_times<T: KernelElement>(to: &mut [T], sums: &[T], points: &[T], k: usize) {
    let rows = to.chunks_exact_mut(k.max(1)).zip(points.chunks_exact(k.max(1)));
    for ((to, x), &sum) in rows.zip(sums) {
        to.iter_mut().zip(x).for_each(|(to, &x)| *to = *to + sum * x);
    }
}

/// The layer with sizes d, m, e, and its number of rows.
fn periodic<T: KernelElement>(of: [&FlexTensor; 4]) -> (Periodic<'_, T>, usize) {
    let sizes = [width(of[0]), width(of[1]), width(of[2])];
    let rows = of[0].layout().shape()[0];
    let [x, frequencies, weight, bias] = of.map(values::<T>);
    (Periodic { x, frequencies, weight, bias, sizes }, rows)
}

fn embedding<T: KernelElement>(all: [FlexTensor; 4]) -> FlexTensor {
    let all = all.map(|tensor| tensor.to_contiguous());
    let (of, rows) = periodic::<T>(all.each_ref());
    let [d, _, e] = of.sizes;
    tensor(of.embed(), [rows, d * e])
}

fn embedding_gradients<T: KernelElement>(
    of: [FlexTensor; 5],
    gradient: FlexTensor,
) -> [FlexTensor; 4] {
    let gradient = gradient.to_contiguous();
    let [x, frequencies, weight, bias, output] = of.map(|tensor| tensor.to_contiguous());
    let (of, rows) = periodic::<T>([&x, &frequencies, &weight, &bias]);
    let [of_x, of_frequencies, of_weight, of_bias] =
        of.gradients(values(&output), values(&gradient));
    let [d, m, e] = of.sizes;
    [
        tensor(of_x, [rows, d]),
        tensor(of_frequencies, [d, m]),
        tensor(of_weight, [2 * m, e]),
        line(of_bias),
    ]
}

/// The numbers as a tensor of one dimension.
fn line<T: KernelElement>(values: Vec<T>) -> FlexTensor {
    let size = values.len();
    FlexTensor::from_data(TensorData::new(values, [size]))
}

fn normalized<T: KernelElement>(
    all: [FlexTensor; 3],
    epsilon: f64,
) -> (FlexTensor, FlexTensor, FlexTensor) {
    let shape = [all[0].layout().shape()[0], width(&all[0])];
    let [x, gamma, beta] = all.map(|tensor| tensor.to_contiguous());
    let of = BatchNorm { x: values::<T>(&x), gamma: values(&gamma), epsilon };
    let [output, mean, variance] = of.normalize(values(&beta));
    (tensor(output, shape), line(mean), line(variance))
}

fn normalized_gradients<T: KernelElement>(
    of: [FlexTensor; 4],
    gradient: FlexTensor,
    epsilon: f64,
) -> [FlexTensor; 3] {
    let shape = [gradient.layout().shape()[0], width(&gradient)];
    let gradient = gradient.to_contiguous();
    let [x, gamma, mean, variance] = of.map(|tensor| tensor.to_contiguous());
    let of = BatchNorm { x: values::<T>(&x), gamma: values(&gamma), epsilon };
    let [of_x, of_gamma, of_beta] =
        of.gradients([values(&mean), values(&variance)], values(&gradient));
    [tensor(of_x, shape), line(of_gamma), line(of_beta)]
}
