//! The folder of a run, whole or not at all: `OUT.partial` becomes `OUT` when all is written.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A run's folder in the making.
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
                "{} exists; choose another folder with --out, or remove it first",
                target.display()
            );
        }
        let Some(name) = target.file_name() else {
            bail!("--out {:?} has no name; give one such as runs/mnist-linear", target.display());
        };
        let mut name = name.to_os_string();
        name.push(".partial");
        let partial = target.with_file_name(name);
        let run = Self { target: target.to_path_buf(), partial };
        match (run.checkpoint().exists(), resume) {
            (true, false) => bail!(
                "{} holds a run that was interrupted; add --resume to go on with it, or remove that folder",
                run.partial.display()
            ),
            (false, true) => {
                bail!("{} holds no interrupted run; leave --resume out", run.partial.display())
            }
            _ => fs::create_dir_all(&run.partial)
                .with_context(|| format!("the folder {} cannot be made", run.partial.display()))?,
        }
        Ok(run)
    }

    /// The file that holds the state of the run.
    pub fn checkpoint(&self) -> PathBuf {
        self.file("state.checkpoint")
    }

    /// A place in the folder that is being made.
    pub fn file(&self, name: &str) -> PathBuf {
        self.partial.join(name)
    }

    /// Where the folder will stand.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Drops the state of the run, which has ended, and gives the folder its name.
    ///
    /// # Errors
    /// A name that was taken in the meantime.
    pub fn finish(&self) -> Result<()> {
        let checkpoint = self.checkpoint();
        if checkpoint.exists() {
            fs::remove_file(&checkpoint)
                .with_context(|| format!("{} cannot be removed", checkpoint.display()))?;
        }
        // A rename would replace an empty folder without a word.
        if self.target.exists() {
            bail!(
                "{} has come to exist; the results are in {}",
                self.target.display(),
                self.partial.display()
            );
        }
        fs::rename(&self.partial, &self.target).with_context(|| {
            format!("{} cannot be renamed to {}", self.partial.display(), self.target.display())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_appears_whole_and_is_resumed_only_when_asked() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("runs/a");
        let message = |resume| RunFolder::open(&target, resume).unwrap_err().to_string();
        assert!(message(true).contains("holds no interrupted run"));
        let run = RunFolder::open(&target, false).unwrap();
        fs::write(run.checkpoint(), "state").unwrap();
        assert!(message(false).contains("add --resume"));
        let run = RunFolder::open(&target, true).unwrap();
        assert!(!target.exists());
        run.finish().unwrap();
        assert!(target.is_dir() && !target.join("state.checkpoint").exists());
        assert!(message(false).contains("exists; choose another"));
    }
}
