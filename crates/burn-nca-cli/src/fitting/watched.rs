//! A fit under a progress bar, with its checkpoint in the run's folder and its steps on record.

use std::ops::ControlFlow;

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::fit::{FitSession, Progress, Termination};
use burn_nca_program::RunFolder;

use super::divergence::refuse_diverged;
use super::progress::FitProgress;
use super::recording::Recording;
use super::run_folder::CHECKPOINT;
use crate::process;

/// Runs a fit under a progress bar, with its checkpoint in the run's folder.
///
/// # Errors
/// What the fit refuses, or an interruption.
pub fn fit(
    bar: &FitProgress,
    (folder, recording): (Option<&RunFolder>, Option<&Recording>),
    cure: &str,
    run: impl FnOnce(FitSession<'_>) -> burn_nca_learn::Result<Fitted>,
) -> Result<Fitted> {
    let mut watch = |progress: &Progress| bar.step(progress);
    let mut begin = |start: &[f64]| recording.iter().for_each(|steps| steps.start(start));
    let mut note = |progress: &Progress, parameters: &[f64]| {
        recording.iter().for_each(|steps| steps.step(progress, parameters));
        ControlFlow::Continue(())
    };
    let mut session = FitSession::new().with_progress(&mut watch);
    if recording.is_some() {
        session = session.with_start(&mut begin).with_parameters(&mut note);
    }
    if let Some(folder) = folder {
        // It stays until the results are written, and goes with the last step of the run's folder.
        session = session.with_checkpoint(&folder.file(CHECKPOINT)).keep_checkpoint();
        session = session.with_checkpoint_events(|event| {
            bar.tell(event);
            recording.iter().for_each(|steps| steps.follow(event));
        });
    }
    let model = run(session);
    bar.finish();
    let model = model?;
    if model.summary().termination == Termination::Stopped {
        recording.iter().for_each(|steps| steps.keep());
        return Err(bar.interrupted(interrupted(&model, folder.is_some())));
    }
    refuse_diverged(&model, cure)
        .inspect_err(|_| folder.iter().for_each(|folder| folder.forget()))?;
    Ok(model)
}

fn interrupted(model: &Fitted, resumable: bool) -> String {
    let steps = model.summary().iterations;
    if resumable {
        return format!(
            "interrupted after {steps} iterations; resume with: {} --resume",
            process::command_line()
        );
    }
    format!("interrupted after {steps} iterations; nothing is saved without --out")
}
