//! Standard output, and whether its reader has gone.

use std::fmt;
use std::io::{self, ErrorKind, Write};

/// Standard output was closed by its reader, as by `head` once it has seen enough.
#[derive(Debug)]
struct ClosedStdout;

impl fmt::Display for ClosedStdout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard output was closed by its reader")
    }
}

impl std::error::Error for ClosedStdout {}

/// Writes all bytes to standard output, past its buffer.
///
/// # Errors
/// A standard output that was closed ([`is_closed_stdout`]), or that cannot be written.
pub fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(of_stdout)
}

fn of_stdout(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::BrokenPipe => io::Error::new(ErrorKind::BrokenPipe, ClosedStdout),
        _ => error,
    }
}

/// Whether this is the error of [`write_stdout`] whose reader has gone: no other pipe's.
pub fn is_closed_stdout(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<ClosedStdout>())
}
