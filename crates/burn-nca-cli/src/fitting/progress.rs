//! The progress of a fit on stderr, and stopping it with Ctrl-C.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use burn_nca::fit::{Progress, Termination};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The exit code of a process that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// A wish to stop: set by the first Ctrl-C, heeded after the step that runs.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to Ctrl-C: the first asks the fit to stop, the second ends the process.
    ///
    /// # Errors
    /// A system that lets nobody listen.
    pub fn listen() -> Result<Self> {
        let interrupt = Self::default();
        let flag = interrupt.clone();
        ctrlc::set_handler(move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                std::process::exit(INTERRUPTED);
            }
            eprintln!("\nstopping after this step; Ctrl-C again quits at once");
        })
        .context("Ctrl-C cannot be listened to")?;
        Ok(interrupt)
    }

    /// Whether a stop was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

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
    bar: ProgressBar,
    interrupt: Interrupt,
    measure: HeldOutMeasure,
}

impl FitProgress {
    /// A bar for at most `steps` steps; hidden where stderr is no terminal, or on request.
    pub fn new(steps: usize, quiet: bool, interrupt: Interrupt) -> Self {
        let target = if quiet || !std::io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let template = "{bar:24} {pos}/{len}  {msg}  at most {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_style(style);
        Self { bar, interrupt, measure: HeldOutMeasure::default() }
    }

    /// The same bar, for another held-out score than the accuracy.
    #[must_use]
    pub fn with_measure(self, measure: HeldOutMeasure) -> Self {
        Self { measure, ..self }
    }

    /// Shows a step; breaks where a stop was asked for.
    pub fn step(&self, progress: &Progress) -> ControlFlow<Termination> {
        self.bar.set_position(progress.iteration as u64);
        self.bar.set_message(message(progress, self.measure));
        if self.interrupt.is_set() {
            return ControlFlow::Break(Termination::Stopped);
        }
        ControlFlow::Continue(())
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
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
        let bar = FitProgress::new(10, true, interrupt.clone());
        assert!(bar.step(&progress()).is_continue());
        interrupt.0.store(true, Ordering::SeqCst);
        assert_eq!(bar.step(&progress()), ControlFlow::Break(Termination::Stopped));
    }
}
