//! What accompanies one run of a search: a callback, and a file to resume from.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::{Candidate, Choice};

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
