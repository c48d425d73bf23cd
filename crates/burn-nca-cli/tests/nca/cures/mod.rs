//! The cure of every message: what its `hint:` line says is done, and the next run is then accepted.
//!
//! ```text
//! case ─ run ─► "hint: correct it, or give --header no" ─┬─► the case's way for "correct it" ─┐
//!                                                        └─► the command with --header no ────┴─► exit code 0
//! ```
//!
//! Options and their values are those of the line, so that the test types what a user would. A hint is built at a site,
//! `csv/cell.rs Ignore`; the sources are searched for sites, and each has a case or a reason why not. A message of a bad
//! file has no such line: its cure, an edit, is what follows its first semicolon. The cases are in the folder `cases`, and
//! `text.rs` says how they are written.

mod fitted;
mod layers;
mod learned;
mod measured;
mod minimized;
mod ranges;
mod runs;
mod sites;
mod tables;
mod text;
mod values;
mod worded;

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use burn_nca_program::shell_word;

use crate::Place;
use worded::{message_and_edit, message_and_hint};

/// A message with a hint, and what its line leaves to the user.
#[derive(Clone, Default)]
struct Case {
    /// The sites of its hints, separated by `; `.
    sites: &'static str,
    /// Words of a message without a hint line, which name thing and value; of one with a line, nothing.
    says: &'static str,
    /// Those of the folder `run`, which a fit makes, are written after it.
    files: Vec<File>,
    /// A fit whose model the command uses.
    before: Option<&'static str>,
    command: String,
    /// The values of options that the line names without one.
    values: Vec<(&'static str, &'static str)>,
    /// What is done about the parts of the line that are no options.
    ways: Vec<(&'static str, Way)>,
}

#[derive(Clone)]
enum Way {
    /// The first file holds this.
    Table(Vec<u8>),
    /// There is no first file, or it is as a fit writes it.
    Without,
    /// This command is given.
    Command(String),
}

impl Case {
    /// Runs the command, and then every cure that its message names; gives the message with its cure.
    fn check(&self) -> String {
        let place = Place::new();
        let fit = self.before.unwrap_or_default();
        self.prepare(&place, fit, &self.files);
        let (_, stderr) = run(&place, &self.command);
        let found = match self.says {
            "" => message_and_hint(&stderr),
            _ => message_and_edit(&stderr, self.says),
        };
        let Some((message, hint)) = found else {
            panic!("{}{}: no hint\n{stderr}", self.sites, self.says);
        };
        let mut rest = hint.to_string();
        for (words, way) in &self.ways {
            assert!(rest.contains(words), "{words:?} is not in {hint:?} of {message}");
            rest = rest.replacen(words, "", 1);
            let mut files = self.files.clone();
            let mut command = &self.command;
            match way {
                Way::Table(table) => files[0].1.clone_from(table),
                Way::Without => drop(files.remove(0)),
                Way::Command(other) => command = other,
            }
            self.try_cure(words, message, &files, [fit, command]);
        }
        for cure in cures(&rest, &self.values) {
            let commands = match &cure {
                Cure::Fit(_) if !fit.is_empty() => [cure.applied(fit), self.command.clone()],
                _ => [fit.to_string(), cure.applied(&self.command)],
            };
            self.try_cure(&cure, message, &self.files, commands.each_ref().map(String::as_str));
        }
        let is_left = |word: &str| !word.is_empty() && word != "or";
        let is_tried = rest.contains("--") || !rest.split([',', ' ']).any(is_left);
        assert!(is_tried, "{}: {rest:?} of {message} is not tried", self.sites);
        format!("{message}; {hint}")
    }

    /// The command with a cure, after a fit, is accepted and says no more what it said.
    fn try_cure(
        &self,
        cure: &dyn Debug,
        message: &str,
        files: &[File],
        [before, command]: [&str; 2],
    ) {
        let place = Place::new();
        self.prepare(&place, before, files);
        let (cured, stderr) = run(&place, command);
        assert!(cured, "the cure {cure:?} of {message}\nis refused: nca {command}\n{stderr}");
        assert!(!stderr.contains(message), "after the cure {cure:?}, nca {command}\n{stderr}");
    }

    /// Makes the model that the command uses, from the files of the case, and writes these files.
    fn prepare(&self, place: &Place, before: &str, files: &[File]) {
        let write = |(name, bytes): &File| place.file(name, bytes);
        if !before.is_empty() {
            let inputs = self.files.iter().filter(|(name, _)| !name.starts_with("run/"));
            inputs.clone().for_each(write);
            let (done, stderr) = run(place, before);
            assert!(done, "{before}: {stderr}");
            inputs.for_each(|(name, _)| drop(std::fs::remove_file(place.path(name))));
        }
        files.iter().for_each(write);
    }
}

/// The name of a file, and what it holds.
type File = (&'static str, Vec<u8>);

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

/// Whether a command is accepted, and what it says on stderr.
fn run(place: &Place, command: &str) -> (bool, String) {
    let mut words = shell_words(command);
    if command.starts_with("fit ") {
        let has_any = |options: &[&str]| words.iter().any(|word| options.contains(&word.as_str()));
        let (splits, fits) = (has_any(&OF_A_SPLIT), has_any(&OF_A_METHOD));
        words.push("--quiet".into());
        if !splits {
            words.extend(["--test-size", "0"].map(String::from));
        }
        if !fits {
            words.extend(["--method", "euclidean"].map(String::from));
        }
    }
    let output = place.nca("").args(words).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

/// Options that say what is held out, or need rows for it.
const OF_A_SPLIT: [&str; 5] = ["--test-size", "--tune", "--split", "--test", "--pairs"];

/// Options that a fit without a method does not take.
const OF_A_METHOD: [&str; 7] =
    ["--method", "--task", "--soft", "--pairs", "--dim", "--encoder", "--optimizer"];

/// What the options of a line say to do.
#[derive(Debug, PartialEq)]
enum Cure {
    /// These options with their values are given, too.
    Give(Vec<(String, Option<String>)>),
    /// The same, to the fit of the model.
    Fit(Vec<(String, Option<String>)>),
    /// These options are left out.
    Leave(Vec<(String, Option<String>)>),
}

impl Cure {
    /// The command with the cure.
    fn applied(&self, command: &str) -> String {
        match self {
            Self::Give(options) | Self::Fit(options) => {
                format!("{} {}", without(command, options), shell(options))
            }
            Self::Leave(options) => without(command, options),
        }
    }
}

/// The options of a line with their values, or with those of `values` where it names none.
fn cures(line: &str, values: &[(&str, &str)]) -> Vec<Cure> {
    let words = shell_words_of_text(line);
    let is_option = |at: usize| words.get(at).is_some_and(|(word, _)| word.starts_with("--"));
    let mut cures = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if !is_option(at) {
            at += 1;
            continue;
        }
        let before = at.checked_sub(1).map_or("", |before| words[before].0.as_str());
        let leave = before == "leave";
        let mut options = Vec::new();
        loop {
            let (option, mut ended) = words[at].clone();
            at += 1;
            let mut value = None;
            if let Some((_, typed)) = values.iter().find(|(name, _)| *name == option) {
                value = Some(typed.to_string()).filter(|typed| !typed.is_empty());
            } else if !ended
                && let Some((word, ends)) = words.get(at)
                && !word.starts_with("--")
                && !["if", "to", "or", "out", "of", "for", "and", "as"].contains(&word.as_str())
            {
                (value, ended) = (Some(word.clone()), *ends);
                at += 1;
            }
            options.push((option, value));
            if leave && ended && is_option(at) {
                continue;
            }
            if leave && words.get(at).is_some_and(|(word, _)| word == "or" || word == "and") {
                at += 1;
            } else if ended || !is_option(at) {
                break;
            }
        }
        cures.push(match before {
            "leave" => Cure::Leave(options),
            "fit" => Cure::Fit(options),
            _ => Cure::Give(options),
        });
    }
    cures
}

/// A command without these options and their values.
fn without(command: &str, options: &[(String, Option<String>)]) -> String {
    let mut words = shell_words(command).into_iter().peekable();
    let mut kept: Vec<String> = Vec::new();
    while let Some(word) = words.next() {
        if options.iter().any(|(option, _)| *option == word) {
            words.next_if(|value| !value.starts_with("--"));
        } else {
            kept.push(shell_word(&word));
        }
    }
    kept.join(" ")
}

fn shell(options: &[(String, Option<String>)]) -> String {
    let words = options.iter().flat_map(|(option, value)| [Some(option), value.as_ref()]);
    let words: Vec<String> = words.flatten().map(|word| shell_word(word)).collect();
    words.join(" ")
}

/// The words of a command, as a shell reads them.
fn shell_words(command: &str) -> Vec<String> {
    shell_words_of_text(command).into_iter().map(|(word, _)| word).collect()
}

/// The words of a text, and whether a comma ends each of them; quotation marks at the beginning of a word are those of a
/// shell.
fn shell_words_of_text(text: &str) -> Vec<(String, bool)> {
    let mut words = Vec::new();
    let mut letters = text.trim_start().chars().peekable();
    while let Some(&first) = letters.peek() {
        let (mut word, mut quote) = (String::new(), None);
        while let Some(letter) = letters.next_if(|letter| quote.is_some() || *letter != ' ') {
            match (quote, letter) {
                (Some(open), _) if letter == open => quote = None,
                (Some(_), _) => word.push(letter),
                (None, '\'' | '"') if "'\"".contains(first) => quote = Some(letter),
                (None, '\\') => word.extend(letters.next()),
                (None, _) => word.push(letter),
            }
        }
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        let ended = word.ends_with([',', ';']);
        words.push((word.trim_end_matches([',', ';']).to_string(), ended));
    }
    words
}

#[test]
fn options_of_a_line_are_read_as_a_user_reads_them() {
    let option = |option: &str, value: &str| {
        (option.to_string(), Some(value.to_string()).filter(|value| !value.is_empty()))
    };
    let line = "correct it, give --missing drop --missing-values 'a, b', leave the column out by --ignore, or leave \
                --task regression or --soft out to read it, or give nca fit --missing mean, median or other";
    assert_eq!(
        cures(line, &[("--ignore", "b")]),
        [
            Cure::Give(vec![option("--missing", "drop"), option("--missing-values", "a, b")]),
            Cure::Give(vec![option("--ignore", "b")]),
            Cure::Leave(vec![option("--task", "regression"), option("--soft", "")]),
            Cure::Fit(vec![option("--missing", "mean")]),
        ]
    );
    assert_eq!(
        without("fit t.csv --task regression --dim 1", &[option("--task", "")]),
        "fit t.csv --dim 1"
    );
}
