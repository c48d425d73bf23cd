//! Embeddings and the exact gradient of a large batch, with chunks of rows side by side on the cores.
//!
//! A loss over neighbors needs all rows of its batch at once, so the batch cannot be cut into smaller ones; the
//! encoder, which sees a row at a time, can. On a GPU chunks pass one after the other.

use core::ops::Range;

use burn::tensor::Tensor;

use super::cached::{CachedGradient, loss_of_embedding};
use super::chunks::{joined, pulled_back};
use super::gradients::add_gradients;
use crate::device::{runs_on_host, side_by_side};
use crate::encoder::Encoder;
use crate::model::MetricModel;
use crate::objective::BatchLoss;
use crate::sums::cut;

/// The embedding of `rows` rows, `chunk` at a time; `features` gives those of a range of rows, `[rows, d]`, on the
/// device of the encoder.
///
/// Give an encoder without gradients (`encoder.valid()`): the graph of the others is kept.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::encoder::LinearMap;
/// use burn_nca::fit::parallel::embed;
///
/// let device = Device::flex();
/// let map = LinearMap::from_weight(&[2.0], [1, 1], &device, burn::tensor::DType::F32);
/// let z = embed(&map, 5, 2, |rows| {
///     let values: Vec<f32> = rows.map(|row| row as f32).collect();
///     Tensor::<1>::from_floats(values.as_slice(), &device).unsqueeze_dim(1)
/// });
/// assert_eq!(z.into_data().try_to_vec::<f32>()?, [0.0, 2.0, 4.0, 6.0, 8.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If `rows` or `chunk` is 0.
pub fn embed<E: Encoder>(
    encoder: &E,
    rows: usize,
    chunk: usize,
    features: impl Fn(Range<usize>) -> Tensor<2> + Sync,
) -> Tensor<2> {
    assert!(rows > 0 && chunk > 0, "an embedding and a chunk have at least one row");
    let on_host = encoder.devices().first().is_none_or(runs_on_host);
    // Modules are not shared between threads, so each chunk takes a clone.
    let parts: Vec<(E, Range<usize>)> =
        cut(0..rows, chunk).into_iter().map(|range| (encoder.clone(), range)).collect();
    joined(side_by_side(parts, on_host, |(encoder, range)| encoder.forward(features(range))))
}

/// The loss of a batch and its gradient, with chunks of rows side by side through the encoder.
///
/// ```text
/// z_chunk = f(x_chunk), each with a graph;  D = dL(Z)/dZ;  dL/dw = Σ_chunks d<z_chunk, D_chunk>/dw
/// ```
/// The gradient of the whole batch by the chain rule, as that of
/// [`cached::value_and_gradient`](super::cached::value_and_gradient), in one forward pass instead of two and on all
/// cores; for that, the activations of all chunks are kept at once. The sum over chunks has one order, so a result
/// does not depend on the number of cores. Layers that look at the other rows of a chunk (batch normalization)
/// give another function than on the whole batch: freeze them, or do without chunks.
///
/// # Shapes
/// - x: `[n, d]`; the model must live on an autodiff device
///
/// # Panics
/// If `chunk` is 0, or the model is not on an autodiff device.
pub fn value_and_gradient<E: Encoder, L: BatchLoss>(
    model: &MetricModel<E, L>,
    x: &Tensor<2>,
    target: &L::Target,
    chunk: usize,
) -> CachedGradient {
    assert!(chunk > 0, "a chunk has at least one row, got 0");
    let x = x.clone().without_autodiff();
    let rows = || cut(0..x.dims()[0], chunk).into_iter();
    let on_host = runs_on_host(&x.device());
    // Leaves of their own: graphs that shared a leaf would wait for each other.
    let plain = model.encoder.valid();
    let parts: Vec<(E, Tensor<2>)> =
        rows().map(|range| (plain.clone().train(), x.clone().slice([range]))).collect();
    let parts: Vec<(E, Tensor<2>)> = side_by_side(parts, on_host, |(encoder, x)| {
        let z = encoder.forward(x.autodiff());
        (encoder, z)
    });
    let embedding = joined(parts.iter().map(|(_, z)| z.clone().without_autodiff()).collect());
    let (loss, dz, mut gradients) = loss_of_embedding(&model.objective, &embedding, target);
    if let Some(dz) = dz {
        let parts = parts.into_iter().zip(rows());
        let parts: Vec<(E, Tensor<2>, Tensor<2>)> =
            parts.map(|((encoder, z), range)| (encoder, z, dz.clone().slice([range]))).collect();
        let parts = side_by_side(parts, on_host, |(encoder, z, dz)| pulled_back(&encoder, z, dz));
        for part in parts {
            add_gradients(&model.encoder, &mut gradients, part);
        }
    }
    CachedGradient { loss, embedding, gradients }
}
