use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};

use crate::write_whole;

/// Prints results on stdout.
///
/// # Errors
/// A closed stdout.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("writing to stdout")
}

/// Writes results into a file, whole or not at all ([`write_whole`]); the error names the file.
///
/// # Errors
/// A folder that does not exist or cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
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
