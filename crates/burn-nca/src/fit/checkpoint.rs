//! The state of an interrupted fit, on disk or in memory.

use std::path::Path;
use web_time::{Duration, Instant};

use burn_nca_files::{read_regular_text, write_atomically};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::session::{CheckpointEvent, FitState, OnCheckpoint};
use super::{Fingerprint, FitIdentity, Termination};
use crate::error::{Error, Result, shortened};

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

/// What follows the fit in the text of a checkpoint, around the fingerprint of its state as text.
const SUM: &str = ",\"sum\":\"";
const STATE: &str = "\",\"state\":";

/// The text of a checkpoint.
fn text_of<S: Serialize>(fit: &Owner, state: &S) -> serde_json::Result<String> {
    let (fit, state) = (serde_json::to_string(fit)?, serde_json::to_string(state)?);
    let sum = Fingerprint::new().text(&state).finish();
    Ok(format!("{{\"fit\":{fit}{SUM}{sum}{STATE}{state}}}"))
}

/// The state in the text of a checkpoint, as it was written; `None` where it was changed, as a solver would go on from
/// it into who knows what.
fn whole_state<'t>(text: &'t str, sum: &str) -> Option<&'t str> {
    let (_, state) = text.split_once(&format!("{SUM}{sum}{STATE}"))?;
    let state = state.strip_suffix('}')?;
    (Fingerprint::new().text(state).finish() == sum).then_some(state)
}

/// What a file says of its fit, whatever state follows.
#[derive(Deserialize)]
struct Header {
    fit: Owner,
    sum: String,
}

/// Where a checkpoint is kept.
pub(super) enum Place<'a> {
    /// A file, written every few seconds.
    File(&'a Path),
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

    fn exists(&self) -> bool {
        match self {
            Self::File(path) => path.exists(),
            Self::Memory(state) => !state.is_empty(),
        }
    }

    fn read(&self) -> std::io::Result<String> {
        match self {
            Self::File(path) => read_regular_text(path),
            Self::Memory(state) => Ok(state.0.clone()),
        }
    }

    fn write(&mut self, text: String) -> std::io::Result<()> {
        match self {
            Self::File(path) => write_atomically(path, text.as_bytes()),
            Self::Memory(state) => {
                state.0 = text;
                Ok(())
            }
        }
    }

    fn remove(&mut self) -> std::io::Result<()> {
        match self {
            Self::File(path) => std::fs::remove_file(path),
            Self::Memory(state) => {
                state.0.clear();
                Ok(())
            }
        }
    }
}

/// A checkpoint that belongs to one fit: the same settings, features, targets and start.
pub(super) struct Checkpoint<'a> {
    kept: Option<(Place<'a>, Owner)>,
    /// Whether the file outlasts the fit.
    keep: bool,
    on_event: Option<Box<OnCheckpoint<'a>>>,
    /// Whether a write has failed.
    failed: bool,
    written: Instant,
}

impl<'a> Checkpoint<'a> {
    /// The checkpoint of this fit in this place, or none; `keep` lets it outlast the fit.
    pub fn new(
        kept: Option<(Place<'a>, Owner)>,
        keep: bool,
        on_event: Option<Box<OnCheckpoint<'a>>>,
    ) -> Self {
        Self { kept, keep, on_event, failed: false, written: Instant::now() }
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

    fn existing(&self) -> Option<&(Place<'a>, Owner)> {
        self.kept.as_ref().filter(|(place, _)| place.exists())
    }

    /// The stored state, if there is a file.
    ///
    /// # Errors
    /// A file that cannot be read, that belongs to another fit, or whose state was changed.
    pub fn load<S: DeserializeOwned>(&self) -> Result<Option<S>> {
        let Some((place, owner)) = self.existing() else {
            return Ok(None);
        };
        let path = place.path();
        let text = place.read().map_err(|source| Error::io(path, source))?;
        let invalid = |error: serde_json::Error| {
            Error::model(
                path,
                format!(
                    "this is not a checkpoint of a fit ({}); delete it to start again",
                    shortened(&error)
                ),
            )
        };
        let Header { fit, sum } = serde_json::from_str(&text).map_err(invalid)?;
        if let Some(others) = owner.refusal(&fit) {
            return Err(Error::model(
                path,
                format!(
                    "this checkpoint belongs to a fit with {others}; give those again, or delete it to start \
                     again"
                ),
            ));
        }
        let state = whole_state(&text, &sum).ok_or_else(|| {
            Error::model(
                path,
                "the state in this checkpoint is not the one that was written: it was changed or damaged; restore \
                 the file, or delete it to start again",
            )
        })?;
        serde_json::from_str(state).map(Some).map_err(invalid)
    }

    /// Writes the state if the last write is some seconds ago.
    ///
    /// # Errors
    /// A file that cannot be written, where nobody is told of it.
    pub fn offer<S: Serialize>(&mut self, state: impl FnOnce() -> Result<S>) -> Result<()> {
        let in_a_file = matches!(self.kept, Some((Place::File(_), _)));
        if !in_a_file || self.written.elapsed() < INTERVAL {
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
        let Some((place, _)) = &mut self.kept else { return Ok(()) };
        if self.keep || end.can_resume() {
            let state = state()?;
            return match self.save(&state) {
                Err(error) if end != Termination::Stopped => self.tolerate(error),
                saved => saved,
            };
        }
        if !place.exists() {
            return Ok(());
        }
        place.remove().map_err(|source| Error::io(place.path(), source))
    }

    /// Writes the state atomically.
    fn save<S: Serialize>(&mut self, state: &S) -> Result<()> {
        let Some((place, owner)) = &mut self.kept else {
            return Ok(());
        };
        self.written = Instant::now();
        let text = text_of(owner, state).map_err(|error| {
            Error::model(place.path(), format!("the checkpoint cannot be written: {error}"))
        })?;
        place.write(text).map_err(|source| Error::io(place.path(), source))
    }
}
