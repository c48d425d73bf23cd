//! The training rows of a model, read again: a model keeps only their embedding.

use std::path::Path;

use anyhow::{Context, Result, bail};
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::data::{Features, Labelled, stratified_split};
use burn_nca_datasets::open;
use clap::Parser;

use crate::cli::{Cli, Command, FitArgs};
use crate::commands::csv_options;
use crate::commands::fit::REPORT_JSON;
use crate::commands::report::{self, AnyReport};
use crate::process::words;

/// How far an embedded row may be from the saved one, relative to its length: another device rounds otherwise.
const TOLERANCE: f64 = 1e-3;

/// The scaled features of the training rows, in the order of the model's references.
///
/// They are found as the fit found them, by the command in the run's report; `moved` is where the table stands now.
/// Embedded again, they must be what the model has saved.
///
/// # Errors
/// A model without its run's report, a table that is no longer there, or one that has changed.
pub fn scaled(model_folder: &Path, moved: Option<&str>, model: &Fitted) -> Result<Features> {
    let mut args = fit_of(model_folder)?;
    if let Some(moved) = moved {
        args.source.data = moved.to_string();
    }
    let source = args.source.data.clone();
    let data = open(&source, &csv_options(&args.source))?.into_labelled()?;
    let split = stratified_split(data.labels(), args.test_size, args.seed)?;
    let train = data.select(&split.train);
    if !is_what_was_learnt_from(&train, model)? {
        bail!(
            "{source} does not hold the {} rows that the model was fitted on; give the table of the fit with --train",
            model.reference_labels().len()
        );
    }
    Ok(model.scaling().apply(train.features())?)
}

/// The options of the fit that made a model.
fn fit_of(model_folder: &Path) -> Result<Box<FitArgs>> {
    let run = [Some(model_folder), model_folder.parent()]
        .into_iter()
        .flatten()
        .find(|folder| folder.join(REPORT_JSON).is_file())
        .with_context(|| {
            format!(
                "{} stands without the {REPORT_JSON} of its fit, which tells the training rows; give the RUN folder \
                 that nca fit --out wrote",
                model_folder.display()
            )
        })?;
    let command = match report::open(run)? {
        AnyReport::Classes(report) => report.command,
        AnyReport::Continuous(report) => report.command,
    };
    let parsed = words(&command).and_then(|words| Cli::try_parse_from(words).ok());
    match parsed.map(|cli| cli.command) {
        Some(Command::Fit(args)) => Ok(args),
        _ => bail!(
            "the command in {} is {command:?}, which this program does not understand; use the program that wrote it",
            run.join(REPORT_JSON).display()
        ),
    }
}

fn is_what_was_learnt_from(train: &Labelled, model: &Fitted) -> Result<bool> {
    model.scaling().check_columns(train.features().names())?;
    let name = |class: &usize| &model.class_names()[*class];
    let learnt = model.reference_labels().iter().map(name);
    if !train.labels().iter().map(|class| &train.class_names()[*class]).eq(learnt) {
        return Ok(false);
    }
    let (found, saved) =
        (values(model.transform(train.features())?)?, values(model.references().clone())?);
    let dimensions = (saved.len() / train.rows().max(1)).max(1);
    let near = |(found, saved): (&[f64], &[f64])| {
        let difference: f64 = found.iter().zip(saved).map(|(a, b)| (a - b).powi(2)).sum();
        let length: f64 = saved.iter().map(|b| b * b).sum();
        difference <= TOLERANCE * TOLERANCE * (1.0 + length)
    };
    Ok(found.chunks(dimensions).zip(saved.chunks(dimensions)).all(near))
}

fn values(tensor: Tensor<2>) -> Result<Vec<f64>> {
    tensor.into_data().convert::<f64>().try_to_vec().context("an embedding is of floats")
}
