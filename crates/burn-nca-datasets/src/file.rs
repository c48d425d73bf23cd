//! Bytes of a file, unpacked where they are gzip, and what kind of file they are.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use burn_nca::{Error, Result};
use flate2::read::MultiGzDecoder;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What the first bytes of a file say it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A NumPy array.
    Npy,
    /// An IDX array (the format of the MNIST files).
    Idx,
    /// A zip archive: `.npz`, `.xlsx`, …
    Zip,
    /// Anything else, taken for text.
    Text,
}

impl Format {
    /// The format of (unpacked) bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Self::Npy,
            [0, 0, 8..=14, rank, ..] if *rank > 0 => Self::Idx,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            _ => Self::Text,
        }
    }

    /// The format of a file, from its first bytes.
    pub(crate) fn of_file(path: &Path) -> Result<Self> {
        let start = read_start(path).map_err(|source| io_error(path, source))?;
        Ok(Self::of(&start))
    }
}

/// All bytes of a file, unpacked if they are gzip (told by the bytes, not by the name).
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let bytes = fs::read(path).map_err(|source| io_error(path, source))?;
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked).map_err(|source| {
        Error::data(format!(
            "{}: the gzip data are damaged after {} unpacked bytes ({source}); \
             fetch or compress the file again",
            path.display(),
            unpacked.len()
        ))
    })?;
    Ok(unpacked)
}

fn read_start(path: &Path) -> io::Result<Vec<u8>> {
    const LENGTH: u64 = 8;
    let mut start = Vec::new();
    File::open(path)?.take(LENGTH).read_to_end(&mut start)?;
    if start.starts_with(&GZIP_MAGIC) {
        start.clear();
        // A damaged archive is reported by `read_bytes`, which sees all of it.
        let _ = MultiGzDecoder::new(BufReader::new(File::open(path)?))
            .take(LENGTH)
            .read_to_end(&mut start);
    }
    Ok(start)
}

fn io_error(path: &Path, source: io::Error) -> Error {
    let kind = source.kind();
    let source = match kind {
        io::ErrorKind::NotFound => io::Error::new(kind, "there is no such file; check the path"),
        io::ErrorKind::IsADirectory => {
            io::Error::new(kind, "this is a folder; give the path of a file in it")
        }
        _ => source,
    };
    Error::io(path, source)
}

/// Puts the name of the file before the message of a data error.
pub(crate) fn name_file(origin: &str, error: Error) -> Error {
    match error {
        Error::Data(message) => Error::data(format!("{origin}: {message}")),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_missing_file_and_a_folder_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let error = read_bytes(&folder.path().join("no.csv")).unwrap_err().to_string();
        assert!(error.ends_with("no.csv: there is no such file; check the path"), "{error}");
        let error = read_bytes(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("this is a folder; give the path of a file in it"), "{error}");
    }

    #[test]
    fn gzip_is_unpacked_whatever_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plain.csv");
        fs::write(&path, [gzip(b"a,b\n"), gzip(b"1,2\n")].concat()).unwrap();
        assert_eq!(read_bytes(&path).unwrap(), b"a,b\n1,2\n");
        assert_eq!(Format::of_file(&path).unwrap(), Format::Text);
    }

    #[test]
    fn a_cut_gzip_file_is_called_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.csv.gz");
        let packed = gzip(b"a,b\n1,2\n");
        fs::write(&path, &packed[..packed.len() - 4]).unwrap();
        let error = read_bytes(&path).unwrap_err().to_string();
        assert!(error.contains("cut.csv.gz: the gzip data are damaged after 8"), "{error}");
        assert!(error.ends_with("fetch or compress the file again"), "{error}");
        assert_eq!(Format::of_file(&path).unwrap(), Format::Text);
    }

    #[test]
    fn formats_are_known_by_their_first_bytes() {
        assert_eq!(Format::of(b"\x93NUMPY\x01\x00"), Format::Npy);
        assert_eq!(Format::of(&[0, 0, 8, 3, 0, 0, 0, 1]), Format::Idx);
        assert_eq!(Format::of(b"PK\x03\x04"), Format::Zip);
        assert_eq!(Format::of(b""), Format::Text);
    }
}
