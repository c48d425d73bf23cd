//! The program from outside: what it prints, writes, and refuses.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod continuous;
mod crashes;
mod cures;
mod decision;
mod devices;
mod documents;
mod evaluate;
mod explain;
mod faults;
mod fit;
mod fuzz;
mod golden;
mod interruption;
mod invocation;
mod many_classes;
mod methods;
mod models;
mod nameless;
mod names;
mod neighbor_count;
mod output_files;
mod pipes;
mod program;
mod release;
mod repeats;
mod rounding;
mod scores;
mod source;
mod sparse;
mod stderr;
mod tables;
mod targets;
mod threads;
mod time_budget;
mod tuning;
mod unseen;
mod warnings;
mod wide;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::Program;

/// `nca` with these arguments, on the CPU whatever the environment says.
fn nca(arguments: &[&str]) -> Program {
    let mut command = Program::new();
    // Mesa complains on stderr where that variable is not set.
    command.env("XDG_RUNTIME_DIR", "/tmp").env_remove("BURN_DEVICE").args(arguments);
    command
}

/// What a successful run prints.
fn stdout(arguments: &[&str]) -> String {
    let output = nca(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// The one JSON document of a successful run.
fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

/// The message of a run that fails with this exit code.
fn failure(arguments: &[&str], code: i32) -> String {
    let output = nca(arguments).assert().failure().code(code).get_output().clone();
    assert!(output.stdout.is_empty(), "nothing is printed on stdout by a run that fails");
    String::from_utf8(output.stderr).unwrap()
}

/// A text with each of these parts.
#[track_caller]
fn assert_parts(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in {text}"));
}

/// The arguments of a command in which a space stands between any two.
fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

/// A folder of files that disappears with the test.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path of a file as an argument.
    fn at(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// A file of this text, as an argument.
    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.at(name)
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The codes of the warnings of a document.
fn codes(document: &Value) -> Vec<&str> {
    let warnings = document["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

/// A document without what the clock and the place decide.
fn timeless(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            let of_the_clock = |name: &str| {
                let others = ["ended", "times", "command", "peak_memory_bytes"];
                name.contains("seconds") || others.contains(&name)
            };
            fields.retain(|name, _| !of_the_clock(name));
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// The document of a file without what the clock and the place decide.
fn read_timeless(path: &Path) -> Value {
    let mut document = read_json(path);
    timeless(&mut document);
    document
}
