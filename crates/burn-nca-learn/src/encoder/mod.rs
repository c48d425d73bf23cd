//! Stage 2: encoders. Those of `burn-nca` and `burn-nca-deep`, [`AnyEncoder`] to choose among them at run time, and forms
//! that a method learns in: what a [`TriangularMap`] or [`FeatureWeights`] learned is kept as a [`LinearMap`] or a
//! [`DiagonalMap`].

mod any;
mod exchange;
mod feature_weights;
mod probe;
mod triangular;

pub(crate) use any::MOST_PARAMETERS;
pub use any::{AnyEncoder, EncoderConfig};
pub use burn_nca::encoder::*;
pub(crate) use burn_nca::internal::load_record;
pub use burn_nca_deep::encoder::*;
pub(crate) use exchange::pytorch_file;
pub use exchange::{load_weights, save_safetensors};
pub use feature_weights::FeatureWeights;
pub(crate) use probe::output_width;
pub use triangular::TriangularMap;

/// The matrix of a linear or a diagonal map, row-major `[k, d]`; a network has none.
pub(crate) fn matrix_of(encoder: &AnyEncoder) -> Option<Vec<f64>> {
    match encoder {
        AnyEncoder::Linear(map) => Some(map.matrix()),
        AnyEncoder::Diagonal(map) => {
            let diagonal = map.diagonal();
            let d = diagonal.len();
            let mut matrix = vec![0.0; d * d];
            diagonal.iter().enumerate().for_each(|(i, a)| matrix[i * d + i] = *a);
            Some(matrix)
        }
        AnyEncoder::Mlp(_) | AnyEncoder::Modern(_) => None,
    }
}
