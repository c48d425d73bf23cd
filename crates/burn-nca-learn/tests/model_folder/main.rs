//! Model folders: those of older versions are read, equal fits write equal bytes, and damage is refused.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used)]

mod edits;
mod equal_bytes;
mod fields;
mod gallery;
#[path = "../small_models/mod.rs"]
mod small_models;
mod sweep;

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use burn_nca_learn::data::{Features, TensorFeatures};
use burn_nca_learn::{Fitted, NcaConfig};
use small_models::{classes, two_steps};

/// The model of a small table of three classes, in a folder that disappears with the test.
fn saved(config: &NcaConfig) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("model");
    let config = config.clone().with_fit(two_steps());
    config.fit(&classes(), &Device::flex()).unwrap().save(&folder).unwrap();
    (place, folder)
}

fn load(folder: &Path) -> burn_nca_learn::Result<Fitted> {
    Fitted::load(folder, &Device::flex())
}

fn embedding(model: &Fitted, features: &Features) -> Vec<f64> {
    Features::from_tensor(model.transform(features).unwrap()).unwrap().values().to_vec()
}
