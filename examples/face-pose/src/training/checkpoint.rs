//! The checkpoint of an interrupted training.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, anyhow};
use burn_nca_program::{JournalError, read_journal, write_journal};
use serde::{Deserialize, Serialize};

use super::{Check, Ending};

/// Time between two checkpoints.
const INTERVAL: Duration = Duration::from_secs(15);

/// The state of training after a step. The optimizer knows parameters by their identity, which the record of
/// the network keeps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// Steps done.
    pub step: usize,
    /// The network's record.
    pub network: Vec<u8>,
    /// The optimizer's record.
    pub optimizer: Vec<u8>,
    /// Sum and number of the losses since the last check.
    pub losses: (f64, usize),
    /// The checks so far.
    pub history: Vec<Check>,
    /// Step, held-out loss and record of the best network.
    pub best: Option<Best>,
    /// Why training ended, if it did.
    pub ending: Option<Ending>,
    /// Seconds of training, over all runs.
    pub seconds: f64,
}

/// The network with the lowest held-out loss.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Best {
    /// Steps done.
    pub step: usize,
    /// Its held-out loss.
    pub held_out: f64,
    /// Its record.
    pub network: Vec<u8>,
}

/// A file with the state of one training; it belongs to its settings.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    settings: String,
    written: Instant,
}

impl Checkpoint {
    /// The file at `path`, of a training with these settings.
    pub fn new(path: PathBuf, settings: String) -> Self {
        Self { path, settings, written: Instant::now() }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The stored state, if there is one.
    ///
    /// # Errors
    /// A file that cannot be read, or that belongs to other settings.
    pub fn load(&self) -> Result<Option<State>> {
        let path = self.path.display();
        let found = read_journal(&self.path, &self.settings).map_err(|error| match error {
            JournalError::Others(_) => anyhow!(
                "{path} belongs to a run with other settings or faces; give the same command, or remove its \
                 folder to start again"
            ),
            error => Error::new(error).context(format!(
                "{path} is no checkpoint of this program; remove its folder to start again"
            )),
        })?;
        Ok(found.map(|(state, _)| state))
    }

    /// Whether it is time to write again.
    pub fn is_due(&self) -> bool {
        self.written.elapsed() >= INTERVAL
    }

    /// Writes the state, by an atomic write.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&mut self, state: &State) -> Result<()> {
        write_journal(&self.path, &self.settings, state, &[])
            .with_context(|| format!("{} cannot be written", self.path.display()))?;
        self.written = Instant::now();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_to_the_bit_and_only_to_its_own_settings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.checkpoint.json");
        let mut checkpoint = Checkpoint::new(path.clone(), "seed 1".to_string());
        assert!(checkpoint.load().unwrap().is_none());
        let losses = (0.1 + 0.2, 3);
        let state = State { step: 7, losses, network: vec![1, 255], ..State::default() };
        checkpoint.save(&state).unwrap();
        let state = checkpoint.load().unwrap().unwrap();
        assert_eq!((state.step, state.losses, state.network), (7, losses, vec![1, 255]));
        let other = Checkpoint::new(path.clone(), "seed 2".to_string());
        assert!(
            other.load().unwrap_err().to_string().contains("belongs to a run with other settings")
        );
        std::fs::write(&path, "{}").unwrap();
        assert!(checkpoint.load().unwrap_err().to_string().contains("is no checkpoint"));
    }
}
