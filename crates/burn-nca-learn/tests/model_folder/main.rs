//! Model folders: those of older versions are read, equal fits write equal bytes, and damage is refused.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used)]

mod damage;
mod edits;
mod equal_bytes;
mod fields;
mod gallery;
#[path = "../small_models/mod.rs"]
mod small_models;
mod sweep;

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use burn_nca_learn::data::{Features, Labeled, TensorFeatures};
use burn_nca_learn::fit::{FitConfig, LbfgsConfig, OptimizerConfig};
use burn_nca_learn::{Fitted, NcaConfig};

/// The files of a model's folder.
const FILES: [&str; 3] = ["model.json", "encoder.bpk", "references.bpk"];

/// A small table of three classes.
fn data() -> Labeled {
    let values = (0..36).map(|at| f64::from((at * 37) % 23) / 5.0 + f64::from(at / 12)).collect();
    let labels = (0..12).map(|row| row / 4).collect();
    Labeled::from_labels(Features::unnamed(values, 3).unwrap(), labels).unwrap()
}

fn fitted(config: &NcaConfig) -> Fitted {
    let steps = OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(2));
    let config = config.clone().with_fit(FitConfig::new().with_optimizer(steps));
    config.fit(&data(), &Device::flex()).unwrap()
}

/// The model of [`data`] in a folder that disappears with the test.
fn saved(config: &NcaConfig) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("model");
    fitted(config).save(&folder).unwrap();
    (place, folder)
}

fn load(folder: &Path) -> burn_nca_learn::Result<Fitted> {
    Fitted::load(folder, &Device::flex())
}

fn embedding(model: &Fitted, features: &Features) -> Vec<f64> {
    Features::from_tensor(model.transform(features).unwrap()).unwrap().values().to_vec()
}
