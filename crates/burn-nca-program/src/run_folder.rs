use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A run's folder in the making: `OUT.partial`, which becomes `OUT` when all is written.
///
/// Dropped before that, it disappears, unless it holds a state to go on with.
///
/// # Examples
/// ```
/// # let place = tempfile::tempdir()?;
/// # let out = place.path().join("runs/a");
/// use burn_nca_program::RunFolder;
///
/// let folder = RunFolder::open(&out, false, &["checkpoint.json"])?;
/// std::fs::write(folder.file("checkpoint.json"), "how far it has come")?;
/// drop(folder); // interrupted: runs/a.partial stays
/// let folder = RunFolder::open(&out, true, &["checkpoint.json"])?;
/// std::fs::write(folder.file("report.json"), "{}")?;
/// folder.finish()?; // runs/a holds report.json alone
/// # assert_eq!(std::fs::read_dir(&out)?.count(), 1);
/// # anyhow::Ok(())
/// ```
#[derive(Debug)]
pub struct RunFolder {
    target: PathBuf,
    partial: PathBuf,
    states: &'static [&'static str],
    keep: bool,
}

impl RunFolder {
    /// Prepares the folder of a new run, or goes on with an interrupted one.
    ///
    /// Files whose names end with one of `states` are there to go on with: they keep the folder of an
    /// interrupted run, and are removed from that of a finished one.
    ///
    /// # Errors
    /// A folder that exists, an interrupted run without `resume` (or none with it), or a place that cannot be
    /// written.
    pub fn open(target: &Path, resume: bool, states: &'static [&'static str]) -> Result<Self> {
        if target.exists() {
            bail!(
                "the folder {} exists; choose another with --out, or remove it first",
                target.display()
            );
        }
        let partial = partial_path(target)?;
        match (partial.exists(), resume) {
            (true, false) => bail!(
                "{} holds a run that was interrupted or is still running; add --resume to go on with it, or \
                 remove that folder",
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
        Ok(Self { target: target.to_path_buf(), partial, states, keep: false })
    }

    /// A place in the folder that is being made.
    pub fn file(&self, name: &str) -> PathBuf {
        self.partial.join(name)
    }

    /// Drops the states of the run, which has ended, and gives the folder its name.
    ///
    /// # Errors
    /// A name that was taken in the meantime; the results then stay in `OUT.partial`.
    pub fn finish(mut self) -> Result<()> {
        self.keep = true;
        // A rename would replace an empty folder without a word.
        if self.target.exists() {
            bail!(
                "the folder {} has come to exist; the results are in {}",
                self.target.display(),
                self.partial.display()
            );
        }
        for state in self.states() {
            fs::remove_file(&state)
                .with_context(|| format!("{} cannot be removed", state.display()))?;
        }
        fs::rename(&self.partial, &self.target).with_context(|| {
            format!("{} cannot be renamed to {}", self.partial.display(), self.target.display())
        })
    }

    /// The files that are only there to go on with.
    fn states(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.partial).into_iter().flatten().flatten();
        let is_state = |name: &str| self.states.iter().any(|end| name.ends_with(end));
        entries
            .filter(|entry| is_state(&entry.file_name().to_string_lossy()))
            .map(|entry| entry.path())
            .collect()
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.keep && self.states().is_empty() {
            // Nothing is lost with it, and there is no one left to tell.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// `runs/iris` to `runs/iris.partial`.
fn partial_path(target: &Path) -> Result<PathBuf> {
    let Some(name) = target.file_name() else {
        bail!("the folder {:?} has no name; give one such as runs/a", target.display());
    };
    let mut name = name.to_os_string();
    name.push(".partial");
    Ok(target.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: &[&str] = &["trials.json", ".checkpoint.json"];

    fn open(target: &Path, resume: bool) -> Result<RunFolder> {
        RunFolder::open(target, resume, STATES)
    }

    fn refusal(target: &Path, resume: bool) -> String {
        open(target, resume).unwrap_err().to_string()
    }

    #[test]
    fn a_run_appears_whole_or_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("runs/a");
        let run = open(&target, false).unwrap();
        for name in ["results.json", "trials.json", "pairs.checkpoint.json"] {
            fs::write(run.file(name), "{}").unwrap();
        }
        assert!(!target.exists());
        run.finish().unwrap();
        let names: Vec<_> =
            fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["results.json"]);
        assert!(refusal(&target, false).contains("exists; choose another with --out"));

        drop(open(&place.path().join("runs/b"), false).unwrap());
        assert_eq!(fs::read_dir(place.path().join("runs")).unwrap().count(), 1);
    }

    #[test]
    fn an_interrupted_run_stays_and_is_resumed_only_when_asked() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("a");
        assert!(refusal(&target, true).contains("no interrupted run"));
        let run = open(&target, false).unwrap();
        fs::write(run.file("pairs.checkpoint.json"), "state").unwrap();
        drop(run);
        assert!(refusal(&target, false).contains("add --resume"));
        let run = open(&target, true).unwrap();
        assert_eq!(fs::read_to_string(run.file("pairs.checkpoint.json")).unwrap(), "state");
    }

    #[test]
    fn results_are_kept_where_the_name_was_taken_meanwhile() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("a");
        let run = open(&target, false).unwrap();
        let result = run.file("results.json");
        fs::write(&result, "{}").unwrap();
        fs::create_dir(&target).unwrap();
        let error = run.finish().unwrap_err().to_string();
        assert!(error.contains("has come to exist; the results are in"), "{error}");
        assert!(result.exists());
    }

    #[test]
    fn a_folder_without_a_name_is_refused() {
        assert!(refusal(Path::new(".."), false).contains("exists"));
        assert!(refusal(Path::new("no/such/.."), false).contains("has no name"));
    }
}
