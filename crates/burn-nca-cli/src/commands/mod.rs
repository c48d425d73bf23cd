//! The commands, a file each.

mod completions;
mod datasets;
mod demo;
mod devices;
mod evaluate;
mod explained;
mod export;
mod finite;
mod fit;
mod info;
mod labels;
mod methods;
mod predict;
mod predicted;
mod report;
mod training_rows;
mod transform;

use std::path::{Path, PathBuf};

use anyhow::Result;
use burn::tensor::Device;
use burn_nca_learn::{Fitted, device};

use crate::cli::{Cli, Command, ModelArgs};
use crate::logging;
use crate::source::Source;

/// Runs the command of the command line.
///
/// # Errors
/// Whatever keeps it from its results.
pub fn run(cli: Cli) -> Result<()> {
    logging::start(cli.verbose);
    match cli.command {
        Command::Fit(args) => fit::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Devices { test } => devices::run(test),
        Command::Methods(args) => methods::run(&args),
        Command::Datasets => datasets::run(),
        Command::Demo(args) => demo::run(&args),
        Command::Completions { shell } => completions::run(shell),
    }
}

/// The device of this name; one that is not the CPU has passed its self-test.
fn open_device(name: &str) -> Result<Device> {
    let device = device::open(name)?;
    if !device::runs_on_host(&device) {
        crate::process::without_panic_message(|| burn_nca_learn::self_test(&device))?;
    }
    Ok(device)
}

/// A saved model, from its folder or that of the run that made it.
fn load_model(args: &ModelArgs) -> Result<Fitted> {
    Ok(Fitted::load(&model_folder(&args.model), &open_device(&args.device.device)?)?)
}

/// A saved model, and where its training rows came from; no source for a model of an earlier version.
fn load_with_source(args: &ModelArgs) -> Result<(Fitted, Option<Source>)> {
    Ok((load_model(args)?, Source::of_model(&model_folder(&args.model))?))
}

/// `RUN/model` where a run's folder is given, else the folder itself.
fn model_folder(given: &Path) -> PathBuf {
    let inside = given.join(fit::MODEL);
    if inside.is_dir() { inside } else { given.to_path_buf() }
}
