//! What a person sees while a run goes on: a bar on stderr, and a stop by Ctrl-C.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The exit code of a process that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// A wish to stop: set by the first Ctrl-C, heeded after the batch that runs.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to Ctrl-C: the first asks to stop, the second ends the process.
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
            eprintln!("\nstopping after this batch; Ctrl-C again quits at once");
        })
        .context("Ctrl-C cannot be listened to")?;
        Ok(interrupt)
    }

    /// A wish that is there from the start.
    #[cfg(test)]
    pub fn set() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Whether a stop was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A bar over all batches of a run; lines of text stand above it, also where there is no bar.
pub struct Bar {
    bar: ProgressBar,
    drawn: bool,
}

impl Bar {
    /// A bar of `steps` batches; hidden where stderr is no terminal, or on request.
    pub fn new(steps: usize, quiet: bool) -> Self {
        let drawn = !quiet && std::io::stderr().is_terminal();
        let target =
            if drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let template = "{bar:24} batch {pos} of {len}  {msg}  about {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_style(style);
        Self { bar, drawn }
    }

    /// Shows that `done` batches are done, the last with this loss.
    pub fn step(&self, done: usize, loss: f64) {
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("loss {loss:.4}"));
    }

    /// Goes on from `done` batches of an earlier run.
    pub fn resume(&self, done: usize) {
        self.bar.set_position(done as u64);
        self.bar.reset_eta();
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        if self.drawn {
            self.bar.println(text);
        } else {
            eprintln!("{text}");
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
