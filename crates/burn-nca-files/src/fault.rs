//! Faults on request: the n-th disk operation of a thread fails, or ends the process. In a debug build, for tests.
//!
//! Tests of one process call [`arm`]; a program under test reads the variable `NCA_FAULT`, as in `fail:3` or
//! `abort:3`, and `NCA_JOURNAL_SECONDS`, how often work keeps its state.

use std::cell::Cell;
use std::io;
use std::time::Duration;

/// What happens at the chosen operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operation fails, as on a full disk, and so does every later one.
    Fail,
    /// The process ends at once, as by `kill -9`.
    Abort,
}

#[derive(Clone, Copy)]
struct Armed {
    fault: Fault,
    left: usize,
    struck: bool,
}

thread_local! {
    static ARMED: Cell<Option<Armed>> = Cell::new(from_environment());
}

/// Lets the operation with this number (0 is the next) meet the fault.
pub fn arm(fault: Fault, operation: usize) {
    ARMED.set(Some(Armed { fault, left: operation, struck: false }));
}

/// Lets operations succeed again; whether the fault struck.
pub fn disarm() -> bool {
    ARMED.take().is_some_and(|armed| armed.struck)
}

fn from_environment() -> Option<Armed> {
    let text = std::env::var("NCA_FAULT").ok()?;
    let (fault, operation) = match text.split_once(':')? {
        ("fail", operation) => (Fault::Fail, operation),
        ("abort", operation) => (Fault::Abort, operation),
        _ => return None,
    };
    Some(Armed { fault, left: operation.parse().ok()?, struck: false })
}

/// Time between two states of work on the disk, where the environment names one.
pub(crate) fn interval() -> Option<Duration> {
    let seconds = std::env::var("NCA_JOURNAL_SECONDS").ok()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Called before every disk operation.
pub(crate) fn point(operation: &str) -> io::Result<()> {
    let Some(armed) = ARMED.get() else { return Ok(()) };
    if armed.left > 0 {
        ARMED.set(Some(Armed { left: armed.left - 1, ..armed }));
        return Ok(());
    }
    if armed.fault == Fault::Abort {
        std::process::abort();
    }
    ARMED.set(Some(Armed { struck: true, ..armed }));
    Err(io::Error::new(io::ErrorKind::StorageFull, format!("injected fault: {operation}")))
}
