//! The progress of a fit on stderr, and stopping it with Ctrl-C.

use std::cell::RefCell;
use std::ops::ControlFlow;

use burn_nca_learn::fit::{CheckpointEvent, Progress, Termination};
use burn_nca_program::{Bar, Interrupt};
use burn_nca_report::{Warning, WarningCode};

use super::time_budget::TimeBudget;

/// What a held-out score is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeldOutMeasure {
    /// The expected accuracy.
    #[default]
    Accuracy,
    /// R² of the kernel rule.
    R2,
    /// The mean log probability of a pair.
    LogProbability,
}

/// A bar with the iteration, the value, the gradient, the held-out score and the time left.
pub struct FitProgress {
    bar: Bar,
    interrupt: Interrupt,
    time: TimeBudget,
    measure: HeldOutMeasure,
    warnings: RefCell<Vec<Warning>>,
}

impl FitProgress {
    /// A bar for at most `steps` steps in what is left of the command's time; hidden where stderr is no terminal, or on
    /// request.
    pub fn new(steps: usize, quiet: bool, (interrupt, time): (Interrupt, TimeBudget)) -> Self {
        let template = "{bar:24} {pos}/{len}  {msg}  at most {eta} left";
        let bar = Bar::new(template, quiet).with_length(steps);
        let (measure, warnings) = (HeldOutMeasure::default(), RefCell::default());
        Self { bar, interrupt, time, measure, warnings }
    }

    /// The same bar, for another held-out score than the accuracy.
    #[must_use]
    pub fn with_measure(self, measure: HeldOutMeasure) -> Self {
        Self { measure, ..self }
    }

    /// Shows the bar before the first step: the start of a fit may take longer than its steps.
    pub fn begin(&self) {
        self.bar.step(0, "scaling and start");
    }

    /// Shows a step; breaks where a stop was asked for, or where the time of the command is spent.
    pub fn step(&self, progress: &Progress) -> ControlFlow<Termination> {
        self.bar.step(progress.iteration, message(progress, self.measure));
        if self.interrupt.is_set() {
            return ControlFlow::Break(Termination::Stopped);
        }
        if self.time.is_spent() {
            return ControlFlow::Break(Termination::TimeBudget);
        }
        ControlFlow::Continue(())
    }

    /// Reports what became of the checkpoint.
    pub fn tell(&self, event: &CheckpointEvent<'_>) {
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

    /// What went wrong during the fit, and was reported then.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings.take()
    }

    /// The error of a fit that was stopped.
    pub fn interrupted(&self, message: String) -> anyhow::Error {
        self.interrupt.error(message)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish();
    }
}

fn message(progress: &Progress, measure: HeldOutMeasure) -> String {
    let mut text = format!("value {:.4}  gradient {:.1e}", progress.value, progress.gradient_max);
    if let Some(score) = progress.held_out {
        text.push_str("  held out ");
        text.push_str(&match measure {
            HeldOutMeasure::Accuracy => format!("{:.1} %", 100.0 * score),
            HeldOutMeasure::R2 => format!("R² {score:.3}"),
            HeldOutMeasure::LogProbability => format!("ln p {score:.3}"),
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress() -> Progress {
        Progress {
            iteration: 3,
            evaluations: 4,
            value: -98.25,
            gradient_max: 0.0123,
            step: 1.0,
            held_out: Some(0.955),
            omitted: None,
            seconds: 0.5,
        }
    }

    #[test]
    fn a_step_tells_value_gradient_and_held_out_score() {
        let said = |measure| message(&progress(), measure);
        assert_eq!(
            said(HeldOutMeasure::Accuracy),
            "value -98.2500  gradient 1.2e-2  held out 95.5 %"
        );
        assert!(said(HeldOutMeasure::R2).ends_with("held out R² 0.955"));
        assert!(said(HeldOutMeasure::LogProbability).ends_with("held out ln p 0.955"));
    }

    #[test]
    fn a_wish_to_stop_is_heeded_after_the_step() {
        let interrupt = Interrupt::default();
        let bar = FitProgress::new(10, true, (interrupt.clone(), TimeBudget::start(None)));
        bar.begin();
        assert!(bar.step(&progress()).is_continue());
        interrupt.ask();
        assert_eq!(bar.step(&progress()), ControlFlow::Break(Termination::Stopped));
    }

    #[test]
    fn a_fit_ends_where_the_time_of_the_command_is_spent() {
        let time = TimeBudget::start(Some(0.0));
        let bar = FitProgress::new(10, true, (Interrupt::default(), time));
        assert_eq!(bar.step(&progress()), ControlFlow::Break(Termination::TimeBudget));
    }

    #[test]
    fn a_checkpoint_that_cannot_be_written_is_a_warning_of_the_report() {
        let bar = FitProgress::new(10, true, (Interrupt::default(), TimeBudget::start(None)));
        assert_eq!(bar.warnings(), []);
        bar.tell(&CheckpointEvent::WriteFailed(&burn_nca_learn::Error::setting("full")));
        let [warning] = &bar.warnings()[..] else { panic!("one warning") };
        assert_eq!(warning.code, WarningCode::CheckpointNotWritten);
        assert!(warning.text.ends_with("since the last one: full"), "{}", warning.text);
    }
}
