//! One file, written atomically.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::folder::{about_folder, folder_of, sync_folder};
use crate::stdout::write_stdout;
use crate::sync::sync;
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

    #[test]
    fn a_folder_that_does_not_exist_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("no");
        let error = write_atomically(&missing.join("z.csv"), b"").unwrap_err().to_string();
        let expected = format!("the folder {} cannot be written into: ", missing.display());
        assert!(error.starts_with(&expected) && !error.contains(TEMPORARY), "{error}");
        let error = write_atomically(folder.path(), b"").unwrap_err().to_string();
        assert!(error.contains("this is a folder"), "{error}");
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        use std::os::unix::net::UnixListener;

        use super::*;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        }

        #[test]
        fn a_new_file_has_the_permissions_of_any_other_and_an_old_one_keeps_its_own() {
            let folder = tempfile::tempdir().unwrap();
            let [new, plain] = ["new", "plain"].map(|name| folder.path().join(name));
            write_atomically(&new, b"").unwrap();
            fs::write(&plain, "").unwrap();
            assert_eq!(mode(&new), mode(&plain));
            fs::set_permissions(&new, fs::Permissions::from_mode(0o640)).unwrap();
            write_atomically(&new, b"again").unwrap();
            assert_eq!((mode(&new), fs::read(&new).unwrap()), (0o640, b"again".to_vec()));
        }

        #[test]
        fn a_read_only_file_is_refused() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("z.csv");
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
            let error = write_atomically(&path, b"new").unwrap_err();
            assert!(error.to_string().contains("read-only"), "{error}");
            assert_eq!(fs::read(&path).unwrap(), b"old");
        }

        #[test]
        fn a_link_stays_a_link_to_a_file_that_is_written() {
            let folder = tempfile::tempdir().unwrap();
            let [link, file] = ["link.csv", "file.csv"].map(|name| folder.path().join(name));
            symlink("file.csv", &link).unwrap();
            for text in ["made", "replaced"] {
                write_atomically(&link, text.as_bytes()).unwrap();
                assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
                assert_eq!(fs::read_to_string(&file).unwrap(), text);
            }
        }

        #[test]
        fn every_name_of_a_file_keeps_naming_it() {
            let mut struck = true;
            for operation in 0.. {
                let folder = tempfile::tempdir().unwrap();
                let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
                fs::write(&a, "old").unwrap();
                fs::hard_link(&a, &b).unwrap();
                arm(Fault::Fail, operation);
                let done = write_atomically(&a, b"new");
                struck = disarm();
                let inode = |path: &Path| fs::metadata(path).unwrap().ino();
                assert_eq!(inode(&a), inode(&b));
                let whole = |bytes: Vec<u8>| bytes == b"old" || bytes == b"new";
                if !whole(fs::read(&b).unwrap()) {
                    let error = done.unwrap_err().to_string();
                    let kept = error.split("the new contents are in ").nth(1).unwrap();
                    assert_eq!(fs::read(kept).unwrap(), b"new", "{error}");
                } else if !struck {
                    assert_eq!(
                        (fs::read(&b).unwrap(), names(folder.path()).len()),
                        (b"new".to_vec(), 2)
                    );
                    break;
                }
            }
            assert!(!struck);
        }

        #[test]
        fn a_fifo_is_written_to_and_stays_one() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("pipe.csv");
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            let reader = std::thread::spawn({
                let path = path.clone();
                move || fs::read(path).unwrap()
            });
            write_atomically(&path, b"rows").unwrap();
            assert_eq!(reader.join().unwrap(), b"rows");
            assert!(!fs::metadata(&path).unwrap().is_file());
            write_atomically(Path::new("/dev/null"), b"rows").unwrap();
            assert!(!fs::metadata("/dev/null").unwrap().is_file());
        }

        #[test]
        fn a_socket_is_refused() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("socket.csv");
            let _listener = UnixListener::bind(&path).unwrap();
            let error = write_atomically(&path, b"rows").unwrap_err().to_string();
            assert!(error.contains("this is a socket"), "{error}");
        }
    }
}
