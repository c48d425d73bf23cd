//! The state of an interrupted run in one file: a line of JSON, then the records of encoder and optimiser.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use burn::module::Module;
use burn::optim::ModuleOptimizer;
use burn::store::ModuleRecord;
use burn::tensor::Bytes;
use burn_nca_program::write_file;
use serde::{Deserialize, Serialize};

use crate::encoder::Network;
use crate::recipe::Recipe;
use crate::training::Progress;

#[derive(Serialize, Deserialize)]
struct Header {
    recipe: Recipe,
    progress: Progress,
    encoder_bytes: usize,
    optimizer_bytes: usize,
}

/// What a run goes on from. The optimiser knows parameters by their identity, which the record keeps.
pub struct State {
    /// How far the run has come.
    pub progress: Progress,
    /// The encoder as it was.
    pub network: Network,
    /// The optimiser with its moments.
    pub optimizer: ModuleOptimizer,
}

/// Writes the state, whole or not at all.
///
/// # Errors
/// A folder that cannot be written to.
pub fn save(
    path: &Path,
    recipe: &Recipe,
    progress: &Progress,
    (network, optimizer): (&Network, &ModuleOptimizer),
) -> Result<()> {
    let encoder = network.clone().into_record().into_bytes()?;
    let optimizer = optimizer.into_bytes()?;
    let header = Header {
        recipe: recipe.clone(),
        progress: progress.clone(),
        encoder_bytes: encoder.len(),
        optimizer_bytes: optimizer.len(),
    };
    let mut bytes = serde_json::to_vec(&header)?;
    bytes.push(b'\n');
    bytes.extend_from_slice(&encoder);
    bytes.extend_from_slice(&optimizer);
    write_file(path, &bytes)
}

/// Reads a state into a network and an optimiser of the same settings.
///
/// # Errors
/// A file that cannot be read, or that belongs to a run with other settings.
pub fn load(
    path: &Path,
    recipe: &Recipe,
    (network, optimizer): (Network, ModuleOptimizer),
) -> Result<State> {
    let place = || format!("the state of the interrupted run, {}, cannot be used", path.display());
    let bytes = fs::read(path).with_context(place)?;
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let header: Header = serde_json::from_slice(&bytes[..end]).with_context(place)?;
    if header.recipe != *recipe {
        bail!(
            "the interrupted run had other settings: {:?}; give those again, or remove its folder",
            header.recipe
        );
    }
    let records = bytes.get(end + 1..).unwrap_or_default();
    if records.len() != header.encoder_bytes + header.optimizer_bytes {
        bail!(
            "{} holds {} bytes of records and promises {}; remove its folder and start again",
            path.display(),
            records.len(),
            header.encoder_bytes + header.optimizer_bytes
        );
    }
    let (encoder, moments) = records.split_at(header.encoder_bytes);
    let record = ModuleRecord::from_bytes(Bytes::from_bytes_vec(encoder.to_vec()));
    let network = network.try_load_record(record.with_context(place)?).with_context(place)?;
    let moments = Bytes::from_bytes_vec(moments.to_vec());
    let optimizer = optimizer.from_bytes(moments).with_context(place)?;
    Ok(State { progress: header.progress, network, optimizer })
}
