//! Where a path leads, and how what is there may be written.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::folder::folder_of;

/// More symbolic links in a row than any system follows.
const MOST_LINKS: usize = 40;
/// Names of standard output: opened again, a redirected file would be written from its start.
const STDOUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
/// Names of open files: they are written to, at their end, and never replaced.
const OPEN_FILES: [&str; 4] = ["/dev/stdin", "/dev/stderr", "/dev/fd", "/proc"];

/// How a path is to be written.
#[derive(Debug)]
pub(crate) enum Target {
    Stdout,
    /// A device, a FIFO or an open file, which takes the bytes as they come.
    Stream(PathBuf),
    /// A regular file, behind all links, or the place for a new one.
    File {
        path: PathBuf,
        existing: Option<Metadata>,
    },
}

impl Target {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let open = OpenFile::of(path);
        if open == Some(OpenFile::Stdout) {
            return Ok(Self::Stdout);
        }
        match fs::metadata(path) {
            Ok(_) if open.is_some() => Ok(Self::Stream(path.to_path_buf())),
            Ok(metadata) if metadata.is_file() => {
                let path = fs::canonicalize(path)?;
                check_writable(&path, &metadata)?;
                Ok(Self::File { path, existing: Some(metadata) })
            }
            Ok(metadata) => {
                check_special(&metadata)?;
                Ok(Self::Stream(path.to_path_buf()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Self::File { path: end_of_links(path)?, existing: None })
            }
            Err(error) => Err(error),
        }
    }
}

/// A file that this process, or another, has open: the path names the opening, not the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenFile {
    Stdout,
    Other,
}

impl OpenFile {
    /// What a path, or a link that it leads to, says; the system itself would say what file is behind.
    fn of(path: &Path) -> Option<Self> {
        let mut at = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            if let Some(found) = Self::named(&at).or_else(|| Self::named(&in_real_folder(&at)?)) {
                return Some(found);
            }
            at = folder_of(&at).join(fs::read_link(&at).ok()?);
        }
        None
    }

    fn named(path: &Path) -> Option<Self> {
        let own = format!("/proc/{}/fd/1", std::process::id());
        if STDOUT.iter().any(|name| path == Path::new(name)) || path == Path::new(&own) {
            return Some(Self::Stdout);
        }
        OPEN_FILES.iter().any(|name| path.starts_with(name)).then_some(Self::Other)
    }
}

/// The path with the links and dots of its folder resolved, and not its own.
fn in_real_folder(path: &Path) -> Option<PathBuf> {
    Some(fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?))
}

/// Whether this path is, or would become, a regular file: not a device, a FIFO or standard output.
pub fn is_regular(path: &Path) -> bool {
    OpenFile::of(path).is_none() && fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

/// The permissions ask not to write, even where the user (root, or the owner of the folder) could.
fn check_writable(path: &Path, metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        return Err(refusal(
            ErrorKind::PermissionDenied,
            "the file is read-only; change its permissions, or give another name",
        ));
    }
    OpenOptions::new().write(true).open(path).map(drop)
}

fn check_special(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        let reason = "this is a folder; give the name of a file";
        return Err(refusal(ErrorKind::IsADirectory, reason));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let invalid = |reason| Err(refusal(ErrorKind::InvalidInput, reason));
        if kind.is_block_device() {
            return invalid("this is a disk; give the name of a file");
        }
        if kind.is_socket() {
            return invalid("this is a socket; give the name of a file");
        }
    }
    Ok(())
}

fn refusal(kind: ErrorKind, reason: &str) -> io::Error {
    io::Error::new(kind, reason)
}

/// Follows links to where nothing is yet: the file is made there.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut end = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&end) {
            Ok(next) => end = end.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(end),
        }
    }
    Err(refusal(ErrorKind::InvalidInput, "too many symbolic links; give the file they lead to"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_lead_to_their_file_also_where_none_is_yet() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("b", at("a")).unwrap();
        symlink(at("end.csv"), at("b")).unwrap();
        for exists in [false, true] {
            let Target::File { path, existing } = Target::of(&at("a")).unwrap() else { panic!() };
            assert!(path.ends_with("end.csv") && existing.is_some() == exists, "{path:?}");
            fs::write(at("end.csv"), "").unwrap();
        }
        symlink("loop", at("loop")).unwrap();
        assert!(Target::of(&at("loop")).is_err());
    }

    #[test]
    fn open_files_are_told_also_behind_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let up: String = folder.path().components().skip(1).map(|_| "../").collect();
        symlink("/dev", at("devices")).unwrap();
        for (link, to) in [
            ("a.csv", "/dev/stdout"),
            ("b.csv", "a.csv"),
            ("c.csv", "/proc/self/fd/1"),
            ("d.csv", "devices/fd/1"),
            ("e.csv", &format!("{up}dev/stdout")),
        ] {
            symlink(to, at(link)).unwrap();
            assert!(matches!(Target::of(&at(link)), Ok(Target::Stdout)), "{link}");
            assert!(!is_regular(&at(link)), "{link}");
        }
        // A regular file behind a descriptor is not to be replaced either.
        let file = fs::File::create(at("file.csv")).unwrap();
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file);
        symlink(format!("/dev/fd/{descriptor}"), at("f.csv")).unwrap();
        for stream in [at("f.csv"), "/dev/null".into()] {
            assert!(matches!(Target::of(&stream), Ok(Target::Stream(_))), "{stream:?}");
            assert!(!is_regular(&stream), "{stream:?}");
        }
        assert!(is_regular(&at("file.csv")) && is_regular(Path::new("no/such/file.csv")));
    }
}
