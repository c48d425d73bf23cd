//! The cure of every message: what its `hint:` line says is done, and the next run is then accepted.
//!
//! ```text
//! case ─ run ─► "hint: correct it, or give --header no" ─┬─► the case's way for "correct it" ─────┐
//!                                                        └─► its way for "give --header no" ──────┴─► exit code 0
//! ```
//!
//! A hint is built at a site, `csv/cell.rs Ignore`; the sources are searched for sites, and each has a case or a reason why
//! not. A message of a bad file has no such line: its cure, an edit, is what follows its first semicolon. The cases are in
//! the folder `cases`, and `text.rs` says how they are written; `calls.rs` has what only callers of the library meet.

mod calls;
mod fitted;
mod layers;
mod learned;
mod measured;
mod minimized;
mod runs;
mod sources;
mod tables;
mod text;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::Place;
use text::{cases, contents};

const LIBRARY: &str = include_str!("cases/library.txt");
const PROGRAM: &str = include_str!("cases/program.txt");
const TABLES: &str = include_str!("cases/tables.txt");
const ARRAYS: &str = include_str!("cases/arrays.txt");
const COLUMNAR: &str = include_str!("cases/columnar.txt");
const MODELS: &str = include_str!("cases/models.txt");
const WORDED: &str = include_str!("cases/worded.txt");

/// The name of a file, and what it holds.
type File = (&'static str, Vec<u8>);

/// A message with a cure, and what is done about each part of it.
#[derive(Clone, Default)]
struct Case {
    /// The sites of its hints in brackets, separated by `; `; of a message without a hint line, words.
    head: &'static str,
    /// Those of the folder `run`, which a fit makes, are written after it.
    files: Vec<File>,
    /// A fit whose model the command uses.
    before: &'static str,
    /// The command that options are added to.
    usual: String,
    command: String,
    /// Parts of the cure, and what is done about them.
    ways: Vec<(&'static str, &'static str)>,
}

impl Case {
    /// Sets the command that a field says; `false` where it says something else.
    fn set(&mut self, field: &'static str) -> bool {
        if let Some(command) = field.strip_prefix("$ ") {
            self.command = command.into();
        } else if let Some(options) = field.strip_prefix("+ ") {
            self.command = format!("{} {options}", self.usual);
        } else if let Some(fit) = field.strip_prefix("before: ") {
            self.before = fit;
        } else {
            return false;
        }
        true
    }

    /// Runs the command, and then what is done about every part of the cure of its message; gives the message with its cure.
    fn check(&self) -> String {
        let (_, stderr) = self.run(&self.files);
        let Some((message, cure)) = message_and_cure(&stderr, self.head) else {
            panic!("{}: no hint\n{stderr}", self.head);
        };
        let mut rest = cure.to_string();
        for (words, done) in &self.ways {
            assert!(rest.contains(words), "{words:?} is not in {cure:?} of {message}");
            rest = rest.replacen(words, "", 1);
            let mut cured = self.clone();
            if *done == "without the file" {
                cured.files.remove(0);
            } else if !cured.set(done) {
                cured.files[0].1 = contents(done);
            }
            let (is_accepted, said) = cured.run(&self.files);
            let is_cured = is_accepted && !said.contains(message);
            assert!(is_cured, "{words:?} of {message}\nnca {}\n{said}", cured.command);
        }
        // What is said about options need not be tried.
        let has_options = self.ways.iter().any(|(words, _)| words.contains("--"));
        let is_left = |word: &str| !word.is_empty() && word != "or";
        let is_tried =
            !rest.contains("--") && (has_options || !rest.split([',', ' ']).any(is_left));
        assert!(is_tried, "{}: {rest:?} of {message} is not tried", self.head);
        format!("{message}; {cure}")
    }

    /// Makes the model that the command uses from these files, writes those of the case, and runs the command.
    fn run(&self, inputs: &[File]) -> (bool, String) {
        let place = Place::new();
        let write = |(name, bytes): &File| place.file(name, bytes);
        if !self.before.is_empty() {
            let inputs = inputs.iter().filter(|(name, _)| !name.starts_with("run/"));
            inputs.clone().for_each(write);
            let (is_done, said) = run(&place, self.before);
            assert!(is_done, "{}: {said}", self.before);
            inputs.for_each(|(name, _)| drop(std::fs::remove_file(place.path(name))));
        }
        self.files.iter().for_each(write);
        run(&place, &self.command)
    }
}

/// Whether a command is accepted, and what it says on stderr. A fit takes no time where nothing else is said.
fn run(place: &Place, command: &str) -> (bool, String) {
    let has_any = |options: &[&str]| options.iter().any(|option| command.contains(option));
    let mut program = place.nca(command);
    if command.starts_with("fit ") {
        program.arg("--quiet");
        if !has_any(&["--test", "--tune", "--split", "--pairs"]) {
            program.args(["--test-size", "0"]);
        }
        if !has_any(&[
            "--method",
            "--task",
            "--soft",
            "--pairs",
            "--dim",
            "--encoder",
            "--optimizer",
        ]) {
            program.args(["--method", "euclidean"]);
        }
    }
    let outcome = program.run();
    (outcome.0.status.success(), outcome.stderr())
}

/// The first message with a hint line, and the hint; or the message of these words, and what it asks for.
fn message_and_cure<'a>(stderr: &'a str, head: &str) -> Option<(&'a str, &'a str)> {
    let lines: Vec<&str> = stderr.lines().collect();
    if head.starts_with('[') {
        return lines.windows(2).find_map(|pair| {
            let (_, message) = pair[0].split_once(": ")?;
            Some((message, pair[1].strip_prefix("hint: ")?))
        });
    }
    let kinds = ["error: ", "warning: ", "note: "];
    let messages =
        lines.iter().filter_map(|line| kinds.iter().find_map(|it| line.strip_prefix(it)));
    messages.filter_map(|text| text.split_once("; ")).find(|(message, _)| message.contains(head))
}

/// Checks all cases, and then says which of them failed; gives their messages.
fn check_all(cases: &[Case]) -> Vec<String> {
    let check = |case: &Case| {
        catch_unwind(AssertUnwindSafe(|| case.check())).map_err(|_| case.command.clone())
    };
    let (messages, failed): (Vec<_>, Vec<_>) = cases.iter().map(check).partition(Result::is_ok);
    let failed: Vec<String> = failed.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    messages.into_iter().flatten().collect()
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
