//! Tests of bounded reading: gzip, slow readers, and files that promise too much.

use super::*;
use crate::readers::temporary::{file, gzip};

fn read_all(mut input: Input<'_>) -> Result<Vec<u8>> {
    input.read_at_most(usize::MAX)
}

/// Gives one byte a read, as a slow pipe does.
struct Drip<'a>(&'a [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(1);
        Read::read(&mut self.0, &mut buffer[..count])
    }
}

#[test]
fn what_gives_every_byte_once_is_read_whole() {
    let long: Vec<u8> = (0..3 * START).map(|byte| (byte % 251) as u8).collect();
    for bytes in [b"".as_slice(), b"a", b"\x1f", b"measurement,b,y\n1,2,p\n", &long] {
        for packed in [false, true] {
            let sent = if packed { gzip(bytes) } else { bytes.to_vec() };
            let drip = BufReader::with_capacity(1, Drip(&sent));
            let mut input = Input::new("pipe".into(), drip).unwrap();
            assert_eq!(input.start(), &bytes[..bytes.len().min(START)]);
            let mut read = Vec::new();
            while !input.fill().unwrap().is_empty() {
                let some = input.fill().unwrap().len().min(7);
                read.extend_from_slice(&input.fill().unwrap()[..some]);
                input.consume(some);
            }
            assert!(read == bytes, "{} bytes, packed: {packed}", bytes.len());
        }
    }
}

#[test]
fn what_is_held_as_a_whole_has_a_limit_unless_it_is_a_plain_file() {
    let bytes = vec![7; 5000];
    let (_plain, path) = file("plain.npz", &bytes);
    let read = |path: &Path, most| Input::open(path).unwrap().read_held("a zip archive", most);
    assert_eq!(read(&path, 10).unwrap().len(), 5000);
    let (_packed, path) = file("packed.npz", gzip(&bytes));
    assert_eq!(read(&path, 5000).unwrap().len(), 5000);
    let mut input = Input::open(&path).unwrap();
    let error = input.read_held("a zip archive", 4999).unwrap_err().to_string();
    assert!(error.contains("a zip archive of more than") && error.contains("unpacked"), "{error}");
    assert_eq!(input.read, 5000);
}

#[test]
fn gzip_is_unpacked_whatever_the_name() {
    let (_folder, path) = file("plain.csv", [gzip(b"a,b\n"), gzip(b"1,2\n")].concat());
    let input = Input::open(&path).unwrap();
    assert_eq!(input.format(), Format::Text);
    assert_eq!(read_all(input).unwrap(), b"a,b\n1,2\n");
}

#[test]
fn a_cut_gzip_file_is_called_damaged() {
    for rows in [1, 10_000] {
        let packed = gzip(&b"a,b\n1,2\n".repeat(rows));
        let (_folder, path) = file("cut.csv.gz", &packed[..packed.len() - 4]);
        let error = Input::open(&path).and_then(read_all).unwrap_err().to_string();
        let expected = format!("cut.csv.gz: the gzip data are damaged after {} unpacked", 8 * rows);
        assert!(error.contains(&expected), "{error}");
        assert!(error.ends_with("fetch or write the file again"), "{error}");
    }
}
