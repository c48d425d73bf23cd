//! All digits through the encoder, and embeddings as NumPy files.

use std::path::Path;

use anyhow::Result;
use burn::module::Module;
use burn::tensor::{Tensor, TensorData};
use burn_nca::encoder::Encoder;
use burn_nca_program::write_file;
use npyz::WriterBuilder;
use rayon::prelude::*;

use crate::digits::{Centring, Digits, PIXELS};
use crate::encoder::Network;

/// Digits encoded together by a thread.
const PART: usize = 500;

/// The embedding `[n, k]` of all digits, without gradients.
pub fn embed(network: &Network, digits: &Digits, centring: &Centring) -> Tensor<2> {
    let network = network.valid();
    let starts: Vec<(Network, usize)> =
        (0..digits.len()).step_by(PART).map(|start| (network.clone(), start)).collect();
    let parts: Vec<Tensor<2>> = starts
        .into_par_iter()
        .map(|(network, start)| {
            let rows = start..(start + PART).min(digits.len());
            let shape = [rows.len(), PIXELS];
            let features = TensorData::new(centring.features(digits, rows), shape);
            network.forward(Tensor::from_data(features, &network.devices()[0]))
        })
        .collect();
    Tensor::cat(parts, 0)
}

/// The values of an embedding on the host, row-major.
///
/// # Errors
/// A device that cannot be read back.
pub fn values(embedding: &Tensor<2>) -> Result<Vec<f32>> {
    Ok(embedding.clone().into_data().convert::<f32>().try_to_vec::<f32>()?)
}

/// Writes an embedding as a NumPy array of 32-bit floats, whole or not at all.
///
/// # Errors
/// A folder that cannot be written to.
pub fn write_npy(path: &Path, embedding: &Tensor<2>) -> Result<()> {
    let shape = embedding.dims().map(|size| size as u64);
    let mut bytes = Vec::new();
    let options = npyz::WriteOptions::new().default_dtype().shape(&shape);
    let mut writer = options.writer(&mut bytes).begin_nd()?;
    writer.extend(values(embedding)?)?;
    writer.finish()?;
    write_file(path, &bytes)
}
