//! Folders that appear complete, and what a killed process leaves behind.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{TEMPORARY, fault};

/// A folder next to `target` in which to put together what [`publish_folder`] gives that name.
///
/// # Errors
/// A place that cannot be written; the error names the folder that `target` is in.
pub fn temporary_folder(target: &Path) -> io::Result<TempDir> {
    let parent = folder_of(target);
    fault::point("make a folder")?;
    fs::create_dir_all(parent)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    // Temporary folders are the owner's alone; a result is as readable as any other folder.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    builder.tempdir_in(parent).map_err(|error| about_folder(parent, &error))
}

/// Says of which folder it is that nothing could be made in it, in place of the temporary name that the error ends with.
pub(crate) fn about_folder(folder: &Path, error: &io::Error) -> io::Error {
    let reason = error.to_string();
    let reason = reason.split(" at path ").next().unwrap_or_default();
    io::Error::new(
        error.kind(),
        format!("the folder {} cannot be written into: {reason}", folder.display()),
    )
}

/// Gives a folder its name once all in it is on the disk; a failure leaves neither.
///
/// # Errors
/// A name that is taken, or a disk that fails.
pub fn publish_folder(folder: TempDir, target: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder.path())? {
        sync(&File::open(entry?.path())?, "sync a file")?;
    }
    rename_folder(folder.path(), target)?;
    let _ = folder.keep();
    Ok(())
}

/// Renames a folder to a name that is free, and syncs both.
///
/// # Errors
/// A name that is taken, or a disk that fails.
pub fn rename_folder(folder: &Path, target: &Path) -> io::Result<()> {
    sync_folder(folder)?;
    // A rename would replace an empty folder without a word.
    if fs::symlink_metadata(target).is_ok() {
        let reason = format!("{} already exists", target.display());
        return Err(io::Error::new(ErrorKind::AlreadyExists, reason));
    }
    fault::point("rename a folder")?;
    fs::rename(folder, target)?;
    sync_folder(folder_of(target))
}

/// Puts a folder in the place of another, which may be there or not, and removes that.
///
/// There is no moment with neither: while the old one gives up its name it is next to it, as `NAME.old`, from where
/// [`restore_folder`] brings it back after a crash.
///
/// # Errors
/// A disk that fails. The old folder then has its name, or is next to it where the disk takes nothing any more.
pub fn replace_folder(folder: &Path, target: &Path) -> io::Result<()> {
    let old = old_name(target);
    let exists = target.exists();
    if exists {
        // Of a process that was killed before it could remove it.
        remove_folder(&old)?;
        fault::point("rename a folder")?;
        fs::rename(target, &old)?;
    }
    if let Err(error) = rename_folder(folder, target) {
        if exists && !target.exists() && fault::point("rename a folder").is_ok() {
            // There is no one left to tell that this failed, too.
            let _ = fs::rename(&old, target);
        }
        return Err(error);
    }
    remove_folder(&old)
}

/// Gives a folder that [`replace_folder`] has put aside its name back, where a crash left no other.
///
/// # Errors
/// A disk that fails.
pub fn restore_folder(target: &Path) -> io::Result<()> {
    let old = old_name(target);
    if target.exists() || !old.exists() {
        return Ok(());
    }
    rename_folder(&old, target)
}

/// `runs/model.old` next to `runs/model`.
fn old_name(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".old");
    target.with_file_name(name)
}

/// Makes a folder, with those that it is in.
///
/// # Errors
/// A name that is taken, or a place that cannot be written; there is no such folder then.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let parent = folder_of(folder);
    fault::point("make a folder")?;
    fs::create_dir_all(parent)?;
    fs::create_dir(folder)?;
    sync_folder(parent).inspect_err(|_| {
        // What is left behind is empty.
        let _ = fs::remove_dir(folder);
    })
}

/// Opens a file that holds a lock and nothing else, and makes it where there is none.
///
/// # Errors
/// A folder or a file that cannot be written.
pub fn open_lock(path: &Path) -> io::Result<File> {
    fault::point("make a file")?;
    File::options().create(true).truncate(false).write(true).open(path)
}

/// Removes a file.
///
/// # Errors
/// No such file, or a folder that cannot be written.
pub fn remove_file(path: &Path) -> io::Result<()> {
    fault::point("remove a file")?;
    fs::remove_file(path)
}

fn remove_folder(path: &Path) -> io::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    fault::point("remove a folder")?;
    fs::remove_dir_all(path)
}

/// Removes temporary files and folders of a process that was killed while it wrote into this folder.
///
/// # Errors
/// A folder that cannot be read, or a leftover that cannot be removed.
pub fn remove_leftovers(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            remove_folder(&entry.path())?;
        } else {
            remove_file(&entry.path())?;
        }
    }
    Ok(())
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Brings an open file, or the names in an open folder, to the disk; `what` is what tests call the operation.
pub(crate) fn sync(file: &File, what: &str) -> io::Result<()> {
    fault::point(what)?;
    file.sync_all()
}

/// Brings the names in a folder to the disk, where the system can.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    const SYNC: &str = "sync a folder";
    if cfg!(not(unix)) {
        return fault::point(SYNC);
    }
    match File::open(folder).and_then(|folder| sync(&folder, SYNC)) {
        // A folder that may be written but not read, and file systems that sync by themselves.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

#[cfg(test)]
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, arm, disarm};

    #[test]
    fn a_folder_appears_complete_or_not_at_all() {
        let publish = |target: &Path| {
            let folder = temporary_folder(target)?;
            fs::write(folder.path().join("a"), "1")?;
            publish_folder(folder, target)
        };
        for operation in 0.. {
            let place = tempfile::tempdir().unwrap();
            let target = place.path().join("model");
            arm(Fault::Fail, operation);
            let done = publish(&target);
            let struck = disarm();
            assert_eq!(done.is_err(), struck);
            let left: &[&str] = if target.exists() { &["model"] } else { &[] };
            assert_eq!(names(place.path()), left, "nothing is left behind");
            if !struck {
                assert_eq!(fs::read(target.join("a")).unwrap(), b"1");
                assert!(operation > 3);
                assert!(publish(&target).is_err(), "a name that is taken");
                break;
            }
        }
    }

    #[test]
    fn one_folder_takes_the_place_of_another_and_one_of_them_is_always_there() {
        for operation in 0.. {
            let place = tempfile::tempdir().unwrap();
            let [old, new] = ["model", "new"].map(|name| place.path().join(name));
            let make = |folder: &Path, text| {
                fs::create_dir(folder).and_then(|()| fs::write(folder.join("weights"), text))
            };
            make(&old, "old").unwrap();
            make(&new, "new").unwrap();
            arm(Fault::Fail, operation);
            let done = replace_folder(&new, &old);
            let struck = disarm();
            assert_eq!(done.is_err(), struck);
            restore_folder(&old).unwrap();
            let text = fs::read_to_string(old.join("weights")).unwrap();
            assert!(text == "new" || (text == "old" && new.exists()), "{operation}");
            if !struck {
                assert_eq!((text.as_str(), operation), ("new", 5));
                break;
            }
            // The next attempt needs no help, whatever the one before has left.
            if !new.exists() {
                make(&new, "new").unwrap();
            }
            replace_folder(&new, &old).unwrap();
            assert_eq!(fs::read(old.join("weights")).unwrap(), b"new");
            assert_eq!(names(place.path()), ["model"], "{operation}");
        }
    }

    /// Linux refuses to sync a device, so that a refusal shows that it was asked.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_is_asked_to_sync_and_its_answer_passed_on() {
        let error = sync(&File::open("/dev/null").unwrap(), "sync a file").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    }
}
