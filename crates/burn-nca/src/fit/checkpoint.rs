//! The state of an interrupted fit on disk.

use std::path::Path;
use std::time::{Duration, Instant};

use burn_nca_files::write_atomically;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

const INTERVAL: Duration = Duration::from_secs(5);

#[derive(Serialize, Deserialize)]
struct Stored<S> {
    fingerprint: String,
    state: S,
}

/// A checkpoint file that belongs to one fit: the same settings, the same data.
pub(super) struct Checkpoint<'a> {
    path: Option<&'a Path>,
    fingerprint: String,
    written: Instant,
}

impl<'a> Checkpoint<'a> {
    pub fn new(path: Option<&'a Path>, fingerprint: String) -> Self {
        Self { path, fingerprint, written: Instant::now() }
    }

    /// The stored state, if there is a file.
    ///
    /// # Errors
    /// A file that cannot be read, or that belongs to another fit.
    pub fn load<S: DeserializeOwned>(&self) -> Result<Option<S>> {
        let Some(path) = self.path.filter(|path| path.exists()) else {
            return Ok(None);
        };
        let text = std::fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
        let stored: Stored<S> = serde_json::from_str(&text).map_err(|error| {
            Error::model(
                path,
                format!(
                    "this is not a checkpoint of this optimiser ({error}); delete it to start again"
                ),
            )
        })?;
        if stored.fingerprint != self.fingerprint {
            return Err(Error::model(
                path,
                "this checkpoint belongs to a fit with other settings or other data; give those again, or \
                 delete it to start again",
            ));
        }
        Ok(Some(stored.state))
    }

    /// Writes the state if the last write is some seconds ago.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn offer<S: Serialize>(&mut self, state: impl FnOnce() -> Result<S>) -> Result<()> {
        if self.path.is_some() && self.written.elapsed() >= INTERVAL {
            self.save(&state()?)
        } else {
            Ok(())
        }
    }

    /// Writes the state atomically.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save<S: Serialize>(&mut self, state: &S) -> Result<()> {
        let Some(path) = self.path else {
            return Ok(());
        };
        self.written = Instant::now();
        let stored = Stored { fingerprint: self.fingerprint.clone(), state };
        let text = serde_json::to_string(&stored).map_err(|error| {
            Error::model(path, format!("the checkpoint cannot be written: {error}"))
        })?;
        write_atomically(path, text.as_bytes()).map_err(|source| Error::io(path, source))
    }

    /// Removes the file of a fit that ended.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn remove(&self) -> Result<()> {
        match self.path.filter(|path| path.exists()) {
            Some(path) => std::fs::remove_file(path).map_err(|source| Error::io(path, source)),
            None => Ok(()),
        }
    }
}

/// A short name for settings and numbers, to tell fits apart (64-bit FNV-1a; not a secret).
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn text(mut self, text: &str) -> Self {
        text.bytes().for_each(|byte| self.mix(byte));
        self
    }

    pub fn numbers(mut self, numbers: &[f64]) -> Self {
        numbers.iter().flat_map(|number| number.to_le_bytes()).for_each(|byte| self.mix(byte));
        self
    }

    pub fn finish(self) -> String {
        format!("{:016x}", self.0)
    }

    fn mix(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}
