//! An encoder's forward and backward pass a chunk of rows at a time.

use core::ops::Range;

use burn::optim::GradientsParams;
use burn::tensor::Tensor;

use super::gradients::add_gradients;
use crate::encoder::Encoder;

/// The embedding, `chunk` rows at a time.
pub(super) fn embed<E: Encoder>(encoder: &E, x: &Tensor<2>, chunk: usize) -> Tensor<2> {
    let mut parts: Vec<Tensor<2>> =
        chunks(x, chunk).map(|rows| encoder.forward(x.clone().slice([rows]))).collect();
    if parts.len() == 1 { parts.remove(0) } else { Tensor::cat(parts, 0) }
}

/// Adds the gradient of the encoder's parameters, from the gradient of the embedding.
pub(super) fn backward_through<E: Encoder>(
    encoder: &E,
    x: &Tensor<2>,
    dz: &Tensor<2>,
    chunk: usize,
    gradients: &mut GradientsParams,
) {
    for rows in chunks(x, chunk) {
        let z = encoder.forward(x.clone().slice([rows.clone()]).autodiff());
        let surrogate = (z * dz.clone().slice([rows])).sum();
        let mut part = GradientsParams::from_grads(surrogate.backward(), encoder);
        add_gradients(encoder, gradients, &mut part);
    }
}

fn chunks(x: &Tensor<2>, chunk: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let [n, _] = x.dims();
    (0..n).step_by(chunk).map(move |start| start..(start + chunk).min(n))
}
