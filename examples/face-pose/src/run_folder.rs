//! The folder of a run: whole or not at all, with the state of an interrupted run beside it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// How the names of checkpoints end.
const CHECKPOINT: &str = ".checkpoint.json";

/// A run's folder in the making: `RUN.partial`, which becomes `RUN` when all is written.
///
/// Dropped before that, it disappears, unless it holds the state of an interrupted training.
#[derive(Debug)]
pub struct RunFolder {
    target: PathBuf,
    partial: PathBuf,
}

impl RunFolder {
    /// Prepares the folder of a new run, or goes on with an interrupted one.
    ///
    /// # Errors
    /// A folder that exists, an interrupted run without `resume` (or none with it), or a place that cannot be
    /// written.
    pub fn open(target: &Path, resume: bool) -> Result<Self> {
        if target.exists() {
            bail!(
                "the folder {} exists; choose another with --out, or remove it",
                target.display()
            );
        }
        let Some(name) = target.file_name() else {
            bail!("the folder {:?} has no name; give one such as runs/faces", target.display());
        };
        let mut name = name.to_os_string();
        name.push(".partial");
        let partial = target.with_file_name(name);
        match (partial.exists(), resume) {
            (true, false) => bail!(
                "{} holds a run that was interrupted or is still running; add --resume to go on with it, or remove \
                 that folder",
                partial.display()
            ),
            (false, true) => bail!(
                "there is no interrupted run to go on with: {} does not exist; leave --resume out",
                partial.display()
            ),
            (true, true) => {}
            (false, false) => fs::create_dir_all(&partial)
                .with_context(|| format!("the folder {} cannot be made", partial.display()))?,
        }
        Ok(Self { target: target.to_path_buf(), partial })
    }

    /// A place in the folder that is being made.
    pub fn file(&self, name: &str) -> PathBuf {
        self.partial.join(name)
    }

    /// The file that holds the state of a training while it runs.
    pub fn checkpoint(&self, training: &str) -> PathBuf {
        self.file(&format!("{training}{CHECKPOINT}"))
    }

    /// Drops the states of the trainings, which have ended, and gives the folder its name.
    ///
    /// # Errors
    /// A name that was taken in the meantime.
    pub fn finish(self) -> Result<()> {
        if self.target.exists() {
            bail!(
                "the folder {} has come to exist; the results are in {}",
                self.target.display(),
                self.partial.display()
            );
        }
        for checkpoint in self.checkpoints() {
            fs::remove_file(&checkpoint)
                .with_context(|| format!("{} cannot be removed", checkpoint.display()))?;
        }
        fs::rename(&self.partial, &self.target).with_context(|| {
            format!("{} cannot be renamed to {}", self.partial.display(), self.target.display())
        })
    }

    fn checkpoints(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.partial).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| path.to_string_lossy().ends_with(CHECKPOINT)).collect()
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if self.checkpoints().is_empty() && !self.target.exists() {
            // Nothing is lost with it, and there is no one left to tell.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_appears_whole_or_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("runs/a");
        let run = RunFolder::open(&target, false).unwrap();
        fs::write(run.file("results.json"), "{}").unwrap();
        fs::write(run.checkpoint("pairs"), "state").unwrap();
        assert!(!target.exists());
        run.finish().unwrap();
        let names: Vec<_> =
            fs::read_dir(&target).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["results.json"]);
        let error = RunFolder::open(&target, false).unwrap_err().to_string();
        assert!(error.contains("exists; choose another with --out"), "{error}");
        drop(RunFolder::open(&place.path().join("runs/b"), false).unwrap());
        assert_eq!(fs::read_dir(place.path().join("runs")).unwrap().count(), 1);
    }

    #[test]
    fn an_interrupted_run_stays_and_is_resumed_only_when_asked() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("a");
        let error = RunFolder::open(&target, true).unwrap_err().to_string();
        assert!(error.contains("no interrupted run"), "{error}");
        let run = RunFolder::open(&target, false).unwrap();
        fs::write(run.checkpoint("pairs"), "state").unwrap();
        drop(run);
        let error = RunFolder::open(&target, false).unwrap_err().to_string();
        assert!(error.contains("add --resume"), "{error}");
        let run = RunFolder::open(&target, true).unwrap();
        assert_eq!(fs::read_to_string(run.checkpoint("pairs")).unwrap(), "state");
    }
}
