//! Finished trials on disk.

use std::path::Path;

use burn_nca_files::{JournalError, read_journal, write_journal};
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

/// The trials of this file; none where there is no file.
pub(super) fn load(path: &Path, search: &FitIdentity) -> Result<Finished> {
    let found = read_journal(path, search).map_err(|error| match error {
        JournalError::Io(source) => Error::io(path, source),
        JournalError::Format(error) => Error::model(
            path,
            format!(
                "these are no trials of a search ({}); delete the file to start again",
                shortened(&error)
            ),
        ),
        JournalError::Others(others) => Error::model(
            path,
            format!(
                "these trials belong to a search with {others}; give those again, or delete the file to start \
                 again"
            ),
        ),
        JournalError::Changed => Error::model(
            path,
            "these trials are not those that were written: they were changed or damaged; restore the file, or \
             delete it to start again",
        ),
    })?;
    Ok(found.map(|(finished, _)| finished).unwrap_or_default())
}

/// Writes all trials atomically.
pub(super) fn save(path: &Path, search: &FitIdentity, finished: &Finished) -> Result<()> {
    write_journal(path, search, finished, &[]).map_err(|error| match error {
        JournalError::Io(source) => Error::io(path, source),
        error => Error::model(path, format!("the trials cannot be written: {error}")),
    })
}
