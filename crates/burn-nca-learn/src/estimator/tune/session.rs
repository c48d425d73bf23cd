//! What accompanies one run of a search: a callback, and a file to resume from.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use burn_nca_files::{JournalError, read_journal, write_journal};
use serde::{Deserialize, Serialize};

use super::{Candidate, Choice, Trial};
use crate::error::{Error, Result, shortened};
use crate::fit::FitIdentity;

/// The state of a search, as its callback sees it before every fold is cut and after every step of every fit.
#[derive(Clone, Copy, Debug)]
pub struct TuneProgress<'a> {
    /// Number of candidates that are finished, those of earlier runs included.
    pub finished: usize,
    /// Number of candidates in all.
    pub candidates: usize,
    /// The candidate that is tried now.
    pub candidate: &'a Candidate,
    /// Number of its folds that are finished.
    pub folds_finished: usize,
    /// Number of its folds.
    pub folds: usize,
    /// The best so far.
    pub best: Option<&'a Choice>,
    /// Seconds of the search, those of earlier runs included.
    pub seconds: f64,
}

/// A callback during a search, from any thread; a break ends the search.
pub type OnTuneProgress<'a> = dyn FnMut(&TuneProgress<'_>) -> ControlFlow<()> + Send + 'a;

/// What accompanies one run of a search: a callback, and a file to resume from.
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use burn_nca_learn::estimator::tune::{TuneProgress, TuneSession};
///
/// let mut watch = |progress: &TuneProgress<'_>| {
///     if progress.finished < 10 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// let session = TuneSession::new().with_progress(&mut watch).with_file("trials.json".as_ref());
/// ```
#[derive(Default)]
pub struct TuneSession<'a> {
    pub(super) on_progress: Option<&'a mut OnTuneProgress<'a>>,
    pub(super) file: Option<PathBuf>,
}

impl<'a> TuneSession<'a> {
    /// A run without callback and file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls back before every fold is cut and after every step of every fit.
    #[must_use]
    pub fn with_progress(mut self, on_progress: &'a mut OnTuneProgress<'a>) -> Self {
        self.on_progress = Some(on_progress);
        self
    }

    /// Keeps finished trials in this file, written whole after each. Where the file exists and belongs to the
    /// same settings and data, its trials are not run again: the search continues after them, and a search that
    /// was interrupted finds what one that was left alone finds.
    #[must_use]
    pub fn with_file(mut self, path: &Path) -> Self {
        self.file = Some(path.to_path_buf());
        self
    }
}

/// The finished trials of a search, and its time.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Finished {
    /// Finished trials.
    pub trials: Vec<Trial>,
    /// Seconds spent on them, and on one that the budget cut off.
    pub seconds: f64,
}

/// The trials of this file; none where there is no file.
pub(super) fn load_trials(path: &Path, search: &FitIdentity) -> Result<Finished> {
    let refused = |error| {
        let reason = match error {
            JournalError::Io(source) => return Error::io(path, source),
            JournalError::Format(error) => format!(
                "these are no trials of a search ({}); delete the file to start again",
                shortened(&error)
            ),
            JournalError::Others(others) => format!(
                "these trials belong to a search with {others}; give those again, or delete the file to start \
                 again"
            ),
            JournalError::Changed => {
                "these trials are not those that were written: they were changed or damaged; restore the file, or \
                 delete it to start again"
                    .to_string()
            }
        };
        Error::model(path, reason)
    };
    let found = read_journal(path, search).map_err(refused)?;
    Ok(found.map(|(finished, _)| finished).unwrap_or_default())
}

/// Writes all trials atomically.
pub(super) fn save_trials(path: &Path, search: &FitIdentity, finished: &Finished) -> Result<()> {
    write_journal(path, search, finished, &[]).map_err(|error| match error {
        JournalError::Io(source) => Error::io(path, source),
        error => Error::model(path, format!("the trials cannot be written: {error}")),
    })
}
