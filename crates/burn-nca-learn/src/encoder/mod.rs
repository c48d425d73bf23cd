//! Stage 2: encoders. Those of `burn-nca` and `burn-nca-deep`, [`AnyEncoder`] to choose among them at run time, and forms
//! that a method learns in: what a [`TriangularMap`] or [`FeatureWeights`] learned is kept as a [`LinearMap`] or a
//! [`DiagonalMap`].

mod any;
mod exchange;
mod feature_weights;
mod triangular;

pub(crate) use any::MOST_PARAMETERS;
pub use any::{AnyEncoder, EncoderConfig};
pub use burn_nca::encoder::*;
pub(crate) use burn_nca::internal::load_record;
pub use burn_nca_deep::encoder::*;
pub(crate) use exchange::write_safetensors;
pub use exchange::{load_weights, save_safetensors};
pub use feature_weights::FeatureWeights;
pub use triangular::TriangularMap;

use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::tensor::Tensor;
use burn_nca::internal::panic_message;

use crate::error::{Error, Result, shortened};

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

/// The number of dimensions that an encoder embeds these few rows in, `[n, d]`.
///
/// # Errors
/// An encoder that takes another number of features, by its word or by the panic of its first layer, or that does not
/// embed each row. The message of that panic is on stderr, too, where the program that calls has not seen to that.
pub(crate) fn output_width<E: Encoder>(encoder: &E, few: Tensor<2>) -> Result<usize> {
    let [rows, d] = few.dims();
    if let Some(d_input) = encoder.d_input().filter(|&d_input| d_input != d) {
        return Err(Error::setting(format!(
            "the encoder takes {d_input} features, but the data have {d}; give an encoder of {d} features"
        )));
    }
    // A module that does not say how many features it takes panics inside Burn where they are others: better here, once,
    // than from every batch. Nothing of it is used after that.
    let embedded = catch_unwind(AssertUnwindSafe(|| encoder.forward(few).dims()));
    let [embedded, width] = embedded.map_err(|panic| {
        let words: Vec<&str> = panic_message(&*panic).split_whitespace().collect();
        Error::setting(format!(
            "the encoder panics on {rows} rows of {d} features, as the data have them ({}); give an encoder of {d} features",
            shortened(&words.join(" "))
        ))
    })?;
    if embedded != rows {
        return Err(Error::setting(format!(
            "the encoder turns {rows} rows into {embedded}; an encoder embeds each row, [n, d] to [n, k]"
        )));
    }
    Ok(width)
}
