//! Stopping on request: Ctrl-C, SIGTERM and SIGHUP let the step that runs end first.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use anyhow::{Context, Result};

use crate::eprint_line;

/// The signal of Ctrl-C.
const SIGINT: i32 = 2;

/// A wish to stop: set by the first signal, heeded after the step that runs.
///
/// The default listens to nothing; copies share one wish.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicI32>);

/// Work that was stopped on request, and what to tell its user.
#[derive(Debug)]
pub struct Interrupted {
    message: String,
    /// What shells take for the end by that signal: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    pub exit_code: u8,
}

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Interrupted {}

impl Interrupt {
    /// Listens to Ctrl-C, and to SIGTERM and SIGHUP where there are such: the first asks to stop after the step
    /// (or whatever `step` calls it), the second ends the process.
    ///
    /// A SIGHUP that is ignored when the program starts, as under `nohup`, stays ignored.
    ///
    /// Call it before the program starts threads: signals are taken from all of them.
    ///
    /// # Errors
    /// A system without signal handlers.
    pub fn listen(step: &'static str) -> Result<Self> {
        let interrupt = Self::default();
        let receiver = interrupt.clone();
        platform::on_signal(move |signal| receiver.receive(signal, step))
            .context("cannot install the handler of Ctrl-C")?;
        Ok(interrupt)
    }

    /// Asks to stop, as the first Ctrl-C does.
    pub fn ask(&self) {
        self.0.store(SIGINT, Ordering::SeqCst);
    }

    /// Whether a stop was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    /// The error that ends the work, with the exit code of the signal.
    pub fn error(&self, message: impl Into<String>) -> anyhow::Error {
        let signal = match self.0.load(Ordering::SeqCst) {
            0 => SIGINT,
            signal => signal,
        };
        anyhow::Error::new(Interrupted { message: message.into(), exit_code: exit_code(signal) })
    }

    fn receive(&self, signal: i32, step: &str) {
        if self.0.swap(signal, Ordering::SeqCst) != 0 {
            std::process::exit(exit_code(signal).into());
        }
        eprint_line(&answer(signal, step));
    }
}

fn answer(signal: i32, step: &str) -> String {
    let again = if signal == SIGINT { "Ctrl-C again" } else { "a second signal" };
    format!("\nstopping after this {step}; {again} quits at once")
}

/// What shells add to the number of a signal.
fn exit_code(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

#[cfg(unix)]
mod platform {
    use std::io;
    use std::thread;

    use nix::sys::signal::{SigSet, Signal};

    /// Must come before other threads begin: they inherit that the signals wait for the thread that takes them.
    pub fn on_signal(receive: impl Fn(i32) + Send + 'static) -> io::Result<()> {
        let mut wanted = SigSet::empty();
        [Signal::SIGINT, Signal::SIGTERM].into_iter().chain(hangup()).for_each(|s| wanted.add(s));
        wanted.thread_block()?;
        let listen = move || {
            while let Ok(signal) = wanted.wait() {
                receive(signal as i32);
            }
        };
        thread::Builder::new().name("signals".to_string()).spawn(listen).map(drop)
    }

    /// SIGHUP, unless the program was started to ignore it.
    #[cfg(target_os = "linux")]
    fn hangup() -> Option<Signal> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        (!is_ignored(Signal::SIGHUP as i32, &status)?).then_some(Signal::SIGHUP)
    }

    /// Elsewhere nothing tells what was ignored: SIGHUP does what the system has it do.
    #[cfg(not(target_os = "linux"))]
    fn hangup() -> Option<Signal> {
        None
    }

    /// Whether a signal is ignored by the text of /proc/PID/status.
    #[cfg(target_os = "linux")]
    fn is_ignored(signal: i32, status: &str) -> Option<bool> {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
        Some(mask >> (signal - 1) & 1 == 1)
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io;

    pub fn on_signal(receive: impl Fn(i32) + Send + 'static) -> io::Result<()> {
        ctrlc::set_handler(move || receive(super::SIGINT)).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_one_wish_and_its_exit_code() {
        for (signal, code, again) in [(SIGINT, 130, "Ctrl-C again"), (15, 143, "a second signal")] {
            let interrupt = Interrupt::default();
            let copy = interrupt.clone();
            assert!(!copy.is_set());
            interrupt.receive(signal, "step");
            assert!(copy.is_set());
            let error = copy.error("stopped").downcast::<Interrupted>().unwrap();
            assert_eq!((error.to_string().as_str(), error.exit_code), ("stopped", code));
            let said = answer(signal, "step");
            assert!(said.ends_with(&format!("after this step; {again} quits at once")), "{said}");
        }
    }
}
