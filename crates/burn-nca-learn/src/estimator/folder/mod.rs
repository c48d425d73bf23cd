//! A fitted model as a folder: `model.json`, and the weights and embedded training rows in Burn's format.
//!
//! Two equal fits write equal bytes, but for `times` in `model.json`. Tensor files are there with their SHA-256:
//! a file that was changed, or that belongs to another model, is refused.

mod card;
mod tensors;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use burn::module::{Module, Param, ParamId};
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca_files::{publish_folder, temporary_folder, write_atomically};

use super::Fitted;
use crate::data::TrainingTargets;
use crate::encoder::{AnyEncoder, Encoder, cast};
use crate::error::{Error, Message, Result, Setting};
use crate::fit::Precision;
use card::{CARD, Stored};
use tensors::{ENCODER, REFERENCES};

/// The embedded training rows and their classes; 0 throughout for a model without classes.
#[derive(Module, Debug)]
struct References {
    embedding: Param<Tensor<2>>,
    labels: Param<Tensor<1, Int>>,
}

impl References {
    fn of<E: Encoder>(fitted: &Fitted<E>) -> Self {
        let [rows, _] = fitted.references.dims();
        let labels: Vec<i64> = match &fitted.targets {
            TrainingTargets::Classes { labels, .. } => {
                labels.iter().map(|&label| label as i64).collect()
            }
            _ => vec![0; rows],
        };
        let labels = TensorData::new(labels, [rows]);
        let device = fitted.references.device();
        Self {
            embedding: Param::from_tensor(fitted.references.clone()),
            labels: Param::initialized(ParamId::new(), Tensor::from_data(labels, &device)),
        }
    }

    fn empty([n, k]: [usize; 2], device: &Device, dtype: DType) -> Self {
        Self {
            embedding: Param::from_tensor(Tensor::zeros([n, k], (device, dtype))),
            labels: Param::initialized(ParamId::new(), Tensor::<1, Int>::zeros([n], device)),
        }
    }
}

impl<E: Encoder> Fitted<E> {
    /// Saves the model to a new folder that appears complete or not at all.
    ///
    /// # Errors
    /// A folder that exists, or that cannot be written; a model with numbers that are not finite.
    pub fn save(&self, path: &Path) -> Result<()> {
        if path.exists() {
            return Err(Error::model(
                path,
                "the folder already exists; choose another name or remove it first",
            ));
        }
        let failed = |source| Error::io(path, source);
        let folder = temporary_folder(path).map_err(failed)?;
        for (name, bytes) in self.to_files()? {
            let file = folder.path().join(name);
            write_atomically(&file, &bytes).map_err(|source| Error::io(&file, source))?;
        }
        publish_folder(folder, path).map_err(failed)
    }

    /// The files of the model's folder, by name: what [`save`](Fitted::save) writes, where there is no file system
    /// (a browser).
    ///
    /// # Errors
    /// A module whose tensors Burn cannot write, or that holds a number that is not finite: such a model could not be
    /// loaded.
    pub fn to_files(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let mut files = vec![
            (ENCODER.to_string(), tensors::bytes(self.encoder.clone(), ENCODER)?),
            (REFERENCES.to_string(), tensors::bytes(References::of(self), REFERENCES)?),
        ];
        let sums = files.iter().map(|(name, bytes)| (name.clone(), tensors::sha256(bytes)));
        let stored = Stored::of(self, sums.collect::<BTreeMap<_, _>>());
        files.push((CARD.to_string(), stored.text()?.into_bytes()));
        Ok(files)
    }

    /// Loads a model whose encoder is a module of the user's own, given with any weights.
    ///
    /// # Errors
    /// A folder that is no whole model of this version, or weights of other shapes than the encoder's.
    pub fn load_with(encoder: E, path: &Path, device: &Device) -> Result<Self> {
        // A module that was trained before leaves its graph first.
        let stored = Stored::read(path)?;
        let bytes = tensors::read(path, ENCODER, &stored.sha256)?;
        with_parts(stored, (encoder.valid(), bytes), path, device)
    }
}

impl Fitted<AnyEncoder> {
    /// Loads a saved model on any device.
    ///
    /// # Errors
    /// A folder that is no whole model of this version: a file is missing or was changed, or `model.json` does not
    /// agree with itself or with the tensors (the field is named).
    pub fn load(path: &Path, device: &Device) -> Result<Self> {
        let stored = Stored::read(path)?;
        let Some(encoder) = &stored.card.encoder else {
            let text = Message::from("this model has an encoder of the user's own");
            return Err(Error::model(path, text.with_hint(Setting::OwnEncoder)));
        };
        let bytes = tensors::read(path, ENCODER, &stored.sha256)?;
        stored.check_encoder(bytes.len(), path)?;
        let encoder = encoder.init(stored.card.d_input, stored.card.d_output, device);
        with_parts(stored, (encoder, bytes), path, device)
    }
}

fn with_parts<E: Encoder>(
    stored: Stored,
    (encoder, bytes): (E, Vec<u8>),
    path: &Path,
    device: &Device,
) -> Result<Fitted<E>> {
    let device = device.clone().inner();
    let dtype = stored.card.fit.precision.dtype();
    // A device without the model's number type predicts in f32.
    let dtype = if device.supports_dtype(dtype) { dtype } else { DType::F32 };

    let encoder = tensors::load(encoder.to_device(&device), bytes, path, ENCODER)?;
    let encoder = cast(encoder, dtype).valid();

    let bytes = tensors::read(path, REFERENCES, &stored.sha256)?;
    stored.check_references(bytes.len(), path)?;
    let shape = [stored.reference_rows, stored.card.d_output];
    let references = References::empty(shape, &device, dtype);
    let references = tensors::load(references, bytes, path, REFERENCES)?;
    let labels = tensors::labels(references.labels.val(), path)?;
    let targets = stored.targets(labels, path)?;
    let mut card = stored.card;
    if dtype == DType::F32 {
        card.fit.precision = Precision::F32;
    }
    Ok(Fitted {
        encoder,
        card,
        rule: stored.rule,
        decision: stored.decision,
        scaling: stored.scaling,
        targets,
        references: references.embedding.val().without_autodiff().cast(dtype),
        summary: stored.summary,
        preparation: stored.preparation,
    })
}
