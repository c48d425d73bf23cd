//! The cases of the files of `cases`: each begins a line, its fields have bars between them, indented lines continue it.
//!
//! ```text
//! [csv/cell.rs edit] | a,b,y\n1,x,u\n2,1,v\n | correct it => @GOOD | --ignore b
//! ```
//!
//! The first field holds the sites of its hints in brackets, or words of a message without a hint line. The others are
//! - `CONTENTS` of `t.csv`, or `NAME = CONTENTS` of another file; the first file is the one that is edited;
//! - `before: COMMAND`, a fit whose model the command uses;
//! - `$ COMMAND`, or `+ OPTIONS` of the usual one, which is `fit t.csv`;
//! - `--option value`, where the line names an option without a value;
//! - `WORDS => CONTENTS`, `WORDS => $ COMMAND`, `WORDS => + OPTIONS` or `WORDS => without the file`: what is done about a
//!   part of the cure.
//!
//! A line that begins with `%` gives fields to the cases that follow it.

use flate2::Crc;

use super::{Case, Way, check_all};
use crate::{array, gzip};

pub(super) const LIBRARY: &str = include_str!("cases/library.txt");
pub(super) const PROGRAM: &str = include_str!("cases/program.txt");
pub(super) const TABLES: &str = include_str!("cases/tables.txt");
pub(super) const ARRAYS: &str = include_str!("cases/arrays.txt");
pub(super) const COLUMNAR: &str = include_str!("cases/columnar.txt");
pub(super) const MODELS: &str = include_str!("cases/models.txt");
pub(super) const WORDED: &str = include_str!("cases/worded.txt");

/// The cases of a text.
pub(super) fn cases(text: &'static str) -> Vec<Case> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut written: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        if !line.starts_with(' ') {
            written.push(Vec::new());
        }
        written.last_mut().unwrap().extend(line.trim_start().split(" | "));
    }
    let plain = Case { command: "fit t.csv".into(), ..Case::default() };
    let (mut usual, mut cases) = (plain.clone(), Vec::new());
    for fields in written {
        match fields[0].strip_prefix("% ") {
            _ if fields[0] == "%" => usual = plain.clone(),
            Some(first) => usual = case(&plain, &[&[first], &fields[1..]].concat()),
            None => {
                let (sites, says) = match fields[0].strip_prefix('[') {
                    Some(sites) => (sites.strip_suffix(']').unwrap(), ""),
                    None => ("", fields[0]),
                };
                cases.push(Case { sites, says, ..case(&usual, &fields[1..]) });
            }
        }
    }
    cases
}

/// The usual case with these fields.
fn case(usual: &Case, fields: &[&'static str]) -> Case {
    let mut case = Case { files: Vec::new(), ..usual.clone() };
    let command = |text: &str| match text.strip_prefix("$ ") {
        Some(command) => Some(command.to_string()),
        None => Some(format!("{} {}", usual.command, text.strip_prefix("+ ")?)),
    };
    for &field in fields {
        if let Some((words, done)) = field.split_once(" => ") {
            let way = match (done, command(done)) {
                ("without the file", _) => Way::Without,
                (_, Some(command)) => Way::Command(command),
                _ => Way::Table(contents(done)),
            };
            case.ways.push((words, way));
        } else if let Some(command) = command(field) {
            case.command = command;
        } else if let Some(fit) = field.strip_prefix("before: ") {
            case.before = Some(fit);
        } else if field.starts_with("--") {
            case.values.push(field.split_once(' ').unwrap_or((field, "")));
        } else {
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
fn contents(text: &str) -> Vec<u8> {
    let Some(name) = text.strip_prefix('@') else { return bytes(text) };
    match name.rsplit_once(" [..") {
        Some((whole, end)) => made(whole)[..end.trim_end_matches(']').parse().unwrap()].to_vec(),
        None => made(name),
    }
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
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["corpus", name] => std::fs::read(crate::corpus(name)).unwrap(),
        ["gzip", name] => gzip(&made(name)),
        ["utf16", name] => {
            let text = String::from_utf8(made(name)).unwrap();
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
        ["numbers", columns] => numbers(columns.parse().unwrap()),
        ["floats", columns, values] => array(&list(values), columns.parse().unwrap()),
        ["npy", kind, shape, held] => npy(kind, shape, &raw(held)),
        ["idx", kind, sizes, held] => {
            let sizes = list::<u32>(&sizes.replace('x', ","));
            let rank = sizes.len() as u8;
            let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.to_be_bytes()).collect();
            [&[0, 0, kind.parse().unwrap(), rank], &sizes[..], &raw(held)].concat()
        }
        ["i8", values] => vector("<i8", list(values).into_iter().map(i64::to_le_bytes)),
        ["f8", values] => vector("<f8", list(values).into_iter().map(f64::to_le_bytes)),
        ["csr", sizes, indices, starts, values] => made(&format!(
            "zip indices.npy i8 {indices}; indptr.npy i8 {starts}; format.npy npy |S3 () csr; \
             shape.npy i8 {sizes}; data.npy f8 {values}"
        )),
        ["zip", ..] => {
            let files = text.split_once(' ').unwrap().1.split("; ");
            let files = files.map(|file| file.split_once(' ').unwrap());
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
        ["bytes", held] => raw(held),
        ["images"] => made("idx 8 4x1x2 1,2,2,1,3,2,4,1"),
        ["labels"] => made("idx 8 4 0,1,0,1"),
        ["csr"] => made("csr 4,2 0,1,0 0,1,2,2,3 1,0.5,2"),
        ["npz"] => made("zip X.npy numbers 2; y.npy numbers 1"),
        ["tar"] => [&b"t.csv"[..], &[0; 252], b"ustar\x0000"].concat(),
        [name] => table(name).into_bytes(),
        // A table with something else in place of a part.
        [name, ..] => {
            let (from, to) = text[name.len() + 1..].split_once(" -> ").unwrap();
            let [from, to] = [from, to].map(|part| String::from_utf8(bytes(part)).unwrap());
            table(name).replace(&from, &to).into_bytes()
        }
        [] => Vec::new(),
    }
}

/// A list of bytes, or a text.
fn raw(held: &str) -> Vec<u8> {
    let is_list = held.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    if is_list { list(held) } else { bytes(held) }
}

/// Four rows of so many small whole numbers.
fn numbers(columns: usize) -> Vec<u8> {
    let values = (0..4 * columns).map(|at| f64::from(u8::from(at / columns % 2 == 1)));
    array(&values.collect::<Vec<_>>(), columns)
}

/// A NumPy file of values of any type, of a shape such as `4x2`, or as it is written in Python.
fn npy(kind: &str, shape: &str, held: &[u8]) -> Vec<u8> {
    // A type of fields is a list.
    let kind = if kind.starts_with('[') { kind.to_string() } else { format!("'{kind}'") };
    let shape = match (shape.starts_with('('), shape.contains('x')) {
        (true, _) => shape.to_string(),
        (_, true) => format!("({})", shape.replace('x', ", ")),
        _ => format!("({shape},)"),
    };
    let header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}");
    [b"\x93NUMPY\x01\x00v\x00", format!("{header:117}\n").as_bytes(), held].concat()
}

/// A NumPy vector of values of eight bytes each.
fn vector(kind: &str, values: impl ExactSizeIterator<Item = [u8; 8]>) -> Vec<u8> {
    let shape = values.len().to_string();
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

/// A table that many cases have, or one of many rows.
pub(super) fn table(name: &str) -> String {
    let class = |at: usize| ["u", "v"][at % 2];
    let rows = |header: &str, row: &dyn Fn(usize) -> String| crate::table(header, 30, row);
    // Another cell in place of the number of some rows.
    let cells = |cell: &dyn Fn(usize) -> Option<String>| {
        rows("a,b,y", &|at| {
            let first = cell(at).unwrap_or_else(|| (at * 7 % 13).to_string());
            format!("{first},{},{}", at * at % 11, class(at))
        })
    };
    let marks = |mark: &str| cells(&|at| [3, 9, 20].contains(&at).then(|| mark.to_string()));
    let last = |mark: &str, header| {
        rows(header, &|at| {
            let cell = if at == 29 { mark.to_string() } else { at.to_string() };
            format!("{at},{cell},{}", at % 2)
        })
    };
    let targets = |target: &dyn Fn(usize) -> usize| {
        rows("a,b,y", &|at| format!("{},{},{}", at * 7 % 13, at * at % 11, target(at)))
    };
    match name {
        "GOOD" => "a,b,y\n1,2,u\n2,1,v\n3,2,u\n4,1,v\n".into(),
        "FEATURES" => "a,b\n1,2\n2,1\n3,2\n4,1\n".into(),
        "CLASSES" => "y\nu\nv\nu\nv\n".into(),
        // Entries of four rows and two columns.
        "MARKET" => {
            "%%MatrixMarket matrix coordinate real general\n4 2 3\n1 1 1\n2 2 0.5\n4 1 2\n".into()
        }
        // Two features, a group, and two classes that are numbers.
        "GROUPS" => "\
             a,b,g,y\n\
             1,2,1,1\n2,4,1,0\n3,1,1,1\n4,3,1,0\n5,0,1,1\n6,2,1,0\n\
             7,4,2,1\n8,1,2,0\n9,3,2,1\n10,0,2,0\n11,2,2,1\n12,4,2,0\n\
             13,1,3,1\n14,3,3,0\n15,0,3,1\n16,2,3,0\n17,4,3,1\n18,1,3,0\n\
             19,3,4,1\n20,0,4,0\n21,2,4,1\n22,4,4,0\n23,1,4,1\n24,3,4,0\n"
            .into(),
        // Rows of which each has one neighbor within reach.
        "FAR" => "a,y\n0,u\n1000,u\n5000,v\n6000,v\n20000,u\n21000,v\n".into(),
        "LONG_LINE" => table("MARKET").replace("1 1 1", &"1 1 1".repeat(1 << 14)),
        "LAST_TEXT" => rows("a,b,y", &|at| {
            format!("{at},{},{}", if at == 29 { "\"n, d\"" } else { "1" }, at % 2)
        }),
        "LAST_LEVEL" => last("n/k", "a,\"b, \"\"c\"\"\",y"),
        "NO_HEADER" => rows("1,2,u", &|at| format!("{},{},{}", at % 7, at % 3, class(at))),
        "YEARS" => rows("2000,2010,2020", &|at| format!("{},{},{}", at % 7, at % 3, at % 2)),
        "AGE" => rows("age,1,2,3,u", &|at| {
            format!("{at},{},{},{},{}", 1 + at % 2, 1 + at % 3, 1 + at % 4, class(at))
        }),
        "ZIP" => rows("zip,b,y", &|at| format!("{:05},{},{}", 7 * (at % 9), at % 5, class(at))),
        "NAMES" => rows("a,b,y", &|at| format!("{at},name{at},{}", at % 2)),
        "USUAL" => cells(&|_| None),
        "NUMBERED" => cells(&|at| Some(at.to_string())),
        "NAMED" => cells(&|at| Some(format!("name {at}"))),
        "DAYS" => cells(&|at| Some(format!("202401{:02}", 1 + at * 5 % 28))),
        "OUTLIER" => cells(&|at| (at == 3).then(|| "1e6".to_string())),
        "MARKS" => marks("-999"),
        "EMPTY_CELLS" => marks(""),
        "TWICE" => {
            rows("a,b,c,y", &|at| format!("{0},{0},{1},{2}", at * 7 % 13, at % 5, class(at)))
        }
        "GIVEN_AWAY" => rows("a,b,y", &|at| format!("{},{},{}", at % 2, at * at % 11, class(at))),
        "WHOLE_TARGET" => targets(&|at| at * 3 / 4),
        "TARGET" => targets(&|at| at % 9),
        "FAR_TARGET" => targets(&|at| if at == 7 { 10_000 } else { at % 9 }),
        "RARE_TARGET" => targets(&|at| usize::from(at % 6 == 0)),
        "CLUSTERS" => {
            rows("a,b,y", &|at| format!("{}0.{},0.{},{}", at % 4, at % 3, at * at % 9, class(at)))
        }
        "OTHERS" => rows("a,b,c,n,y", &|at| {
            format!("{}.5,{}.5,{}.5,{at},{}", at % 7, at * at % 11, at % 4, class(at))
        }),
        // Three features, a number and three classes.
        "FORTY" => crate::table("a,b,c,n,y", 40, |at| {
            let class = ["u", "v", "w"][at % 3];
            format!("{},{},{},{at}.5,{class}", at % 7, at * at % 11, at * 3 % 5)
        }),
        // The last six without a class.
        "PARTLY" => crate::table("a,b,y", 18, |at| {
            format!("{at},{},{}", at * at % 5, if at < 12 { class(at) } else { "" })
        }),
        _ => panic!("there is no table {name}"),
    }
}

#[test]
fn the_cures_of_the_library_work() {
    check_all(&cases(LIBRARY));
}

#[test]
fn the_cures_of_the_program_work() {
    check_all(&cases(PROGRAM));
}

#[test]
fn the_cures_of_bad_tables_work() {
    check_all(&cases(TABLES));
}

#[test]
fn the_cures_of_bad_arrays_work() {
    check_all(&cases(ARRAYS));
}

#[test]
fn the_cures_of_bad_parquet_files_work() {
    let (with_the_feature, without) = COLUMNAR.split_once("# Any other build.").unwrap();
    check_all(&cases(if cfg!(feature = "parquet") { with_the_feature } else { without }));
}
