//! The progress of a training on stderr, and stopping it with Ctrl-C.

use std::cell::RefCell;

use anyhow::Result;
use burn_nca_program::{Bar, Interrupt};

use crate::training::Check;

/// A bar with the loss and the held-out measures, a training at a time.
pub struct Progress {
    bar: RefCell<Bar>,
    quiet: bool,
    interrupt: Interrupt,
}

impl Progress {
    /// Listens to Ctrl-C: the first asks the training to stop, the second ends the process.
    ///
    /// # Errors
    /// A system without signal handlers.
    pub fn listen(quiet: bool) -> Result<Self> {
        Ok(Self::new(quiet, Interrupt::listen("step")?))
    }

    /// A progress that shows nothing and is interrupted only by [`interrupt`](Self::interrupt).
    #[cfg(test)]
    pub fn silent() -> Self {
        Self::new(true, Interrupt::default())
    }

    fn new(quiet: bool, interrupt: Interrupt) -> Self {
        Self { bar: RefCell::new(bar("", quiet)), quiet, interrupt }
    }

    /// Asks the training to stop.
    #[cfg(test)]
    pub fn interrupt(&self) {
        self.interrupt.ask();
    }

    /// Whether a stop was asked for.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_set()
    }

    /// A new bar.
    pub fn start(&self, name: &str, steps: usize) {
        self.bar.replace(bar(name, self.quiet).with_length(steps));
    }

    /// Shows a step.
    pub fn step(&self, step: usize, loss: f64, check: Option<&Check>) {
        self.bar.borrow().step(step, message(loss, check));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.borrow().finish();
    }

    /// Prints a line for the user, unless silence was asked for.
    pub fn tell(&self, line: &str) {
        if !self.quiet {
            burn_nca_program::eprint_line(line);
        }
    }
}

fn bar(name: &str, quiet: bool) -> Bar {
    Bar::new(&format!("{name} {{bar:24}} {{pos}}/{{len}}  {{msg}}  {{eta}} left"), quiet)
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
