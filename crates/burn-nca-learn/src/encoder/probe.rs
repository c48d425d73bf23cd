//! The sizes of an encoder, found by the embedding of a few rows before anything is learned.

use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::tensor::Tensor;
use burn_nca::internal::panic_message;

use super::Encoder;
use crate::error::{Error, Result, shortened};

/// The number of dimensions that an encoder embeds these few rows in, `[n, d]`.
///
/// # Errors
/// An encoder that takes another number of features, by its word or by the panic of its first layer, or that does not
/// embed each row. The message of that panic is on stderr, too, where the program that calls has not seen to that.
pub fn output_width<E: Encoder>(encoder: &E, few: Tensor<2>) -> Result<usize> {
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
