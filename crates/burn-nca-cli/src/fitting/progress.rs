//! A fit under a progress bar on stderr, which Ctrl-C stops, with its checkpoint in the run's folder and its steps on record.

use std::cell::RefCell;
use std::ops::ControlFlow;

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::fit::{CheckpointEvent, FitSession, Progress, Termination};
use burn_nca_program::{Bar, RunFolder};
use burn_nca_report::{ComparedBy, Warning, WarningCode};

use super::divergence::refuse_diverged;
use super::recording::Recording;
use super::run_folder::{CHECKPOINT, interrupted};
use super::stages::Stages;

/// A bar with the iteration, the value, the gradient, the held-out score and the time left.
pub struct FitProgress<'a> {
    /// The bar itself, which is to be removed at the end.
    pub bar: Bar,
    stages: &'a Stages,
    measure: ComparedBy,
    /// What went wrong during the fit, and was reported then.
    pub warnings: RefCell<Vec<Warning>>,
}

impl<'a> FitProgress<'a> {
    /// A bar for at most `steps` steps in what is left of the command's time, shown before the first one: the start of a
    /// fit may take longer than its steps.
    pub fn begin(steps: usize, measure: ComparedBy, stages: &'a Stages) -> Self {
        let template = "{bar:24} {pos}/{len}  {msg}  at most {eta} left";
        let bar = Bar::new(template, stages.quiet).with_length(steps);
        bar.step(0, "scaling and start");
        Self { bar, stages, measure, warnings: RefCell::default() }
    }

    /// Shows a step; breaks where a stop was asked for, or where the time of the command is spent.
    fn step(&self, progress: &Progress) -> ControlFlow<Termination> {
        self.bar.step(progress.iteration, message(progress, self.measure));
        if self.stages.interrupt.is_set() {
            return ControlFlow::Break(Termination::Stopped);
        }
        if self.stages.time.is_spent() {
            return ControlFlow::Break(Termination::TimeBudget);
        }
        ControlFlow::Continue(())
    }

    fn tell(&self, event: &CheckpointEvent<'_>) {
        match event {
            CheckpointEvent::Resumed { iteration, ended: true } => self.bar.line(&format!(
                "the fit has ended after {iteration} iterations: resuming with its evaluation"
            )),
            CheckpointEvent::Resumed { iteration, .. } => {
                self.bar.line(&format!("resuming at iteration {iteration}"));
                self.bar.resume(*iteration);
            }
            // What is kept besides is no matter of the bar.
            CheckpointEvent::Saving => {}
            CheckpointEvent::WriteFailed(error) => {
                let text = format!(
                    "the checkpoint cannot be written, and the fit continues; an interruption would lose the steps since \
                     the last one: {error}"
                );
                self.bar.line(&format!("warning: {text}"));
                let warning = Warning::new(WarningCode::CheckpointNotWritten, text);
                self.warnings.borrow_mut().push(warning);
            }
        }
    }

    /// Runs a fit with its checkpoint in the run's folder; `cure` is what may keep the next one from diverging.
    pub fn fit(
        &self,
        (folder, recording): (Option<&RunFolder>, Option<&Recording>),
        cure: &str,
        run: impl FnOnce(FitSession<'_>) -> burn_nca_learn::Result<Fitted>,
    ) -> Result<Fitted> {
        let mut watch = |progress: &Progress| self.step(progress);
        let recorder = || recording.iter().map(|steps| steps.recorder.borrow_mut());
        let mut begin = |start: &[f64]| recorder().for_each(|mut steps| steps.start(start));
        let mut note = |progress: &Progress, parameters: &[f64]| {
            recorder().for_each(|mut steps| steps.step(progress, parameters));
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
                self.tell(event);
                recording.iter().for_each(|steps| steps.follow(event));
            });
        }
        let model = run(session);
        self.bar.finish();
        let model = model?;
        if model.summary().termination == Termination::Stopped {
            recording.iter().for_each(|steps| steps.keep());
            let done = format!("{} iterations", model.summary().iterations);
            return Err(self.stages.interrupt.error(interrupted(&done, folder.is_some())));
        }
        refuse_diverged(&model, cure)
            .inspect_err(|_| folder.iter().for_each(|folder| folder.forget()))?;
        Ok(model)
    }
}

fn message(progress: &Progress, measure: ComparedBy) -> String {
    let mut text = format!("value {:.4}  gradient {:.1e}", progress.value, progress.gradient_max);
    if let Some(score) = progress.held_out {
        text.push_str("  held out ");
        text.push_str(&match measure {
            ComparedBy::Accuracy => format!("{:.1} %", 100.0 * score),
            ComparedBy::R2 => format!("R² {score:.3}"),
            ComparedBy::LogProbability => format!("ln p {score:.3}"),
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_tells_value_gradient_and_held_out_score() {
        let progress = Progress {
            iteration: 3,
            evaluations: 4,
            value: -98.25,
            gradient_max: 0.0123,
            step: 1.0,
            held_out: Some(0.955),
            omitted: None,
            seconds: 0.5,
        };
        let said = |measure| message(&progress, measure);
        assert_eq!(said(ComparedBy::Accuracy), "value -98.2500  gradient 1.2e-2  held out 95.5 %");
        assert!(said(ComparedBy::R2).ends_with("held out R² 0.955"));
    }
}
