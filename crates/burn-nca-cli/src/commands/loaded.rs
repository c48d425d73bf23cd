//! A saved model as a command loads it, and where its training rows came from.

use std::path::{Path, PathBuf};

use anyhow::Result;
use burn::tensor::Device;
use burn_nca_data::is_sparse;
use burn_nca_learn::{Fitted, device};

use crate::cli::ModelArgs;
use crate::fitting::run_folder::MODEL;
use crate::source::Source;
use crate::tables::Loaded;

/// The device of this name; one that is not the CPU has passed its self-test.
pub fn open_device(name: &str) -> Result<Device> {
    let device = device::open(name)?;
    if !device::runs_on_host(&device) {
        crate::process::without_panic_message(|| burn_nca_learn::self_test(&device))?;
    }
    Ok(device)
}

/// `RUN/model` where a run's folder is given, else the folder itself.
pub fn model_folder(given: &Path) -> PathBuf {
    let inside = given.join(MODEL);
    if inside.is_dir() { inside } else { given.to_path_buf() }
}

/// A saved model, from its folder or that of the run that made it.
pub fn load_model(args: &ModelArgs) -> Result<Fitted> {
    Ok(Fitted::load(&model_folder(&args.model), &open_device(&args.device.device)?)?)
}

/// A saved model, and where its training rows came from; no source for a model of an earlier version.
pub fn load_with_source(args: &ModelArgs) -> Result<(Fitted, Option<Source>)> {
    Ok((load_model(args)?, Source::of_model(&model_folder(&args.model))?))
}

pub fn load_for(args: &ModelArgs, data: &str) -> Result<Loaded> {
    let (whole, source) = load_with_source(args)?;
    let embedded = is_sparse(data).then(|| whole.of_embedded());
    Ok(Loaded { whole, embedded, source })
}
