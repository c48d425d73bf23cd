//! Finished trials on disk.

use std::path::Path;

use burn_nca_files::{read_regular_text, write_atomically};
use serde::{Deserialize, Serialize};

use super::Trial;
use crate::error::{Error, Result, shortened};
use crate::fit::FitIdentity;

/// The finished trials of a search, and its time.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Finished {
    /// Finished trials.
    pub trials: Vec<Trial>,
    /// Seconds spent on them, and on one that the budget cut off.
    pub seconds: f64,
}

/// The same, with the search that it belongs to.
#[derive(Serialize, Deserialize)]
struct Stored {
    search: FitIdentity,
    #[serde(rename = "known")]
    finished: Finished,
}

/// The trials of this file; none where there is no file.
///
/// # Errors
/// A file that cannot be read, or that belongs to another search.
pub(super) fn load(path: &Path, search: &FitIdentity) -> Result<Finished> {
    if !path.exists() {
        return Ok(Finished::default());
    }
    let text = read_regular_text(path).map_err(|source| Error::io(path, source))?;
    let stored: Stored = serde_json::from_str(&text).map_err(|error| {
        Error::model(
            path,
            format!(
                "these are no trials of a search ({}); delete the file to start again",
                shortened(&error)
            ),
        )
    })?;
    if let Some(others) = search.refusal(&stored.search) {
        return Err(Error::model(
            path,
            format!(
                "these trials belong to a search with {others}; give those again, or delete the file to start \
                 again"
            ),
        ));
    }
    Ok(stored.finished)
}

/// Writes all trials atomically.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn save(path: &Path, search: &FitIdentity, finished: Finished) -> Result<()> {
    let stored = Stored { search: search.clone(), finished };
    let text = serde_json::to_string(&stored)
        .map_err(|error| Error::model(path, format!("the trials cannot be written: {error}")))?;
    write_atomically(path, text.as_bytes()).map_err(|source| Error::io(path, source))
}
