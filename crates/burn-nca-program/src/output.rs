//! Results on stdout and into files.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use burn_nca_files::write_atomically;

/// Prints results on stdout.
///
/// # Errors
/// A closed stdout.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("writing to stdout")
}

/// Writes results into a file by [`write_atomically`]; the error names the file.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomically(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_file(&folder.path().join("no/z.csv"), b"").unwrap_err().to_string();
        assert!(error.ends_with("no/z.csv cannot be written"), "{error}");
    }
}
