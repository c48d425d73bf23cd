//! The state of an interrupted fit, on disk or in memory.

use std::path::{Path, PathBuf};
use web_time::{Duration, Instant};

use burn_nca_files::{
    Identity, JournalError, from_journal, journal_interval, read_regular, to_journal,
    write_atomically,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::session::{CheckpointEvent, FitState, OnCheckpoint};
use super::{Fingerprint, FitConfig, FitIdentity, FitSession, Termination};
use crate::error::{Error, Result, shortened};

/// The fit that a checkpoint belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FitKey {
    /// Settings, features and targets.
    pub identity: FitIdentity,
    /// The parameters that the fit starts from; they follow from the rest, but for a warm start.
    pub start: String,
}

impl FitKey {
    /// The key of a fit with these settings in addition to those of its identity, and this start.
    pub fn new(identity: FitIdentity, config: &FitConfig, other: &str, start: Fingerprint) -> Self {
        let settings = Fingerprint::new()
            .text(&identity.settings)
            .text(&config.without_limits().to_string())
            .text(other)
            .finish();
        Self { identity: FitIdentity { settings, ..identity }, start: start.finish() }
    }
}

impl Identity for FitKey {
    fn refusal(&self, stored: &Self) -> Option<String> {
        let start = || (self.start != stored.start).then(|| "another start".to_string());
        self.identity.refusal(&stored.identity).or_else(start)
    }
}

/// Where a checkpoint is kept.
enum Place<'a> {
    /// A file, written every few seconds.
    File(PathBuf),
    /// The caller's memory, written where the fit is cut off.
    Memory(&'a mut FitState),
}

impl Place<'_> {
    /// What errors call it.
    fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Memory(_) => Path::new("(in memory)"),
        }
    }

    fn read(&self) -> std::io::Result<Option<Vec<u8>>> {
        match self {
            Self::File(path) => path.exists().then(|| read_regular(path)).transpose(),
            Self::Memory(state) => Ok((!state.is_empty()).then(|| state.0.clone())),
        }
    }

    fn write(&mut self, journal: Vec<u8>) -> std::io::Result<()> {
        match self {
            Self::File(path) => write_atomically(path, &journal),
            Self::Memory(state) => {
                state.0 = journal;
                Ok(())
            }
        }
    }

    fn remove(&mut self) -> std::io::Result<()> {
        match self {
            Self::File(path) if path.exists() => std::fs::remove_file(path),
            Self::File(_) => Ok(()),
            Self::Memory(state) => {
                state.0.clear();
                Ok(())
            }
        }
    }
}

/// A checkpoint that belongs to one fit: the same settings, features, targets and start.
pub struct Checkpoint<'a> {
    kept: Option<(Place<'a>, FitKey)>,
    /// Whether the file outlasts the fit.
    keep: bool,
    on_event: Option<Box<OnCheckpoint<'a>>>,
    /// Whether a write has failed.
    failed: bool,
    written: Instant,
    /// Time from one write to the next.
    interval: Duration,
}

impl<'a> Checkpoint<'a> {
    /// The checkpoint that a session asks for, of the fit of this key; or none.
    ///
    /// # Errors
    /// A fit that has no key.
    pub fn of(session: &mut FitSession<'a>, key: impl FnOnce() -> Result<FitKey>) -> Result<Self> {
        let place = match (session.checkpoint.take(), session.state.take()) {
            (Some(path), _) => Some(Place::File(path)),
            (None, state) => state.map(Place::Memory),
        };
        Ok(Self {
            kept: place.map(|place| Ok((place, key()?))).transpose()?,
            keep: session.keep_checkpoint,
            on_event: session.on_checkpoint.take(),
            failed: false,
            written: Instant::now(),
            interval: journal_interval(),
        })
    }

    /// Reports that the fit continues from the state of this step.
    pub fn resumed(&mut self, iteration: usize, ended: bool) {
        if let Some(tell) = &mut self.on_event {
            tell(&CheckpointEvent::Resumed { iteration, ended });
        }
    }

    /// Reports the first write that failed; an error without a callback, as the user counts on the file.
    fn tolerate(&mut self, error: Error) -> Result<()> {
        let Some(tell) = &mut self.on_event else { return Err(error) };
        if !self.failed {
            self.failed = true;
            tell(&CheckpointEvent::WriteFailed(&error));
        }
        Ok(())
    }

    /// The stored state, if there is a file. Its checksum and its key are checked: the state is one of this fit, as
    /// this program wrote it.
    ///
    /// # Errors
    /// A file that cannot be read, that belongs to another fit, or whose state was changed.
    pub fn load<S: DeserializeOwned>(&self) -> Result<Option<S>> {
        let Some((place, key)) = &self.kept else { return Ok(None) };
        let path = place.path();
        let journal = place.read().map_err(|source| Error::io(path, source))?;
        let Some(journal) = journal else { return Ok(None) };
        let (state, _) = from_journal(key, &journal).map_err(|error| {
            let reason = match error {
                JournalError::Io(source) => return Error::io(path, source),
                JournalError::Format(error) => format!(
                    "this is not a checkpoint of a fit ({}); delete it to start again",
                    shortened(&error)
                ),
                JournalError::Others(others) => format!(
                    "this checkpoint belongs to a fit with {others}; give those again, or delete it to start again"
                ),
                JournalError::Changed => "the state in this checkpoint is not the one that was written: it was \
                     changed or damaged; restore the file, or delete it to start again"
                    .to_string(),
            };
            Error::model(path, reason)
        })?;
        Ok(Some(state))
    }

    /// Writes the state if the last write is some seconds ago.
    ///
    /// # Errors
    /// A file that cannot be written, if no callback reports it.
    pub fn offer<S: Serialize>(&mut self, state: impl FnOnce() -> Result<S>) -> Result<()> {
        let in_a_file = matches!(self.kept, Some((Place::File(_), _)));
        if !in_a_file || self.written.elapsed() < self.interval {
            return Ok(());
        }
        let state = state()?;
        self.save(&state).or_else(|error| self.tolerate(error))
    }

    /// Writes the last state of a fit that may be resumed, and removes the file of one that ended.
    ///
    /// # Errors
    /// A file that cannot be removed, or not be written if no callback reports it or the fit was stopped: nothing
    /// else would be left of it.
    pub fn conclude<S: Serialize>(
        &mut self,
        end: Termination,
        state: impl FnOnce() -> Result<S>,
    ) -> Result<()> {
        let Some((place, _)) = &mut self.kept else { return Ok(()) };
        if self.keep || end.can_resume() {
            let state = state()?;
            return match self.save(&state) {
                Err(error) if end != Termination::Stopped => self.tolerate(error),
                saved => saved,
            };
        }
        place.remove().map_err(|source| Error::io(place.path(), source))
    }

    fn save<S: Serialize>(&mut self, state: &S) -> Result<()> {
        let Some((place, key)) = &mut self.kept else { return Ok(()) };
        self.written = Instant::now();
        if let Some(tell) = &mut self.on_event {
            tell(&CheckpointEvent::Saving);
        }
        let journal = to_journal(key, state, &[]).map_err(|error| {
            Error::model(place.path(), format!("the checkpoint cannot be written: {error}"))
        })?;
        place.write(journal).map_err(|source| Error::io(place.path(), source))
    }
}
