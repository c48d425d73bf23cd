//! Where results go: stdout, or a file that appears whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};

/// Prints results.
///
/// # Errors
/// A closed stdout.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("writing to stdout")
}

/// Writes a file under a temporary name beside it, then renames it: no reader sees half of it.
///
/// # Errors
/// A folder that does not exist or cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let failed = || format!("{} cannot be written", path.display());
    let mut builder = tempfile::Builder::new();
    // Temporary files are the owner's alone; a result has the permissions of any other new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).with_context(failed)?;
    file.write_all(bytes).with_context(failed)?;
    file.persist(path).map_err(|error| error.error).with_context(failed)?;
    Ok(())
}
