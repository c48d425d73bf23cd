//! The progress of a training on stderr, and stopping it with Ctrl-C.

use std::cell::RefCell;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::training::Check;

/// The exit code of a process that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// A bar with the loss and the held-out measures; hidden where stderr is no terminal.
pub struct Progress {
    bar: RefCell<ProgressBar>,
    quiet: bool,
    interrupt: Arc<AtomicBool>,
}

impl Progress {
    /// Listens to Ctrl-C: the first asks the training to stop, the second ends the process.
    ///
    /// # Errors
    /// A system that lets nobody listen.
    pub fn listen(quiet: bool) -> Result<Self> {
        let interrupt = Arc::new(AtomicBool::new(false));
        let flag = interrupt.clone();
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(INTERRUPTED);
            }
            eprintln!("\nstopping after this step; Ctrl-C again quits at once");
        })
        .context("Ctrl-C cannot be listened to")?;
        Ok(Self { bar: RefCell::new(ProgressBar::hidden()), quiet, interrupt })
    }

    /// A progress that shows nothing and is never interrupted.
    #[cfg(test)]
    pub fn silent() -> Self {
        let interrupt = Arc::new(AtomicBool::new(false));
        Self { bar: RefCell::new(ProgressBar::hidden()), quiet: true, interrupt }
    }

    /// Asks the training to stop.
    #[cfg(test)]
    pub fn interrupt(&self) {
        self.interrupt.store(true, Ordering::SeqCst);
    }

    /// Whether a stop was asked for.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::SeqCst)
    }

    /// A new bar.
    pub fn start(&self, name: &str, steps: usize) {
        let target = if self.quiet || !std::io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let template = "{prefix} {bar:24} {pos}/{len}  {msg}  {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_style(style);
        bar.set_prefix(name.to_string());
        self.bar.replace(bar);
    }

    /// Shows a step.
    pub fn step(&self, step: usize, loss: f64, check: Option<&Check>) {
        let bar = self.bar.borrow();
        bar.set_position(step as u64);
        if !bar.is_hidden() {
            bar.set_message(message(loss, check));
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.borrow().finish_and_clear();
    }

    /// Tells the user a line, unless silence was asked for.
    pub fn tell(&self, line: &str) {
        if !self.quiet {
            eprintln!("{line}");
        }
    }
}

fn message(loss: f64, check: Option<&Check>) -> String {
    let mut text = format!("loss {loss:.3}");
    if let Some(check) = check {
        text.push_str(&format!(
            "  held out {:.3}, rotation {:.3}, size {:.3}",
            check.held_out, check.rotation, check.size
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_tells_loss_and_held_out_measures() {
        let check =
            Check { step: 3, loss: 1.0, held_out: 2.5, rotation: 0.91, size: -0.5, seconds: 1.0 };
        assert_eq!(message(1.25, None), "loss 1.250");
        assert_eq!(
            message(1.25, Some(&check)),
            "loss 1.250  held out 2.500, rotation 0.910, size -0.500"
        );
    }
}
