//! An encoder's forward and backward pass a chunk of rows at a time.

use burn::optim::GradientsParams;
use burn::tensor::Tensor;

use super::gradients::add_gradients;
use crate::encoder::Encoder;
use crate::sums::cut;

pub(crate) fn embed<E: Encoder>(encoder: &E, x: &Tensor<2>, chunk: usize) -> Tensor<2> {
    let [n, _] = x.dims();
    let part = |rows| encoder.forward(x.clone().slice([rows]));
    joined(cut(0..n, chunk).into_iter().map(part).collect())
}

/// The rows of several parts under each other.
pub(super) fn joined(mut parts: Vec<Tensor<2>>) -> Tensor<2> {
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
    let [n, _] = x.dims();
    for rows in cut(0..n, chunk) {
        let z = encoder.forward(x.clone().slice([rows.clone()]).autodiff());
        add_gradients(encoder, gradients, pulled_back(encoder, z, dz.clone().slice([rows])));
    }
}

/// The gradient of the encoder's parameters by the surrogate `<z, dz>`; none for an encoder that is frozen.
pub(super) fn pulled_back<E: Encoder>(encoder: &E, z: Tensor<2>, dz: Tensor<2>) -> GradientsParams {
    let surrogate = (z * dz).sum();
    if !surrogate.is_tracked() {
        return GradientsParams::new();
    }
    GradientsParams::from_grads(surrogate.backward(), encoder)
}
