//! All digits through the encoder, and embeddings as NumPy files.

use std::path::Path;

use anyhow::Result;
use burn::module::Module;
use burn::tensor::{Tensor, TensorData};
use burn_nca_data::{Matrix, npy_file};
use burn_nca_learn::fit::parallel;
use burn_nca_program::write_file;

use crate::digits::{Centering, Digits, PIXELS};
use crate::encoder::Network;

/// Digits encoded together by a thread.
const CHUNK: usize = 500;

/// The embedding `[n, k]` of all digits, without gradients.
pub fn embed(network: &Network, digits: &Digits, centering: &Centering) -> Tensor<2> {
    let network = network.valid();
    let device = network.devices().remove(0);
    parallel::embed(&network, digits.len(), CHUNK, |rows| {
        let shape = [rows.len(), PIXELS];
        Tensor::from_data(TensorData::new(centering.features(digits, rows), shape), &device)
    })
}

/// The values of an embedding on the host, row-major.
///
/// # Errors
/// A device that cannot be read back.
pub fn values(embedding: &Tensor<2>) -> Result<Vec<f32>> {
    Ok(embedding.clone().into_data().convert::<f32>().try_to_vec::<f32>()?)
}

/// Writes an embedding as a NumPy array of 32-bit floats, by an atomic write.
///
/// # Errors
/// A folder that cannot be written to.
pub fn write_npy(path: &Path, embedding: &Tensor<2>) -> Result<()> {
    let matrix = Matrix::F32 { values: values(embedding)?, columns: embedding.dims()[1] };
    write_file(path, &npy_file(&matrix))
}
