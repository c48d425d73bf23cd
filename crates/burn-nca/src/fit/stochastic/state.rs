//! A fit by mini-batches between two epochs, as a checkpoint keeps it.

use burn::module::Module;
use burn::store::RecordError;
use burn::tensor::Bytes;
use serde::{Deserialize, Serialize};

use super::epochs::Epochs;
use crate::encoder::{Encoder, load_record};
use crate::error::{Error, Result};
use crate::fit::Termination;
use crate::fit::monitor::Record;
use crate::fit::training_layers::independent;
use crate::model::MetricModel;
use crate::objective::Objective;

/// The state after an epoch. The optimizer knows parameters by their identity, which the record keeps.
#[derive(Serialize, Deserialize)]
pub(super) struct State {
    epoch: usize,
    batches: usize,
    model: Vec<u8>,
    optimizer: Vec<u8>,
    /// The best epoch as the record of its model: parameters and running statistics.
    record: Record<Vec<u8>>,
    /// Why the fit ended, if it did.
    pub(super) end: Option<Termination>,
}

impl State {
    pub(super) fn of<E: Encoder, O: Objective>(
        epochs: &Epochs<'_, '_, E, O>,
        record: &Record<MetricModel<E, O>>,
        end: Option<Termination>,
    ) -> Result<Self> {
        Ok(Self {
            epoch: epochs.epoch,
            batches: epochs.batches,
            model: to_bytes(&epochs.model)?,
            optimizer: epochs.optimizer.into_bytes().map_err(not_recorded)?.to_vec(),
            record: record.clone().try_map(|model| to_bytes(&model))?,
            end,
        })
    }

    /// Resumes the fit from here; returns what it has been through.
    pub(super) fn resume<E: Encoder, O: Objective>(
        self,
        epochs: &mut Epochs<'_, '_, E, O>,
    ) -> Result<Record<MetricModel<E, O>>> {
        let record = self.record.try_map(|bytes| from_bytes(&epochs.model, bytes))?;
        let steps = &record.history[..];
        let kept = match self.end {
            // The model is that before the last step.
            Some(Termination::NonFinite) => steps.split_last().map_or(steps, |(_, kept)| kept),
            _ => steps,
        };
        epochs.model = from_bytes(&epochs.model, self.model)?;
        let optimizer = Bytes::from_bytes_vec(self.optimizer);
        epochs.optimizer = epochs.optimizer.clone().from_bytes(optimizer).map_err(unusable)?;
        (epochs.epoch, epochs.batches) = (self.epoch, self.batches);
        if let Some(last) = kept.last() {
            epochs.earlier_seconds = last.seconds;
            epochs.last = *last;
        }
        Ok(record)
    }
}

/// The record of a module as bytes, with its running statistics up to date.
fn to_bytes<M: Module>(module: &M) -> Result<Vec<u8>> {
    // A layer may hold back the last change of its statistics, which a copy for validation takes up.
    let record = module.valid().into_record();
    record.into_bytes().map(|bytes| bytes.to_vec()).map_err(not_recorded)
}

fn from_bytes<M: Module>(module: &M, bytes: Vec<u8>) -> Result<M> {
    load_record(independent(module), bytes).map_err(unusable)
}

fn not_recorded(error: RecordError) -> Error {
    Error::setting(format!("the state of the fit cannot be recorded: {error}"))
}

fn unusable(error: RecordError) -> Error {
    Error::data(format!(
        "the checkpoint holds no usable state of the fit ({error}); delete it to start again"
    ))
}
