//! Results on stdout and into files; what a program says while it works, on stderr and never at the cost of the work.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use burn_nca_files::{write_atomically, write_stdout};

use crate::printable::printable;

/// Prints results on stdout.
///
/// # Errors
/// A closed stdout.
pub fn print(text: &str) -> Result<()> {
    write_stdout(text.as_bytes()).context("writing to stdout")
}

/// Writes results into a file by [`write_atomically`]; the error names the file.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomically(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}

/// Says a line on stderr, its control characters escaped. A stderr that is closed or full ends no run: the line is lost, the work continues.
pub fn eprint_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}
