use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

/// The exit code of a process that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// A wish to stop: set by the first Ctrl-C, heeded after the step that runs.
///
/// The default listens to nothing; copies share one wish.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to Ctrl-C: the first asks to stop after the step (or whatever `step` calls it), the second ends
    /// the process.
    ///
    /// # Errors
    /// A system that lets nobody listen, or a second listener in one process.
    pub fn listen(step: &'static str) -> Result<Self> {
        let interrupt = Self::default();
        let flag = interrupt.clone();
        ctrlc::set_handler(move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                std::process::exit(INTERRUPTED);
            }
            eprintln!("\nstopping after this {step}; Ctrl-C again quits at once");
        })
        .context("Ctrl-C cannot be listened to")?;
        Ok(interrupt)
    }

    /// Asks to stop, as the first Ctrl-C does.
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether a stop was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_one_wish() {
        let interrupt = Interrupt::default();
        let copy = interrupt.clone();
        assert!(!copy.is_set());
        interrupt.ask();
        assert!(copy.is_set());
    }
}
