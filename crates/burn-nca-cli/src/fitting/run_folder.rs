//! The folder of a run: whole or not at all, with the state of an interrupted fit beside it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The file of an interrupted fit.
const CHECKPOINT: &str = "checkpoint.json";
/// The file of a search's finished trials.
const TRIALS: &str = "trials.json";

/// A run's folder in the making: `RUN.partial`, which becomes `RUN` when all is written.
///
/// Dropped before that, it disappears, unless it holds the state of an interrupted fit.
#[derive(Debug)]
pub struct RunFolder {
    target: PathBuf,
    partial: PathBuf,
}

impl RunFolder {
    /// Prepares the folder of a new run, or goes on with an interrupted one.
    ///
    /// # Errors
    /// A folder that exists, an interrupted fit without `resume` (or none with it), or a place that cannot be
    /// written.
    pub fn open(target: &Path, resume: bool) -> Result<Self> {
        if target.exists() {
            bail!(
                "the output folder {} exists; choose another with --out, or remove it first",
                target.display()
            );
        }
        let partial = partial_path(target)?;
        match (partial.exists(), resume) {
            (true, false) => bail!(
                "{} holds a fit that was interrupted or is still running; add --resume to go on with it, or \
                 remove that folder",
                partial.display()
            ),
            (false, true) => bail!(
                "there is no interrupted fit to go on with: {} does not exist; leave --resume out",
                partial.display()
            ),
            (true, true) => {}
            (false, false) => fs::create_dir_all(&partial)
                .with_context(|| format!("the folder {} cannot be made", partial.display()))?,
        }
        Ok(Self { target: target.to_path_buf(), partial })
    }

    /// The file that holds the state of the fit while it runs.
    pub fn checkpoint(&self) -> PathBuf {
        self.partial.join(CHECKPOINT)
    }

    /// The file that holds the finished trials of a search while it runs.
    pub fn trials(&self) -> PathBuf {
        self.partial.join(TRIALS)
    }

    /// What is only there to go on with.
    fn states(&self) -> [PathBuf; 2] {
        [self.checkpoint(), self.trials()]
    }

    /// A place in the folder that is being made.
    pub fn file(&self, name: &str) -> PathBuf {
        self.partial.join(name)
    }

    /// Drops the state of search and fit, which have ended, and gives the folder its name.
    ///
    /// # Errors
    /// A name that was taken in the meantime.
    pub fn finish(self) -> Result<()> {
        for state in self.states().iter().filter(|state| state.exists()) {
            fs::remove_file(state)
                .with_context(|| format!("{} cannot be removed", state.display()))?;
        }
        // A rename would replace an empty folder without a word.
        if self.target.exists() {
            bail!(
                "the output folder {} has come to exist; the results are in {}",
                self.target.display(),
                self.partial.display()
            );
        }
        fs::rename(&self.partial, &self.target).with_context(|| {
            format!("{} cannot be renamed to {}", self.partial.display(), self.target.display())
        })
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.states().iter().any(|state| state.exists()) && !self.target.exists() {
            // Nothing is lost with it, and there is no one left to tell.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// `runs/iris` to `runs/iris.partial`.
fn partial_path(target: &Path) -> Result<PathBuf> {
    let Some(name) = target.file_name() else {
        bail!("the output folder {:?} has no name; give one such as runs/iris", target.display());
    };
    let mut name = name.to_os_string();
    name.push(".partial");
    Ok(target.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_appears_whole_or_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("runs/a");
        let run = RunFolder::open(&target, false).unwrap();
        fs::write(run.file("report.json"), "{}").unwrap();
        assert!(!target.exists());
        run.finish().unwrap();
        assert!(target.join("report.json").exists());
        let error = RunFolder::open(&target, false).unwrap_err().to_string();
        assert!(error.contains("exists; choose another with --out"), "{error}");

        let other = place.path().join("runs/b");
        drop(RunFolder::open(&other, false).unwrap());
        assert_eq!(fs::read_dir(place.path().join("runs")).unwrap().count(), 1);
    }

    #[test]
    fn an_interrupted_fit_stays_and_is_resumed_only_when_asked() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("a");
        let error = RunFolder::open(&target, true).unwrap_err().to_string();
        assert!(error.contains("no interrupted fit"), "{error}");
        let run = RunFolder::open(&target, false).unwrap();
        fs::write(run.checkpoint(), "state").unwrap();
        drop(run);
        let error = RunFolder::open(&target, false).unwrap_err().to_string();
        assert!(error.contains("add --resume"), "{error}");
        let run = RunFolder::open(&target, true).unwrap();
        assert_eq!(fs::read_to_string(run.checkpoint()).unwrap(), "state");
    }
}
