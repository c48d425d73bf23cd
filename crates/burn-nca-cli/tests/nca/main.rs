//! The program from outside: what it prints, writes, and refuses.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used)]

mod continuous;
mod cures;
mod decision;
mod devices;
mod documents;
mod evaluate;
mod explain;
mod faults;
mod fit;
mod fuzz;
mod interruption;
mod invocation;
mod methods;
mod models;
mod nameless;
mod names;
mod program;
mod release;
mod repeats;
mod scores;
mod sparse;
mod streams;
mod tables;
mod targets;
mod threads;
mod tuning;
mod warnings;
mod wide;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use burn_nca_data::{Matrix, npy_file};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::Program;

/// `nca` with the words of this command, on the CPU whatever the environment says.
fn nca(command: &str) -> Program {
    let mut program = Program(Command::new(env!("CARGO_BIN_EXE_nca")));
    // Mesa complains on stderr where that variable is not set.
    program.env("XDG_RUNTIME_DIR", "/tmp").env_remove("BURN_DEVICE");
    program.args(shell_words(command));
    program
}

/// The words of a command; single quotation marks hold one together.
fn shell_words(command: &str) -> Vec<String> {
    let of_part = |(at, part): (usize, &str)| match at % 2 {
        0 => part.split_whitespace().map(String::from).collect(),
        _ => vec![part.to_string()],
    };
    command.split('\'').enumerate().flat_map(of_part).collect()
}

/// The files below a folder, without what was built or installed there.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (name, path) = (entry.file_name(), entry.path());
        if !name.to_str().unwrap().starts_with('.') && name != "target" {
            found.extend(if path.is_dir() { files_below(&path) } else { vec![path] });
        }
    }
    found
}

/// A text with each of these parts.
#[track_caller]
fn assert_parts(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in {text}"));
}

/// A folder of files that disappears with the test.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// `nca` with the words of this command, which runs in this folder.
    fn nca(&self, command: &str) -> Program {
        let mut program = nca(command);
        program.current_dir(self.0.path());
        program
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and makes its folder.
    fn file<T: AsRef<[u8]>>(&self, name: &str, contents: T) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Makes a FIFO.
    #[cfg(unix)]
    fn fifo(&self, name: &str) {
        let mut mkfifo = Command::new("mkfifo");
        assert!(mkfifo.arg(self.path(name)).status().unwrap().success());
    }

    fn rename(&self, from: &str, to: &str) {
        std::fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// Removes a folder with what it holds.
    fn clear(&self, folder: &str) {
        std::fs::remove_dir_all(self.path(folder)).unwrap();
    }
}

/// A table of this header and so many rows.
fn table(header: &str, count: usize, mut row: impl FnMut(usize) -> String) -> String {
    (0..count).fold(format!("{header}\n"), |text, at| text + &row(at) + "\n")
}

/// Waits until something is so, a minute at most.
#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Numbers that look random, below 2^31.
fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

/// The folder of the workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A file of the corpus of the readers.
fn corpus(name: &str) -> String {
    format!("{}/../burn-nca-data/tests/corpus/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Bytes packed by gzip.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A NumPy file of these numbers.
fn array(values: &[f64], columns: usize) -> Vec<u8> {
    npy_file(&Matrix::F64 { values: values.to_vec(), columns })
}

fn array_of(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// The number in a field.
#[track_caller]
fn number(of: &Value, field: &str) -> f64 {
    of[field].as_f64().unwrap_or_else(|| panic!("{field} is not in {of}"))
}

/// JSON numbers are read for speed: the last bit may differ.
#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() < tolerance, "{found} is not {expected}");
}

fn numbers(value: &Value) -> Vec<f64> {
    array_of(value).iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The warnings of a document, each a code and a text.
fn warnings(document: &Value) -> Vec<(&str, &str)> {
    array_of(&document["warnings"])
        .iter()
        .map(|one| (one["code"].as_str().unwrap(), one["text"].as_str().unwrap()))
        .collect()
}

/// The same as text, a line each: `few_groups: all rows are of one group`.
fn warned(document: &Value) -> String {
    warnings(document).iter().map(|(code, text)| format!("{code}: {text}\n")).collect()
}

/// The methods that a fit was compared with, its own at the end.
fn methods_compared(report: &Value) -> Vec<&str> {
    let rows = array_of(&report["comparison"]["rows"]).iter();
    rows.map(|row| row["method"].as_str().unwrap()).collect()
}

/// A document without what the clock and the place decide.
fn timeless(mut document: Value) -> Value {
    match &mut document {
        Value::Object(fields) => {
            let of_the_clock = |name: &str| {
                let others = ["ended", "times", "command", "peak_memory_bytes"];
                name.contains("seconds") || others.contains(&name)
            };
            fields.retain(|name, _| !of_the_clock(name));
            fields.values_mut().for_each(|field| *field = timeless(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = timeless(item.take())),
        _ => {}
    }
    document
}
