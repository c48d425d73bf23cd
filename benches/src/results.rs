//! Files of results: a JSON list with one finished task a line, so that a difference names the task.

use std::path::Path;

use anyhow::Context;
use burn_nca_program::write_file;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The tasks that an interrupted measurement has finished; none where there is no file.
///
/// # Errors
/// A file that cannot be read, or of another program.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} holds no results of this measurement", path.display()))
}

/// Writes all results atomically.
///
/// # Errors
/// A file that cannot be written.
pub fn write<T: Serialize>(path: &Path, results: &[T]) -> anyhow::Result<()> {
    let lines: Vec<String> = results.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    write_file(path, format!("[\n{}\n]\n", lines.join(",\n")).as_bytes())
}
