//! Embeddings in f64: what f, g, p and perplexity are computed from, whatever the precision of the fit; but for a sample of
//! rows by a rule of the model's own, which has the references as it predicts by them.

use anyhow::Result;
use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, TensorFeatures};
use burn_nca_learn::device;
use burn_nca_learn::encoder::{Encoder, cast};

/// Rows embedded at a time: a network's hidden layers need memory for each.
const CHUNK: usize = 2048;

/// Where numbers about an embedding are computed: the host in f64, else `device` in its f32.
pub fn resolve_device(device: &Device) -> (Device, DType) {
    match device::host() {
        Some(host) => (host, DType::F64),
        None => (device.clone(), DType::F32),
    }
}

/// The embedding `[n, k]` of features on the model's scale, its arithmetic in f64 from the model's weights on.
///
/// In a build without a CPU backend, the model's own embedding.
pub fn embed(model: &Fitted, scaled: &Features) -> Result<Tensor<2>> {
    let (host, dtype) = resolve_device(&model.references().device());
    if dtype != DType::F64 {
        return Ok(model.transform_scaled(scaled)?);
    }
    model.scaling().check_columns(scaled.names())?;
    let encoder = cast(model.encoder.valid().to_device(&host), dtype);
    let rows: Vec<usize> = (0..scaled.rows()).collect();
    let parts =
        rows.chunks(CHUNK).map(|rows| encoder.forward(scaled.rows_to_tensor(rows, &host, dtype)));
    Ok(Tensor::cat(parts.collect(), 0))
}
