//! The cases of the files of `cases`: each begins a line, its fields have bars between them, indented lines continue it.
//!
//! ```text
//! [csv/cell.rs edit] | a,b,y\n1,x,u\n2,1,v\n | correct it => @GOOD | leave --ignore => + --task regression
//! ```
//!
//! The first field holds the sites of its hints in brackets, or words of a message without a hint line. The others are
//! - `CONTENTS` of `t.csv`, or `NAME = CONTENTS` of another file; the first file is the one that is edited;
//! - `before: COMMAND`, a fit whose model the command uses;
//! - `$ COMMAND`, or `+ OPTIONS` of the usual one, which is `fit t.csv`;
//! - `WORDS => DONE`, what is done about a part of the cure: `CONTENTS` of the first file, `without the file`, or one of
//!   the last two kinds of field.
//!
//! A line that begins with `%` gives fields to the cases that follow it.

use flate2::Crc;

use super::Case;
use crate::{array, gzip};

/// Contents that cases name.
const MADE: &str = include_str!("cases/made.txt");

/// The cases of a text.
pub(super) fn cases(text: &'static str) -> Vec<Case> {
    let mut written: Vec<Vec<&str>> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if !line.starts_with(' ') {
            written.push(Vec::new());
        }
        written.last_mut().unwrap().extend(line.trim_start().split(" | "));
    }
    let plain = Case { command: "fit t.csv".into(), ..Case::default() };
    let (mut usual, mut cases) = (plain.clone(), Vec::new());
    for fields in written {
        match fields[0].strip_prefix('%') {
            Some(first) => usual = case(&plain, &[&[first.trim()], &fields[1..]].concat()),
            None => cases.push(Case { head: fields[0], ..case(&usual, &fields[1..]) }),
        }
    }
    cases
}

/// The usual case with these fields.
fn case(usual: &Case, fields: &[&'static str]) -> Case {
    let mut case = Case { files: Vec::new(), usual: usual.command.clone(), ..usual.clone() };
    for field in fields.iter().filter(|field| !field.is_empty()) {
        if let Some(way) = field.split_once(" => ") {
            case.ways.push(way);
        } else if !case.set(field) {
            let (name, held) = field.split_once(" = ").unwrap_or(("t.csv", field));
            case.files.push((name, contents(held)));
        }
    }
    let is_given = |name: &str| case.files.iter().any(|(given, _)| *given == name);
    let others = usual.files.iter().filter(|(name, _)| !is_given(name)).cloned();
    case.files.extend(others.collect::<Vec<_>>());
    case
}

/// What a file holds: the text itself, or what follows `@` is made.
pub(super) fn contents(text: &str) -> Vec<u8> {
    text.strip_prefix('@').map_or_else(|| bytes(text), made)
}

/// The bytes of a text with `\n`, `\t` and `\xff` for what it cannot hold.
fn bytes(text: &str) -> Vec<u8> {
    let mut parts = text.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (byte, length) = match &part[..1] {
            "n" => (b'\n', 1),
            "t" => (b'\t', 1),
            _ => (u8::from_str_radix(&part[1..3], 16).unwrap(), 3),
        };
        bytes.push(byte);
        bytes.extend(part[length..].bytes());
    }
    bytes
}

/// Numbers with commas between them; `0*64` is one of them 64 times, and `-` none.
fn list<T: std::str::FromStr<Err: std::fmt::Debug> + Clone>(text: &str) -> Vec<T> {
    let of_item = |item: &str| {
        let (number, times) = item.split_once('*').unwrap_or((item, "1"));
        vec![number.parse().unwrap(); times.parse().unwrap()]
    };
    text.split(',').filter(|item| *item != "-").flat_map(of_item).collect()
}

fn made(text: &str) -> Vec<u8> {
    // The beginning of something, and a text with something else in place of a part.
    if let Some((whole, end)) = text.rsplit_once(" [..") {
        return made(whole)[..end.trim_end_matches(']').parse().unwrap()].to_vec();
    }
    if let Some((name, change)) = text.split_once(' ')
        && let Some((from, to)) = change.split_once(" -> ")
    {
        let (to, times) = to.split_once(" * ").unwrap_or((to, "1"));
        let [from, to] = [from, to].map(|part| String::from_utf8(bytes(part)).unwrap());
        let to = to.repeat(times.parse().unwrap());
        return String::from_utf8(made(name)).unwrap().replace(&from, &to).into_bytes();
    }
    match text.split(' ').collect::<Vec<_>>()[..] {
        ["corpus", name] => std::fs::read(crate::corpus(name)).unwrap(),
        ["gzip", name] => gzip(&made(name)),
        ["utf16", name] => {
            let text = String::from_utf8(made(name)).unwrap();
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
        ["bytes", held] => raw(held),
        ["floats", columns, values] => array(&list(values), columns.parse().unwrap()),
        ["npy", kind, shape, held] => npy(kind, shape, &raw(held)),
        ["i8", values] => vector("'<i8'", list(values).into_iter().map(i64::to_le_bytes)),
        ["f8", values] => vector("'<f8'", list(values).into_iter().map(f64::to_le_bytes)),
        ["idx", kind, sizes, held] => {
            let sizes = list::<u32>(sizes);
            let head = [0, 0, kind.parse().unwrap(), sizes.len() as u8];
            let sizes: Vec<u8> = sizes.into_iter().flat_map(u32::to_be_bytes).collect();
            [&head[..], &sizes, &raw(held)].concat()
        }
        ["csr", sizes, indices, starts, values] => made(&format!(
            "zip indices.npy i8 {indices}; indptr.npy i8 {starts}; format.npy npy '|S3' () csr; \
             shape.npy i8 {sizes}; data.npy f8 {values}"
        )),
        ["zip", ..] => {
            let files = text[4..].split("; ").map(|file| file.split_once(' ').unwrap());
            zip(&files.map(|(name, held)| (name, made(held))).collect::<Vec<_>>())
        }
        // Each of these marks has this byte so far behind its beginning.
        ["damaged", mark, after, byte] => {
            let whole = made("npz");
            let mut damaged = whole.clone();
            let marks = (0..whole.len()).filter(|&at| whole[at..].starts_with(&bytes(mark)));
            let after: usize = after.parse().unwrap();
            marks.for_each(|at| damaged[at + after] = byte.parse().unwrap());
            damaged
        }
        [name] => {
            let of_line = |line: &'static str| line.strip_prefix(name)?.strip_prefix(" = ");
            let found = MADE.lines().find_map(of_line);
            contents(found.unwrap_or_else(|| panic!("{name} is not made")))
        }
        _ => panic!("{text} is not made"),
    }
}

/// A list of bytes, or a text.
fn raw(held: &str) -> Vec<u8> {
    let is_list = held.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    if is_list { list(held) } else { bytes(held) }
}

/// A NumPy file of values of any type and shape, both as they are written in Python.
fn npy(kind: &str, shape: &str, held: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}");
    [b"\x93NUMPY\x01\x00v\x00", format!("{header:117}\n").as_bytes(), held].concat()
}

/// A NumPy vector of values of eight bytes each.
fn vector(kind: &str, values: impl ExactSizeIterator<Item = [u8; 8]>) -> Vec<u8> {
    let shape = format!("({},)", values.len());
    npy(kind, &shape, &values.flatten().collect::<Vec<_>>())
}

/// An archive of stored files, as `np.savez` writes it.
fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut index) = (Vec::new(), Vec::new());
    for (name, held) in files {
        let mut checksum = Crc::new();
        checksum.update(held);
        let (sum, size) = (checksum.sum().to_le_bytes(), (held.len() as u32).to_le_bytes());
        let named = [name.len() as u8, 0, 0, 0];
        let of_file = [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &sum, &size, &size, &named].concat();
        let start = (bytes.len() as u32).to_le_bytes();
        bytes.extend([b"PK\x03\x04", &of_file[..], name.as_bytes(), held].concat());
        index.extend(
            [b"PK\x01\x02\x14\0", &of_file[..], &[0; 10], &start, name.as_bytes()].concat(),
        );
    }
    let (count, start) = ([files.len() as u8, 0], (bytes.len() as u32).to_le_bytes());
    let size = (index.len() as u32).to_le_bytes();
    [&bytes[..], &index, b"PK\x05\x06\0\0\0\0", &count, &count, &size, &start, &[0, 0]].concat()
}
