//! The folder of a run of `nca`: what is written into it, in which order, and what it is resumed from.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use burn_nca_files::{replace_folder, restore_folder, temporary_folder};
use burn_nca_learn::Fitted;
use burn_nca_program::RunFolder;

use crate::source::Source;
use crate::{output, process};
use burn_nca_report::Report;

pub const MODEL: &str = "model";
pub const REPORT_JSON: &str = "report.json";
pub const REPORT_PAGE: &str = "report.html";
/// The state of a fit, and its end.
pub const CHECKPOINT: &str = "checkpoint.json";
/// The steps of an interrupted fit, for its report.
pub const STEPS: &str = "steps.json";
/// The finished trials of an interrupted search.
pub const TRIALS: &str = "trials.json";

/// Prepares the folder of a new run, or resumes an interrupted one.
pub fn open(target: &Path, resume: bool) -> Result<RunFolder> {
    let folder = RunFolder::open(target, resume, &[CHECKPOINT, TRIALS, STEPS])?;
    let model = folder.file(MODEL);
    restore_folder(&model).with_context(|| format!("{} cannot be written", model.display()))?;
    if resume && let Some(told) = without_checkpoint(&folder) {
        output::eprint_line(told);
    }
    Ok(folder)
}

/// Where a fit without a checkpoint is resumed; `None` with one, which the fit reports itself.
fn without_checkpoint(folder: &RunFolder) -> Option<&'static str> {
    if folder.file(CHECKPOINT).exists() {
        return None;
    }
    Some(match folder.file(TRIALS).exists() {
        true => {
            "the trials of the search are kept, but there is no checkpoint of the fit yet: it starts from the beginning"
        }
        false => "there is no checkpoint yet: starting from the beginning",
    })
}

/// What of a run outlasts a model that cannot be saved.
fn kept_part(folder: &RunFolder) -> Option<&'static str> {
    let parts = [(CHECKPOINT, "the fit is"), (TRIALS, "the trials of the search are")];
    parts.into_iter().find(|(name, _)| folder.file(name).exists()).map(|(_, kept)| kept)
}

/// What is said of work that was interrupted after `done`.
pub fn interrupted(done: &str, resumable: bool) -> String {
    match resumable {
        true => {
            let again = process::command_line();
            format!("interrupted after {done}; resume with: {again} --resume")
        }
        false => format!("interrupted after {done}; nothing is saved without --out"),
    }
}

/// Saves the model, evaluates it, writes the reports, and gives the folder its name.
///
/// The model comes before the evaluation, which may take longer than the fit, and the checkpoint goes after
/// everything else: whatever fails, the fit is kept and `--resume` continues after it.
pub fn complete(
    folder: RunFolder,
    (model, source): (&Fitted, &Source),
    evaluate: impl FnOnce() -> Result<Report>,
) -> Result<Report> {
    let partial = folder.path().display().to_string();
    let kept = |what: &str| {
        format!("{what} kept in {partial}, and the same command with --resume continues from there")
    };
    save(&folder.file(MODEL), model, source).with_context(|| {
        kept_part(&folder).map_or("nothing of the fit could be kept".to_string(), kept)
    })?;
    let report = evaluate()
        .and_then(|report| {
            output::write_file(&folder.file(REPORT_JSON), report.to_json()?.as_bytes())?;
            output::write_file(&folder.file(REPORT_PAGE), report.page().as_bytes())?;
            Ok(report)
        })
        .with_context(|| kept("the model is"))?;
    // Its errors say themselves where the results are.
    folder.finish()?;
    Ok(report)
}

/// Saves a model and where its rows came from, in place of one that an earlier run left: that stays until both are
/// written.
fn save(path: &Path, model: &Fitted, source: &Source) -> Result<()> {
    let saved = || -> Result<()> {
        let temporary = temporary_folder(path)?;
        let new = temporary.path().join(MODEL);
        model.save(&new)?;
        source.save(&new)?;
        Ok(replace_folder(&new, path)?)
    };
    // The cause alone: what comes before it names the temporary folder.
    saved().map_err(|error| anyhow!("{} cannot be written: {}", path.display(), error.root_cause()))
}
