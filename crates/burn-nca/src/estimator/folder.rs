//! A fitted model as a folder: `model.json`, and the weights and embedded training rows in Burn's format.

use std::path::Path;

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::store::{BurnToPyTorchAdapter, ModuleSnapshot, SafetensorsStore};
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca_files::{publish_folder, temporary_folder, write_atomically};
use serde::{Deserialize, Serialize};

use super::fitted::{FitSummary, Fitted, ModelCard};
use super::known::Known;
use crate::data::{Features, Scaling};
use crate::encoder::{AnyEncoder, Encoder, cast};
use crate::error::{Error, Result};

/// Raised when an older program could not read what this one writes.
const FORMAT: u32 = 1;
const CARD: &str = "model.json";
const ENCODER: &str = "encoder.bpk";
const REFERENCES: &str = "references.bpk";

/// Everything of a model but its tensors.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    version: String,
    card: ModelCard,
    scaling: Scaling,
    class_names: Vec<String>,
    /// The numbers of a model of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    targets: Option<StoredTargets>,
    reference_rows: usize,
    summary: FitSummary,
}

/// Named columns of numbers, row-major. They stand in the text: every device has its own idea of f64.
#[derive(Serialize, Deserialize)]
struct StoredTargets {
    names: Vec<String>,
    values: Vec<f64>,
}

/// The embedded training rows and their classes; 0 throughout for a model without classes.
#[derive(Module, Debug)]
struct References {
    embedding: Param<Tensor<2>>,
    labels: Param<Tensor<1, Int>>,
}

impl References {
    fn empty([n, k]: [usize; 2], device: &Device, dtype: DType) -> Self {
        Self {
            embedding: Param::from_tensor(Tensor::zeros([n, k], (device, dtype))),
            labels: Param::initialized(
                burn::module::ParamId::new(),
                Tensor::<1, Int>::zeros([n], device),
            ),
        }
    }
}

pub(super) fn save<E: Encoder>(fitted: &Fitted<E>, path: &Path) -> Result<()> {
    if path.exists() {
        return Err(Error::model(
            path,
            "the folder exists; choose another name or remove it first",
        ));
    }
    let failed = |source| Error::io(path, source);
    let folder = temporary_folder(path).map_err(failed)?;
    write_parts(fitted, folder.path())?;
    publish_folder(folder, path).map_err(failed)
}

fn write_parts<E: Encoder>(fitted: &Fitted<E>, folder: &Path) -> Result<()> {
    let [rows, _] = fitted.references.dims();
    let stored = Stored {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_string(),
        card: fitted.card.clone(),
        scaling: fitted.scaling.clone(),
        class_names: fitted.class_names().to_vec(),
        targets: fitted.targets().map(|targets| StoredTargets {
            names: targets.names().to_vec(),
            values: targets.values().to_vec(),
        }),
        reference_rows: rows,
        summary: fitted.summary.clone(),
    };
    let card = folder.join(CARD);
    let text = serde_json::to_string_pretty(&stored)
        .map_err(|error| Error::model(&card, format!("the settings cannot be written: {error}")))?;
    std::fs::write(&card, text).map_err(|source| Error::io(&card, source))?;
    let labels: Vec<i64> = match &fitted.known {
        Known::Classes { labels, .. } => labels.iter().map(|&label| label as i64).collect(),
        _ => vec![0; rows],
    };
    let labels = TensorData::new(labels, [rows]);
    let device = fitted.references.device();
    let references = References {
        embedding: Param::from_tensor(fitted.references.clone()),
        labels: Param::initialized(
            burn::module::ParamId::new(),
            Tensor::from_data(labels, &device),
        ),
    };
    let failed = |name: &str, error: &dyn std::fmt::Display| {
        Error::model(folder.join(name), format!("the tensors cannot be written: {error}"))
    };
    fitted
        .encoder
        .clone()
        .save_file(folder.join(ENCODER))
        .map_err(|error| failed(ENCODER, &error))?;
    references.save_file(folder.join(REFERENCES)).map_err(|error| failed(REFERENCES, &error))
}

pub(super) fn load(path: &Path, device: &Device) -> Result<Fitted<AnyEncoder>> {
    let stored = read_card(path)?;
    let Some(encoder) = &stored.card.encoder else {
        return Err(Error::model(
            path,
            "this model has an encoder of the user's own; load it with `Fitted::load_with` and that encoder",
        ));
    };
    let encoder = encoder.init(stored.card.d_input, stored.card.d_output, device);
    with_parts(stored, encoder, path, device)
}

pub(super) fn load_with<E: Encoder>(encoder: E, path: &Path, device: &Device) -> Result<Fitted<E>> {
    with_parts(read_card(path)?, encoder, path, device)
}

fn read_card(path: &Path) -> Result<Stored> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let card = path.join(CARD);
    if !card.is_file() {
        return Err(Error::model(path, format!("there is no model here: {CARD} is missing")));
    }
    let text = std::fs::read_to_string(&card).map_err(|source| Error::io(&card, source))?;
    let invalid = |error: serde_json::Error| {
        Error::model(&card, format!("this is not a model's {CARD} ({error}); fit the model again"))
    };
    let found = serde_json::from_str::<Version>(&text).map_err(invalid)?.format;
    if found != FORMAT {
        return Err(Error::model(
            path,
            format!(
                "the model has format {found}, this program reads format {FORMAT}; use the program that \
                 saved it, or fit the model again"
            ),
        ));
    }
    serde_json::from_str(&text).map_err(invalid)
}

fn with_parts<E: Encoder>(
    stored: Stored,
    encoder: E,
    path: &Path,
    device: &Device,
) -> Result<Fitted<E>> {
    let device = device.clone().inner();
    let dtype = stored.card.fit.precision.dtype();
    // A device without the model's number type predicts in f32.
    let dtype = if device.supports_dtype(dtype) { dtype } else { DType::F32 };
    let failed = |name: &str, error: &dyn std::fmt::Display| {
        let reason = format!("the tensors do not fit the model ({error}); fit the model again");
        Error::model(path.join(name), reason)
    };
    let encoder = encoder
        .to_device(&device)
        .try_load_file(path.join(ENCODER))
        .map_err(|error| failed(ENCODER, &error))?;
    let encoder = cast(encoder, dtype).valid();
    let shape = [stored.reference_rows, stored.card.d_output];
    let references = References::empty(shape, &device, dtype)
        .try_load_file(path.join(REFERENCES))
        .map_err(|error| failed(REFERENCES, &error))?;
    let labels = references.labels.val().into_data().convert::<i64>();
    let labels = labels.try_to_vec::<i64>().map_err(|error| failed(REFERENCES, &error))?;
    let known = match (stored.targets, stored.class_names) {
        (Some(StoredTargets { names, values }), _) => {
            let targets = Features::new(values, names).map_err(|error| failed(CARD, &error))?;
            if targets.rows() != stored.reference_rows {
                return Err(failed(CARD, &format!("{} rows of targets", targets.rows())));
            }
            Known::Numbers(targets)
        }
        (None, names) if names.is_empty() => Known::Unlabelled,
        (None, names) => {
            let labels: Vec<usize> = labels.into_iter().map(|label| label as usize).collect();
            if let Some(label) = labels.iter().find(|label| **label >= names.len()) {
                return Err(failed(REFERENCES, &format!("class {label} has no name")));
            }
            Known::Classes { names, labels }
        }
    };
    let mut card = stored.card;
    if dtype == DType::F32 {
        card.fit.precision = crate::fit::Precision::F32;
    }
    Ok(Fitted {
        encoder,
        card,
        scaling: stored.scaling,
        known,
        references: references.embedding.val().without_autodiff().cast(dtype),
        summary: stored.summary,
    })
}

pub(super) fn export_safetensors(fitted: &Fitted<AnyEncoder>, path: &Path) -> Result<()> {
    let Some(a) = fitted.matrix() else {
        return Err(Error::model(
            path,
            "only a linear or diagonal map is one linear layer; this model is a network",
        ));
    };
    let d = fitted.card.d_input;
    let k = a.len() / d;
    let (offset, scale) = (fitted.scaling.offset(), fitted.scaling.scale());
    // z = A ((x - offset) / scale) = (A / scale) x - (A / scale) offset
    let mut weight = vec![0.0; d * k];
    let mut bias = vec![0.0; k];
    for row in 0..k {
        for column in 0..d {
            let entry = a[row * d + column] / scale[column];
            weight[column * k + row] = entry;
            bias[row] -= entry * offset[column];
        }
    }
    let device = fitted.references.device();
    let tensor = |values: Vec<f64>| TensorData::from(values.as_slice()).convert_dtype(DType::F32);
    let weight = Tensor::<1>::from_data(tensor(weight), (&device, DType::F32)).reshape([d, k]);
    let bias = Tensor::<1>::from_data(tensor(bias), (&device, DType::F32));
    let layer = Linear { weight: Param::from_tensor(weight), bias: Some(Param::from_tensor(bias)) };
    let mut store = SafetensorsStore::from_bytes(None).with_to_adapter(BurnToPyTorchAdapter);
    let bytes = layer.save_into(&mut store).and_then(|()| store.get_bytes());
    let failed = |error| Error::model(path, format!("the layer cannot be written: {error}"));
    write_atomically(path, &bytes.map_err(failed)?).map_err(|source| Error::io(path, source))
}
