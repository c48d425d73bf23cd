//! Reading a file that a program wrote: only a regular one, as a FIFO or a device may never end.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The contents of a regular file, links followed.
///
/// # Errors
/// What is no regular file, as [`ErrorKind::InvalidInput`], and as [`fs::read`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() {
        return fs::read(path);
    }
    let reason = match kind.is_dir() {
        true => "this is a folder, where a file is wanted",
        false => "this is a FIFO, a device or a socket, where a regular file is wanted",
    };
    Err(io::Error::new(ErrorKind::InvalidInput, reason))
}

/// The contents of a regular file of text.
///
/// # Errors
/// As [`read_regular`]; or bytes that are not UTF-8, as [`ErrorKind::InvalidData`].
pub fn read_regular_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_regular(path)?)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, error.utf8_error()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        assert_eq!(read_regular_text(&at("link")).unwrap(), "text");
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for path in [at("pipe"), "/dev/zero".into(), folder.path().into()] {
            let error = read_regular(&path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{path:?}: {error}");
        }
        assert_eq!(read_regular(&at("none")).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
