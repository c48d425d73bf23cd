//! The folder of a run: `OUT.partial` while it is written, `OUT` once it is complete.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use burn_nca_files::{make_folder, open_lock, remove_file, remove_leftovers, rename_folder};

/// Locked while a run writes into its folder, and the mark of a folder that a run made.
const LOCK: &str = ".lock";

/// A run's folder in the making: `OUT.partial`, which becomes `OUT` when all is written.
///
/// One run at a time writes into it: it is locked until the value is dropped or the process ends, however it
/// ends. Dropped before [`finish`](Self::finish), the folder stays with whatever was written; an empty one goes.
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
    lock: Option<File>,
}

impl RunFolder {
    /// Prepares the folder of a new run, or resumes an interrupted one.
    ///
    /// Files whose names end with one of `states` are there to resume from; a finished run has none of them.
    ///
    /// # Errors
    /// A folder that exists, an interrupted run without `resume` (or none with it), one that another process
    /// writes into, one that no run made, or a place that cannot be written.
    pub fn open(target: &Path, resume: bool, states: &'static [&'static str]) -> Result<Self> {
        refuse_existing(target)?;
        let partial = partial_path(target)?;
        let mut folder = Self { target: target.to_path_buf(), partial, states, lock: None };
        match (folder.partial.exists(), resume) {
            (true, false) => bail!(folder.waiting()),
            (false, true) => bail!(
                "there is no interrupted run to resume: {} does not exist; leave --resume out",
                folder.partial.display()
            ),
            (true, true) => folder.refuse_foreign()?,
            // Fails where another process does so at the same time.
            (false, false) => make_folder(&folder.partial).with_context(|| {
                format!("the folder {} cannot be made", folder.partial.display())
            })?,
        }
        let lock = folder.lock();
        if lock.is_err() && !resume {
            // It goes only while it is empty: not where another run has taken it.
            let _ = fs::remove_dir(&folder.partial);
        }
        folder.lock = Some(lock?);
        if resume {
            let place = || format!("{} cannot be resumed", folder.partial.display());
            remove_leftovers(&folder.partial).with_context(place)?;
        }
        Ok(folder)
    }

    /// A place in the folder that is being made.
    pub fn file(&self, name: &str) -> PathBuf {
        self.partial.join(name)
    }

    /// The folder that is being made.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Removes the states of a run that cannot be resumed; without other files the folder goes with this value.
    pub fn forget(&self) {
        // What cannot be removed is refused when it is resumed from.
        self.states(&self.partial).iter().for_each(|path| drop(remove_file(path)));
    }

    /// Gives the folder its name, and drops the states of the run, which has ended.
    ///
    /// # Errors
    /// A name that was taken in the meantime, or a disk that fails; the error says where the results are.
    pub fn finish(mut self) -> Result<()> {
        rename_folder(&self.partial, &self.target).with_context(|| {
            let (partial, target) = (self.partial.display(), self.target.display());
            if self.partial.exists() {
                format!(
                    "{partial} cannot be renamed to {target}; the results are in {partial}, and the same command with \
                     --resume continues from there"
                )
            } else {
                format!("the run is complete in {target}, but a power cut could undo its last step")
            }
        })?;
        // Not before: until the folder has its name, the run can be resumed.
        let states = self.states(&self.target);
        for path in states.into_iter().chain([self.target.join(LOCK)]) {
            remove_file(&path).with_context(|| {
                let (target, path) = (self.target.display(), path.display());
                format!("the run is complete in {target}, but {path} cannot be removed; remove it")
            })?;
        }
        self.lock = None;
        Ok(())
    }

    fn lock(&self) -> Result<File> {
        let path = self.partial.join(LOCK);
        let place = || format!("{} cannot be locked", path.display());
        let file = open_lock(&path).with_context(place)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => bail!(self.in_use()),
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
                Err(error).with_context(place)
            }
            _ => Ok(file),
        }
    }

    fn in_use(&self) -> String {
        format!(
            "another run is writing into {}; wait for its end, or choose another folder with --out",
            self.partial.display()
        )
    }

    /// Why a folder that exists is not taken without `--resume`.
    fn waiting(&self) -> String {
        let lock = File::open(self.partial.join(LOCK)).map(|file| file.try_lock());
        if matches!(lock, Ok(Err(TryLockError::WouldBlock))) {
            return self.in_use();
        }
        format!(
            "{} holds a run that was interrupted; add --resume to resume it, or remove that folder",
            self.partial.display()
        )
    }

    fn refuse_foreign(&self) -> Result<()> {
        if self.partial.join(LOCK).exists() || !self.states(&self.partial).is_empty() {
            return Ok(());
        }
        let Some(name) = self.entries(&self.partial).next() else { return Ok(()) };
        bail!(
            "{} holds {name:?}, but nothing to resume from; move its files elsewhere, or leave --resume out and \
             choose another folder with --out",
            self.partial.display()
        )
    }

    /// The names in a folder, without the lock.
    fn entries(&self, folder: &Path) -> impl Iterator<Item = String> + use<> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name != LOCK)
    }

    fn states(&self, folder: &Path) -> Vec<PathBuf> {
        let is_state = |name: &String| self.states.iter().any(|end| name.ends_with(end));
        self.entries(folder).filter(is_state).map(|name| folder.join(name)).collect()
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        let Some(lock) = self.lock.take() else { return };
        // Windows removes no file that is open; elsewhere no process takes the folder before it is known whether it stays.
        let lock = (!cfg!(windows)).then_some(lock);
        // There is no one left to tell of a failure.
        let _ = remove_leftovers(&self.partial);
        if self.entries(&self.partial).next().is_none() {
            let _ = remove_file(&self.partial.join(LOCK));
            let _ = fs::remove_dir(&self.partial);
        }
        drop(lock);
    }
}

fn refuse_existing(target: &Path) -> Result<()> {
    if target.exists() {
        bail!("the folder {} already exists; choose another with --out", target.display());
    }
    if target.is_symlink() {
        bail!(
            "{} is a symbolic link that leads nowhere; remove it, or choose another folder with --out",
            target.display()
        );
    }
    Ok(())
}

/// `runs/iris` to `runs/iris.partial`.
fn partial_path(target: &Path) -> Result<PathBuf> {
    if target.file_name().is_none() {
        bail!("the folder {:?} has no name; give one such as runs/a", target.display());
    }
    Ok(target.with_added_extension("partial"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(target: &Path, resume: bool) -> Result<RunFolder> {
        RunFolder::open(target, resume, &["trials.json", ".checkpoint.json"])
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[track_caller]
    fn refused(target: &Path, resume: bool, part: &str) {
        let error = open(target, resume).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn a_run_appears_complete_or_waits_to_be_resumed() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("runs/a");
        refused(&target, true, "no interrupted run");
        let run = open(&target, false).unwrap();
        for resume in [false, true] {
            refused(&target, resume, "another run is writing into");
        }
        for name in ["results.json", "trials.json", "pairs.checkpoint.json", ".nca-tmp-x"] {
            fs::write(run.file(name), "{}").unwrap();
        }
        drop(run);
        refused(&target, false, "add --resume");
        let run = open(&target, true).unwrap();
        assert_eq!(names(run.path()).len(), 4, "the results, two states and the lock");
        run.finish().unwrap();
        assert_eq!(names(&target), ["results.json"]);
        refused(&target, false, "already exists; choose another with --out");
    }

    #[test]
    fn a_run_without_files_leaves_no_folder_and_results_outlast_one_without_states() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("a");
        drop(open(&target, false).unwrap());
        let run = open(&target, false).unwrap();
        fs::write(run.file("pairs.checkpoint.json"), "state").unwrap();
        run.forget();
        drop(run);
        assert!(names(place.path()).is_empty());
        let run = open(&target, false).unwrap();
        fs::write(run.file("model"), "weights").unwrap();
        drop(run);
        let run = open(&target, true).unwrap();
        fs::create_dir(&target).unwrap();
        let error = format!("{:#}", run.finish().unwrap_err());
        assert!(error.contains("results are in") && error.contains("already exists"), "{error}");
        assert!(place.path().join("a.partial/model").exists());
    }

    #[test]
    fn folders_of_other_files_and_names_that_cannot_be_folders_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let partial = place.path().join("a.partial");
        fs::create_dir(&partial).unwrap();
        fs::write(partial.join("thesis.tex"), "").unwrap();
        let part = "holds \"thesis.tex\", but nothing to resume from";
        refused(&place.path().join("a"), true, part);
        assert_eq!(names(&partial), ["thesis.tex"]);
        refused(Path::new(".."), false, "exists");
        refused(Path::new("no/such/.."), false, "has no name");
        #[cfg(unix)]
        {
            let link = place.path().join("link");
            std::os::unix::fs::symlink("nowhere", &link).unwrap();
            refused(&link, false, "leads nowhere");
        }
    }
}
