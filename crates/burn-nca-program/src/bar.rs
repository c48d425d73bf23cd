//! The progress bar of the programs.

use std::io::IsTerminal;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::eprint_line;
use crate::printable::printable;

/// Progress on stderr; hidden where stderr is no terminal, or on request.
///
/// # Examples
/// ```
/// let bar = burn_nca_program::Bar::new("{bar:24} {pos}/{len}  {msg}  {eta} left", false).with_length(10);
/// bar.step(1, "value 0.5");
/// bar.line("a line that stays above the bar");
/// bar.finish();
/// ```
pub struct Bar {
    bar: ProgressBar,
    drawn: bool,
}

impl Bar {
    /// A bar of a length that is not known yet.
    ///
    /// # Panics
    /// If indicatif cannot read the template.
    pub fn new(template: &str, quiet: bool) -> Self {
        let drawn = !quiet && std::io::stderr().is_terminal();
        let target =
            if drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let style = style.with_key("eta", time_left);
        Self { bar: ProgressBar::with_draw_target(None, target).with_style(style), drawn }
    }

    /// The same bar, for so many steps.
    #[must_use]
    pub fn with_length(self, steps: usize) -> Self {
        self.set_length(steps);
        self
    }

    /// Gives the bar a length once it is known.
    pub fn set_length(&self, steps: usize) {
        self.bar.set_length(steps as u64);
    }

    /// Shows that `done` steps are done, and a message; a bar that was removed appears again.
    pub fn step(&self, done: usize, message: impl Into<String>) {
        let message = message.into();
        if self.bar.is_finished() {
            self.bar.set_message(message.clone());
            self.bar.reset();
        }
        self.bar.set_position(done as u64);
        self.bar.set_message(message);
    }

    /// Continues from `done` steps of an earlier run, which took none of this run's time.
    pub fn resume(&self, done: usize) {
        self.bar.set_position(done as u64);
        // Known to the estimate before it starts again: it counts the steps since those it knows.
        self.bar.tick();
        self.bar.reset_eta();
    }

    /// A line that stays, on stderr also where there is no bar.
    pub fn line(&self, text: &str) {
        if self.drawn {
            self.bar.println(printable(text));
        } else {
            eprint_line(text);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The time left; a question mark until a step tells how long one takes.
fn time_left(state: &ProgressState, text: &mut dyn std::fmt::Write) {
    let left = state.eta();
    let unknown = left.is_zero() && state.len().is_some_and(|steps| state.pos() < steps);
    // A bar that cannot be drawn is no error.
    let _ = if unknown { text.write_char('?') } else { write!(text, "{:#}", HumanDuration(left)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_counts_on_from_an_earlier_run_and_appears_again_with_its_next_step() {
        let bar = Bar::new("{eta} {msg}", true).with_length(1000);
        let left = || {
            let mut text = String::new();
            bar.bar.update(|state| time_left(state, &mut text));
            text
        };
        bar.resume(900);
        assert_eq!(left(), "?");
        std::thread::sleep(std::time::Duration::from_millis(20));
        bar.step(901, "a");
        // At most one step in 20 ms: the 99 to come take two seconds or more.
        assert!(bar.bar.per_sec() <= 50.0, "{}", bar.bar.per_sec());
        assert!(!["?", "0s", "1s"].contains(&left().as_str()), "{}", left());
        bar.finish();
        assert!(!bar.drawn && bar.bar.is_finished());
        bar.step(1, "b");
        assert!(!bar.bar.is_finished());
        assert_eq!((bar.bar.position(), bar.bar.message().as_str()), (1, "b"));
    }
}
