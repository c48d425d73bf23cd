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

/// Rows of a block of queries: its products with all references are in memory at once.
const BLOCK: usize = 128;

/// The blocks of rows `[b, k]`.
fn blocks(rows: &FlexTensor) -> impl Iterator<Item = (Range<usize>, FlexTensor)> {
    let b = rows.layout().shape()[0];
    (0..b).step_by(BLOCK).map(move |first| {
        let some = first..b.min(first + BLOCK);
        (some.clone(), rows.narrow(0, first, some.len()).to_contiguous())
    })
}

/// See [`Layers::euclidean_mean`].
fn means<T: KernelElement>(all: [FlexTensor; 3], own: Option<usize>) -> (FlexTensor, FlexTensor) {
    let all = all.map(|tensor| tensor.to_contiguous());
    let of = softmax::<T>(all.each_ref(), own);
    let [queries, references, of_values] = all;
    let [b, c] = [queries.layout().shape()[0], width(&of_values)];
    let references = Flex::float_transpose(with_padding::<T>(&references));
    let (mut means, mut sums) = (Vec::with_capacity(b * c), Vec::with_capacity(2 * b));
    for (some, block) in blocks(&queries) {
        let mut products = Flex::float_matmul(block, references.clone());
        let (of_block, sums_of_block) = of.means(some, products.storage_mut::<T>());
        means.extend(of_block);
        sums.extend(sums_of_block.into_iter().flatten());
    }
    (tensor(means, [b, c]), tensor(sums, [b, 2]))
}

/// See [`LayerGradients::euclidean_mean_gradients`].
fn mean_gradients<T: KernelElement>(
    of: [FlexTensor; 5],
    gradient: FlexTensor,
    own: Option<usize>,
) -> [FlexTensor; 2] {
    let [queries, references, of_values, means, sums] = of.map(|tensor| tensor.to_contiguous());
    let gradient = gradient.to_contiguous();
    let of = softmax::<T>([&queries, &references, &of_values], own);
    let ([b, k], c) = ([queries.layout().shape()[0], width(&queries)], width(&means));
    let numbers = [(&sums, 2), (&means, c), (&gradient, c)];
    let padded = with_padding::<T>(&references);
    let [m, stride] = [&references, &padded].map(|rows| rows.layout().shape()[0]);
    let transposed = Flex::float_transpose(padded.clone());
    let (mut of_queries, mut of_columns) = (Vec::with_capacity(b * k), vec![T::ZERO; stride]);
    let mut from_queries = tensor(vec![T::ZERO; stride * k], [stride, k]);
    for (some, block) in blocks(&queries) {
        let mut slopes = Flex::float_matmul(block.clone(), transposed.clone());
        let numbers = numbers.map(|(tensor, width)| &values::<T>(tensor)[some.start * width..]);
        let of_rows = of.slopes(some, slopes.storage_mut::<T>(), numbers, &mut of_columns);
        let from_references = Flex::float_matmul(slopes.clone(), padded.clone());
        of_queries.extend(less_sums::<T>(&of_rows, &block, &from_references));
        let from_block = Flex::float_matmul(Flex::float_transpose(slopes), block);
        from_queries = Flex::float_add(from_queries, from_block);
    }
    let of_references = less_sums::<T>(&of_columns[..m], &references, &from_queries);
    [tensor(of_queries, [b, k]), tensor(of_references, [m, k])]
}

/// `s_i x_i - y_i` of each row of x, `[n, k]`; y may have more.
fn less_sums<T: KernelElement>(sums: &[T], points: &FlexTensor, others: &FlexTensor) -> Vec<T> {
    let (points, k) = (values::<T>(points), width(points));
    let rows = points.chunks_exact(k.max(1)).zip(values::<T>(others).chunks_exact(k.max(1)));
    let mut all = Vec::with_capacity(points.len());
    for (&sum, (x, y)) in sums.iter().zip(rows) {
        all.extend(x.iter().zip(y).map(|(&x, &y)| sum * x - y));
    }
    all
}

/// The layer with sizes d, m, e, and its number of rows.
fn periodic<T: KernelElement>(of: [&FlexTensor; 4]) -> (Periodic<'_, T>, usize) {
    let sizes = [width(of[0]), width(of[1]), width(of[2])];
    let rows = of[0].layout().shape()[0];
    let [x, frequencies, weight, bias] = of.map(values::<T>);
    (Periodic { x, frequencies, weight, bias, sizes }, rows)
}

/// See [`Layers::periodic`].
fn embedding<T: KernelElement>(all: [FlexTensor; 4]) -> FlexTensor {
    let all = all.map(|tensor| tensor.to_contiguous());
    let (of, rows) = periodic::<T>(all.each_ref());
    let [d, _, e] = of.sizes;
    tensor(of.embed(), [rows, d * e])
}

/// See [`LayerGradients::periodic_gradients`].
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

/// See [`Layers::normalize`].
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

/// See [`LayerGradients::normalize_gradients`].
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
