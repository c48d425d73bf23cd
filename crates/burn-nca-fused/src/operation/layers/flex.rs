//! The operations on Burn's CPU backend `flex`, in f32 and f64.

use core::ops::Range;

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;
use faer::traits::ComplexField;

use super::{LayerGradients, Layers};
use crate::Hidden;
use crate::batch_norm::BatchNorm;
use crate::linear::Linear;
use crate::operation::flex_tensor::{KernelElement, tensor, values, width, with_numbers_of};
use crate::periodic::Periodic;
use crate::softmax_rows::{RowMeans, SoftmaxRows};

/// Numbers that the library of products knows.
trait LayerElement: KernelElement + ComplexField {}
impl<T: KernelElement + ComplexField> LayerElement for T {}

impl Layers for Flex {
    fn euclidean_mean(
        queries: FlexTensor,
        references: FlexTensor,
        values: FlexTensor,
    ) -> FlexTensor {
        with_numbers_of!(queries, means([queries, references, values]))
    }

    fn euclidean_row_mean(
        points: FlexTensor,
        values: FlexTensor,
        rows: Range<usize>,
        keeps_pairs: bool,
    ) -> (FlexTensor, FlexTensor, FlexTensor) {
        with_numbers_of!(points, row_means([points, values], &rows, keeps_pairs))
    }

    fn add_row_mean_gradient(
        so_far: FlexTensor,
        points: FlexTensor,
        values: FlexTensor,
        means: FlexTensor,
        sums: FlexTensor,
        pairs: FlexTensor,
        gradient: FlexTensor,
        rows: Range<usize>,
    ) -> FlexTensor {
        let of = [points, values, means, sums, pairs, gradient];
        with_numbers_of!(so_far, row_mean_gradient(so_far, of, &rows))
    }

    fn with_gradient(value: FlexTensor, points: FlexTensor, gradient: FlexTensor) -> FlexTensor {
        value
    }

    fn periodic(
        x: FlexTensor,
        frequencies: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
    ) -> FlexTensor {
        with_numbers_of!(x, embedding([x, frequencies, weight, bias]))
    }

    fn dense(
        x: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
        hidden: Option<Hidden>,
    ) -> FlexTensor {
        with_numbers_of!(x, layer([x, weight, bias], hidden.as_ref()))
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
    fn scaled(tensor: FlexTensor, by: FlexTensor) -> FlexTensor {
        with_numbers_of!(by, product(tensor, &by))
    }

    fn periodic_gradients(of: [FlexTensor; 5], gradient: FlexTensor) -> [FlexTensor; 4] {
        with_numbers_of!(gradient, embedding_gradients(of, gradient))
    }

    fn dense_gradients(
        of: [FlexTensor; 3],
        gradient: FlexTensor,
        hidden: Option<Hidden>,
    ) -> [FlexTensor; 3] {
        with_numbers_of!(gradient, layer_gradients(of, gradient, hidden.as_ref()))
    }

    fn normalize_gradients(
        of: [FlexTensor; 4],
        gradient: FlexTensor,
        epsilon: f64,
    ) -> [FlexTensor; 3] {
        with_numbers_of!(gradient, normalized_gradients(of, gradient, epsilon))
    }
}

fn means<T: LayerElement>([queries, references, of_values]: [FlexTensor; 3]) -> FlexTensor {
    let [queries, references, of_values] = [queries, references, of_values].map(contiguous);
    let points = (values::<T>(&queries), values::<T>(&references), width(&queries));
    let c = width(&of_values);
    let of = SoftmaxRows::new(points, (values::<T>(&of_values), c), None);
    tensor(of.means(false).means, [queries.layout().shape()[0], c])
}

/// Some points among all.
fn of_rows<'a, T: LayerElement>(
    points: &'a FlexTensor,
    of_values: &FlexTensor,
    rows: &Range<usize>,
) -> SoftmaxRows<'a, T> {
    let (all, k) = (values::<T>(points), width(points));
    let some = &all[rows.start * k..rows.end * k];
    SoftmaxRows::new((some, all, k), (values(of_values), width(of_values)), Some(rows.start))
}

fn row_means<T: LayerElement>(
    [points, of_values]: [FlexTensor; 2],
    rows: &Range<usize>,
    keeps_pairs: bool,
) -> (FlexTensor, FlexTensor, FlexTensor) {
    let [points, of_values] = [points, of_values].map(contiguous);
    let of = of_rows::<T>(&points, &of_values, rows);
    let (RowMeans { means, sums, pairs }, b) = (of.means(keeps_pairs), rows.len());
    let widths = [width(&of_values), of.sums_of_row(keeps_pairs), pairs.len() / b.max(1)];
    let [means, sums, pairs] =
        [(means, 0), (sums, 1), (pairs, 2)].map(|(numbers, at)| tensor(numbers, [b, widths[at]]));
    (means, sums, pairs)
}

fn row_mean_gradient<T: LayerElement>(
    mut so_far: FlexTensor,
    of: [FlexTensor; 6],
    rows: &Range<usize>,
) -> FlexTensor {
    let [points, of_values, means, sums, pairs, gradient] = of.map(contiguous);
    let of = of_rows::<T>(&points, &of_values, rows);
    let numbers = [values(&sums), values(&means), values(&gradient)];
    let to = so_far.storage_mut::<T>();
    let of_queries = of.add_gradients(values(&pairs), numbers, to);
    let to = &mut to[rows.start * width(&points)..];
    to.iter_mut().zip(of_queries).for_each(|(to, x)| *to += x);
    so_far
}

fn product<T: LayerElement>(mut tensor: FlexTensor, by: &FlexTensor) -> FlexTensor {
    let by = values::<T>(by)[0];
    tensor.storage_mut::<T>().iter_mut().for_each(|x| *x *= by);
    tensor
}

fn contiguous(tensor: FlexTensor) -> FlexTensor {
    tensor.to_contiguous()
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

fn layer<T: LayerElement>(all: [FlexTensor; 3], hidden: Option<&Hidden>) -> FlexTensor {
    let [x, weight, bias] = all.map(contiguous);
    let (rows, sizes) = (x.layout().shape()[0], [width(&x), width(&weight)]);
    let of = Linear { x: values::<T>(&x), weight: values(&weight), sizes, hidden };
    tensor(of.forward(values(&bias)), [rows, sizes[1]])
}

fn layer_gradients<T: LayerElement>(
    of: [FlexTensor; 3],
    gradient: FlexTensor,
    hidden: Option<&Hidden>,
) -> [FlexTensor; 3] {
    let ([x, weight, output], gradient) = (of.map(contiguous), contiguous(gradient));
    let (rows, sizes) = (x.layout().shape()[0], [width(&x), width(&weight)]);
    let of = Linear { x: values::<T>(&x), weight: values(&weight), sizes, hidden };
    let [of_x, of_weight, of_bias] = of.gradients(values(&output), values(&gradient));
    [tensor(of_x, [rows, sizes[0]]), tensor(of_weight, sizes), line(of_bias)]
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
