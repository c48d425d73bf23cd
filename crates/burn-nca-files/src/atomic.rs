//! One file, written atomically.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::folder::{about_folder, folder_of, sync, sync_folder};
use crate::stdout::write_stdout;
use crate::target::Target;
use crate::{TEMPORARY, fault};

/// What tests call the sync of a file.
const SYNC: &str = "sync a file";

/// Writes a file under a temporary name next to it, syncs it, and renames it: a reader finds the old contents or
/// the new ones, also after a crash.
///
/// What the path leads to stays what it is:
///
/// - A symbolic link is followed, and its file is written (or made, where the link leads to nothing yet); one to
///   `/dev/stdout` is standard output.
/// - A device, a FIFO, `/dev/stdout` or `/dev/fd/N` takes the bytes as they come.
/// - A file keeps its permissions and its owner. One that is read-only is refused.
/// - A file of several names (hard links), or of an owner that only root could keep, is written in place, so that
///   every name keeps naming the same file. Should that fail half-way, the new contents stay in the temporary
///   file, which the error names.
///
/// # Errors
/// A folder, a disk, a socket or a read-only file in the place; a folder that does not exist or cannot be
/// written; a full disk.
///
/// # Examples
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("results.json");
/// burn_nca_files::write_atomically(&path, b"{}")?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # std::io::Result::Ok(())
/// ```
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match Target::of(path)? {
        Target::Stdout => write_stdout(bytes),
        Target::Stream(path) => OpenOptions::new().append(true).open(path)?.write_all(bytes),
        Target::File { path, existing } => replace(&path, existing.as_ref(), bytes),
    }
}

fn replace(path: &Path, existing: Option<&Metadata>, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    let mut file = temporary_file(folder)?;
    write(file.as_file_mut(), bytes)?;
    let replaceable = match existing {
        Some(existing) => takes_the_place_of(file.as_file(), existing)?,
        None => true,
    };
    sync(file.as_file(), SYNC)?;
    if replaceable {
        fault::point("rename a file")?;
        file.persist(path).map_err(|error| error.error)?;
    } else {
        overwrite(path, bytes, file)?;
    }
    sync_folder(folder)
}

fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    fault::point("make a file")?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    // Temporary files are the owner's alone; a result has the permissions of any other new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|error| about_folder(folder, &error))
}

fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    // A disk that fills up takes a part of the bytes.
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    file.write_all(first)?;
    fault::point("write a file")?;
    file.write_all(rest)
}

/// Gives the new file the permissions and the owner of the old one; whether it may take its place.
#[cfg(unix)]
fn takes_the_place_of(file: &File, existing: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    let same_owner = (new.uid(), new.gid()) == (existing.uid(), existing.gid())
        || fchown(file, Some(existing.uid()), Some(existing.gid())).is_ok();
    if new.mode() != existing.mode() {
        file.set_permissions(existing.permissions())?;
    }
    Ok(same_owner && existing.nlink() == 1)
}

#[cfg(not(unix))]
fn takes_the_place_of(file: &File, existing: &Metadata) -> io::Result<bool> {
    file.set_permissions(existing.permissions())?;
    Ok(true)
}

/// Writes into the file itself; `spare` holds the same bytes until that is done.
fn overwrite(path: &Path, bytes: &[u8], spare: NamedTempFile) -> io::Result<()> {
    let written = OpenOptions::new().write(true).truncate(true).open(path).and_then(|mut file| {
        write(&mut file, bytes)?;
        sync(&file, SYNC)
    });
    written.or_else(|error| {
        let (_, kept) = spare.keep().map_err(|error| error.error)?;
        let reason = format!("{error}; the new contents are in {}", kept.display());
        Err(io::Error::new(error.kind(), reason))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fault::{Fault, arm, disarm};
    use crate::folder::names;

    #[test]
    fn a_failure_at_any_operation_leaves_the_old_contents_or_the_new() {
        let mut operations = Vec::new();
        for operation in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("z.csv");
            fs::write(&path, "old").unwrap();
            arm(Fault::Fail, operation);
            let done = write_atomically(&path, b"new");
            let struck = disarm();
            assert_eq!(done.is_err(), struck, "a fault is reported");
            operations.extend(done.err().map(|error| error.to_string()));
            let found = fs::read(&path).unwrap();
            assert!(found == b"new" || (found == b"old" && struck), "{operation}");
            assert_eq!(names(folder.path()), ["z.csv"], "nothing is left behind");
            if !struck {
                break;
            }
        }
        let told: Vec<&str> =
            operations.iter().map(|error| error.rsplit(": ").next().unwrap()).collect();
        let expected =
            ["make a file", "write a file", "sync a file", "rename a file", "sync a folder"];
        assert_eq!(told, expected);
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_written_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::net::UnixListener;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("fixed.csv"), "old").unwrap();
        fs::set_permissions(at("fixed.csv"), fs::Permissions::from_mode(0o400)).unwrap();
        let _listener = UnixListener::bind(at("socket.csv")).unwrap();
        for (path, reason) in [
            (at("no/z.csv"), format!("{} cannot be written into: ", at("no").display())),
            (at(""), "this is a folder".to_string()),
            (at("fixed.csv"), "read-only".to_string()),
            (at("socket.csv"), "this is a socket".to_string()),
        ] {
            let error = write_atomically(&path, b"new").unwrap_err().to_string();
            assert!(error.contains(&reason) && !error.contains(TEMPORARY), "{error}");
        }
        assert_eq!(fs::read(at("fixed.csv")).unwrap(), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_links_and_pipes_stay_what_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        write_atomically(&at("new"), b"").unwrap();
        fs::write(at("plain"), "").unwrap();
        assert_eq!(mode("new"), mode("plain"));
        fs::set_permissions(at("new"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("new", at("link.csv")).unwrap();
        write_atomically(&at("link.csv"), b"again").unwrap();
        assert!(fs::symlink_metadata(at("link.csv")).unwrap().is_symlink());
        assert_eq!((mode("new"), fs::read(at("new")).unwrap()), (0o640, b"again".to_vec()));

        let pipe = at("pipe.csv");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write_atomically(&pipe, b"rows").unwrap();
        assert_eq!(reader.join().unwrap(), b"rows");
        assert!(!fs::metadata(&pipe).unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn every_name_of_a_file_keeps_naming_it() {
        use std::os::unix::fs::MetadataExt;
        for operation in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
            fs::write(&a, "old").unwrap();
            fs::hard_link(&a, &b).unwrap();
            arm(Fault::Fail, operation);
            let done = write_atomically(&a, b"new");
            let struck = disarm();
            let inode = |path: &Path| fs::metadata(path).unwrap().ino();
            assert_eq!(inode(&a), inode(&b));
            let found = fs::read(&b).unwrap();
            if found != b"old" && found != b"new" {
                let error = done.unwrap_err().to_string();
                let kept = error.split("the new contents are in ").nth(1).unwrap();
                assert_eq!(fs::read(kept).unwrap(), b"new", "{error}");
            } else if !struck {
                assert_eq!((found, names(folder.path()).len()), (b"new".to_vec(), 2));
                break;
            }
        }
    }
}
