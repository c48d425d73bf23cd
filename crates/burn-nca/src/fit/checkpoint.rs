//! The state of an interrupted fit on disk.

use std::path::Path;
use std::time::{Duration, Instant};

use burn_nca_files::{read_regular_text, write_atomically};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::session::{CheckpointEvent, OnCheckpoint};
use super::{FitIdentity, Termination};
use crate::error::{Error, Result};

const INTERVAL: Duration = Duration::from_secs(5);

/// The fit that a checkpoint belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Owner {
    pub identity: FitIdentity,
    /// The parameters that the fit starts from; they follow from the rest, but for a warm start.
    pub start: String,
}

impl Owner {
    /// How a fit differs from the one that a checkpoint belongs to; `None` where it is the same.
    fn refusal(&self, stored: &Self) -> Option<String> {
        let start = || (self.start != stored.start).then(|| "another start".to_string());
        self.identity.refusal(&stored.identity).or_else(start)
    }
}

#[derive(Serialize, Deserialize)]
struct Stored<S> {
    fit: Owner,
    state: S,
}

/// What a file says of its fit, whatever state follows.
#[derive(Deserialize)]
struct Header {
    fit: Owner,
}

/// A checkpoint file that belongs to one fit: the same settings, features, targets and start.
pub(super) struct Checkpoint<'a> {
    file: Option<(&'a Path, Owner)>,
    /// Whether the file outlasts the fit.
    keep: bool,
    on_event: Option<Box<OnCheckpoint<'a>>>,
    /// Whether a write has failed.
    failed: bool,
    written: Instant,
}

impl<'a> Checkpoint<'a> {
    /// The checkpoint of this fit in this file, or none; `keep` lets the file outlast the fit.
    pub fn new(
        file: Option<(&'a Path, Owner)>,
        keep: bool,
        on_event: Option<Box<OnCheckpoint<'a>>>,
    ) -> Self {
        Self { file, keep, on_event, failed: false, written: Instant::now() }
    }

    /// Tells that the fit goes on from the state of this step.
    pub fn resumed(&mut self, iteration: usize, ended: bool) {
        if let Some(tell) = &mut self.on_event {
            tell(&CheckpointEvent::Resumed { iteration, ended });
        }
    }

    /// Tells of the first write that failed; an error where nobody listens, as the user counts on the file.
    fn tolerate(&mut self, error: Error) -> Result<()> {
        let Some(tell) = &mut self.on_event else { return Err(error) };
        if !self.failed {
            self.failed = true;
            tell(&CheckpointEvent::WriteFailed(&error));
        }
        Ok(())
    }

    fn existing(&self) -> Option<(&'a Path, &Owner)> {
        self.file.as_ref().map(|(path, owner)| (*path, owner)).filter(|(path, _)| path.exists())
    }

    /// The stored state, if there is a file.
    ///
    /// # Errors
    /// A file that cannot be read, or that belongs to another fit.
    pub fn load<S: DeserializeOwned>(&self) -> Result<Option<S>> {
        let Some((path, owner)) = self.existing() else {
            return Ok(None);
        };
        let text = read_regular_text(path).map_err(|source| Error::io(path, source))?;
        let invalid = |error: serde_json::Error| {
            Error::model(
                path,
                format!("this is not a checkpoint of a fit ({error}); delete it to start again"),
            )
        };
        let Header { fit } = serde_json::from_str(&text).map_err(invalid)?;
        if let Some(others) = owner.refusal(&fit) {
            return Err(Error::model(
                path,
                format!(
                    "this checkpoint belongs to a fit with {others}; give those again, or delete it to start \
                     again"
                ),
            ));
        }
        let stored: Stored<S> = serde_json::from_str(&text).map_err(invalid)?;
        Ok(Some(stored.state))
    }

    /// Refuses a stored state that is not of as many parameters as the model has.
    ///
    /// # Errors
    /// Another number of parameters, as in a file that was edited.
    pub fn check_parameters(&self, stored: usize, model: usize) -> Result<()> {
        match self.existing() {
            Some((path, _)) if stored != model => Err(Error::model(
                path,
                format!(
                    "this checkpoint holds {stored} parameters where the model has {model}; delete it to start \
                     again"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Writes the state if the last write is some seconds ago.
    ///
    /// # Errors
    /// A file that cannot be written, where nobody is told of it.
    pub fn offer<S: Serialize>(&mut self, state: impl FnOnce() -> Result<S>) -> Result<()> {
        if self.file.is_none() || self.written.elapsed() < INTERVAL {
            return Ok(());
        }
        let state = state()?;
        self.save(&state).or_else(|error| self.tolerate(error))
    }

    /// Writes the last state of a fit that may be resumed, and removes the file of one that ended.
    ///
    /// # Errors
    /// A file that cannot be removed, or not be written where nobody is told of it or the fit was stopped: nothing
    /// else would be left of it.
    pub fn conclude<S: Serialize>(
        &mut self,
        end: Termination,
        state: impl FnOnce() -> Result<S>,
    ) -> Result<()> {
        match self.existing() {
            _ if self.file.is_none() => Ok(()),
            _ if self.keep || end.can_resume() => {
                let state = state()?;
                match self.save(&state) {
                    Err(error) if end != Termination::Stopped => self.tolerate(error),
                    saved => saved,
                }
            }
            Some((path, _)) => std::fs::remove_file(path).map_err(|source| Error::io(path, source)),
            None => Ok(()),
        }
    }

    /// Writes the state atomically.
    fn save<S: Serialize>(&mut self, state: &S) -> Result<()> {
        let Some((path, owner)) = &self.file else {
            return Ok(());
        };
        self.written = Instant::now();
        let stored = Stored { fit: owner.clone(), state };
        let text = serde_json::to_string(&stored).map_err(|error| {
            Error::model(path, format!("the checkpoint cannot be written: {error}"))
        })?;
        write_atomically(path, text.as_bytes()).map_err(|source| Error::io(path, source))
    }
}
