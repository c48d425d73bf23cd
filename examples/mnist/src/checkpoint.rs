//! The state of an interrupted run: a journal with the records of encoder and optimizer.

use std::path::Path;

use anyhow::{Context, Error, Result, anyhow};
use burn::module::Module;
use burn::optim::ModuleOptimizer;
use burn::store::ModuleRecord;
use burn::tensor::Bytes;
use burn_nca_program::{Identity, JournalError, read_journal, write_journal};
use serde::{Deserialize, Serialize};

use crate::encoder::Network;
use crate::recipe::Recipe;
use crate::training::Progress;

/// Settings of a run; only the same ones continue from its state.
#[derive(Serialize, Deserialize)]
struct Settings(Recipe);

impl Identity for Settings {
    fn refusal(&self, stored: &Self) -> Option<String> {
        (self.0 != stored.0).then(|| format!("other settings: {:?}", stored.0))
    }
}

/// What a run continues from. The optimizer knows parameters by their identity, which the record keeps.
pub struct State {
    /// How far the run has come.
    pub progress: Progress,
    /// The encoder as it was.
    pub network: Network,
    /// The optimizer with its moments.
    pub optimizer: ModuleOptimizer,
}

/// Writes the state, by an atomic write.
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
    let records = [encoder.to_vec(), optimizer.to_vec()].concat();
    write_journal(path, &Settings(recipe.clone()), &(progress, encoder.len()), &records)
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// Reads a state into a network and an optimizer of the same settings.
///
/// # Errors
/// A file that cannot be read, or that belongs to a run with other settings.
pub fn load(
    path: &Path,
    recipe: &Recipe,
    (network, optimizer): (Network, ModuleOptimizer),
) -> Result<State> {
    let place = || format!("the state of the interrupted run, {}, cannot be used", path.display());
    let settings = Settings(recipe.clone());
    let found =
        read_journal::<_, (Progress, usize)>(path, &settings).map_err(|error| match error {
            JournalError::Others(others) => {
                anyhow!("the interrupted run had {others}; give those again, or remove its folder")
            }
            error => Error::new(error).context(place()),
        })?;
    let ((progress, length), records) = found.with_context(place)?;
    let (encoder, moments) = records.split_at_checked(length).with_context(place)?;
    let record = ModuleRecord::from_bytes(Bytes::from_bytes_vec(encoder.to_vec()));
    let network = network.try_load_record(record.with_context(place)?).with_context(place)?;
    let moments = Bytes::from_bytes_vec(moments.to_vec());
    let optimizer = optimizer.from_bytes(moments).with_context(place)?;
    Ok(State { progress, network, optimizer })
}
