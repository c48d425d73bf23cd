//! The folder of a run of `nca`: what is written into it, in which order, and what it is resumed from.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use burn_nca::Fitted;
use burn_nca_files::{replace_folder, restore_folder, temporary_folder};
use burn_nca_program::RunFolder;

use crate::output;
use crate::source::Source;
use burn_nca_report::Report;

/// The folder of the model in a run's folder.
pub const MODEL: &str = "model";
/// The numbers of a run.
pub const REPORT_JSON: &str = "report.json";
/// The page of a run.
pub const REPORT_PAGE: &str = "report.html";
/// The state of a fit, and its end.
pub const CHECKPOINT: &str = "checkpoint.json";
/// The steps of an interrupted fit, for its report.
pub const STEPS: &str = "steps.json";
/// The finished trials of an interrupted search.
pub const TRIALS: &str = "trials.json";

/// Prepares the folder of a new run, or resumes an interrupted one.
///
/// # Errors
/// As [`RunFolder::open`].
pub fn open(target: &Path, resume: bool) -> Result<RunFolder> {
    let folder = RunFolder::open(target, resume, &[CHECKPOINT, TRIALS, STEPS])?;
    let model = folder.file(MODEL);
    restore_folder(&model).with_context(|| format!("{} cannot be written", model.display()))?;
    if resume && !folder.has_state() {
        output::tell("there is no checkpoint yet: starting from the beginning");
    }
    Ok(folder)
}

/// Saves the model, evaluates it, writes the reports, and gives the folder its name.
///
/// The model comes before the evaluation, which may take longer than the fit, and the checkpoint goes after
/// everything else: whatever fails, the fit is kept and `--resume` goes on after it.
///
/// # Errors
/// An evaluation that fails, or a folder that cannot be written.
pub fn complete(
    folder: RunFolder,
    (model, source): (&Fitted, &Source),
    evaluate: impl FnOnce() -> Result<Report>,
) -> Result<Report> {
    let partial = folder.path().display().to_string();
    let kept = |what: &str| {
        format!(
            "the {what} is kept in {partial}, and the same command with --resume goes on from there"
        )
    };
    save(&folder.file(MODEL), model, source).with_context(|| {
        if folder.has_state() {
            kept("fit")
        } else {
            "nothing of the fit could be kept".to_string()
        }
    })?;
    let report = evaluate()
        .and_then(|report| {
            output::write_file(&folder.file(REPORT_JSON), report.to_json()?.as_bytes())?;
            output::write_file(&folder.file(REPORT_PAGE), report.page().as_bytes())?;
            Ok(report)
        })
        .with_context(|| kept("model"))?;
    // Its errors say themselves where the results are.
    folder.finish()?;
    Ok(report)
}

/// Saves a model and where its rows came from, in place of one that an earlier run left: that stays until both are
/// written.
fn save(path: &Path, model: &Fitted, source: &Source) -> Result<()> {
    let saved = || -> Result<()> {
        let beside = temporary_folder(path)?;
        let new = beside.path().join(MODEL);
        model.save(&new)?;
        source.save(&new)?;
        Ok(replace_folder(&new, path)?)
    };
    // The cause alone: what comes before it names the temporary folder.
    saved().map_err(|error| anyhow!("{} cannot be written: {}", path.display(), error.root_cause()))
}
