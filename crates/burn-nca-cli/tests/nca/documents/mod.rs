//! What documents say holds. Every command runs: those of `nca` do, on small tables of the names that the documents use;
//! of those of cargo, Python and the shell the packages, programs, features, scripts and options are there. Every block of
//! Rust is compiled, every link leads somewhere, and the overviews name every page.

mod claims;
mod extract;
mod place;

use std::fs;
use std::path::Path;

use extract::Written;

use crate::{ROOT, files_below, nca};

/// The documents that a reader types commands from.
fn documents() -> Vec<String> {
    let found = files("md");
    assert!(found.len() > 30, "{found:?}");
    found
}

/// The files of the repository whose names end so, in order, without what was built or installed there.
fn files(extension: &str) -> Vec<String> {
    let in_root = fs::read_dir(ROOT).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = in_root.filter(|path| path.is_file()).collect();
    for folder in ["benches", "crates", "docs", "examples", "tests"] {
        found.extend(files_below(&Path::new(ROOT).join(folder)));
    }
    found.retain(|path| path.extension().is_some_and(|end| end == extension));
    let name = |path: &Path| path.strip_prefix(ROOT).unwrap().to_str().unwrap().to_string();
    let mut names: Vec<_> = found.iter().map(|path| name(path)).collect();
    names.sort();
    names
}

/// A file of the repository.
fn read(name: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(name)).unwrap()
}

/// What is found in some files, each a name and a text.
fn of_all<T>(names: &[String], find: impl Fn(&str, &str) -> Vec<T>) -> Vec<T> {
    names.iter().flat_map(|name| find(name, &read(name))).collect()
}

/// The commands of documents, docstrings and pages: those of the program, and others.
fn written() -> (Vec<Written>, Vec<Written>) {
    let names = [documents(), files("py"), files("html")].concat();
    of_all(&names, extract::commands).into_iter().partition(|found| found.program == "nca")
}

/// The first option among some words that a text does not name.
fn option_not_in(text: &str, words: &[String]) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let known: Vec<&str> = text.split(|c| !is_name(c)).collect();
    let options = words.iter().map(|word| word.trim_matches(['[', ']']));
    options
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .map(|word| word.split('=').next().unwrap_or_default())
        .find(|option| !known.contains(option))
        .map(String::from)
}

/// Fails with the place and the reason of each claim that does not hold.
#[track_caller]
fn refuse(failures: &[String]) {
    assert!(failures.is_empty(), "what documents say is not so:\n{}", failures.join("\n"));
}

#[test]
fn the_commands_of_the_documents_and_the_examples_of_the_help_run() {
    let (mut commands, _) = written();
    assert!(commands.len() > 40, "{} commands", commands.len());
    commands.extend(extract::from_help("nca --help", &nca("--help").printed()));
    for verb in crate::invocation::VERBS.split(' ') {
        let name = format!("nca {verb} --help");
        let found = extract::from_help(&name, &nca(&format!("{verb} --help")).printed());
        assert!(!found.is_empty(), "{name} has no example");
        commands.extend(found);
    }
    let place = place::with_tables();
    let failure = |one: &Written| Some(one.refused(&place::failure(&place, &one.words)?));
    refuse(&commands.iter().filter_map(failure).collect::<Vec<_>>());
}

#[test]
fn what_other_commands_of_the_documents_name_is_there() {
    let (_, commands) = written();
    for program in ["cargo", "python3", "pip", "maturin", "pytest", "./test.sh"] {
        assert!(commands.iter().any(|found| found.program == program), "none of {program}");
    }
    let failure = |one: &Written| Some(one.refused(&claims::missing(one)?));
    refuse(&commands.iter().filter_map(failure).collect::<Vec<_>>());
}

#[test]
fn the_rust_of_the_documents_is_compiled_and_their_links_lead_somewhere() {
    refuse(&claims::uncompiled(&documents()));
    refuse(&of_all(&documents(), claims::broken_links));
}

/// The field's standard English: phrases that sources and documents no longer use, each with what to write.
const RETIRED: &str = include_str!("retired.txt");

#[test]
fn sources_and_documents_use_standard_words() {
    let kinds = ["md", "rs", "py", "js", "html", "css", "toml", "sh", "txt"];
    let mut names: Vec<String> = kinds.iter().flat_map(|kind| files(kind)).collect();
    names.retain(|name| !name.ends_with("documents/retired.txt"));
    assert!(names.len() > 700, "{} files", names.len());
    // Whether the line has the phrase, and no letter next to it.
    let has = |line: &str, phrase: &str| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        line.match_indices(phrase).any(|(at, _)| {
            !line[..at].ends_with(is_part) && !line[at + phrase.len()..].starts_with(is_part)
        })
    };
    refuse(&of_all(&names, |name, text| {
        let mut found = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.to_lowercase();
            // The old spelling of an option, and a key that programs read.
            if !line.contains("alias = ") && !line.contains("\"standardise\"") {
                let retired = RETIRED.lines().filter_map(|line| line.split_once(" | "));
                found.extend(retired.filter(|(phrase, _)| has(&line, phrase)).map(
                    |(phrase, standard)| {
                        format!("{name}:{}: \"{phrase}\"; write: {standard}", index + 1)
                    },
                ));
            }
        }
        found
    }));
}

#[test]
fn the_documents_stay_short_enough_to_be_read_and_the_overviews_name_every_page() {
    let words = |_: &str, text: &str| vec![text.split_whitespace().count()];
    let total: usize = of_all(&documents(), words).iter().sum();
    assert!(total <= 25_000, "{total} words of Markdown; move tables and history elsewhere");
    for (name, most) in [("README.md", 120), ("docs/results.md", 150)] {
        let count = read(name).lines().count();
        assert!(count <= most, "{name} has {count} lines");
    }
    for (base, folder, end) in [("", "examples/", "/README.md"), ("docs/guide/", "docs/guide/", "")]
    {
        let overview = format!("{base}README.md");
        let text = read(&overview);
        let is_page = |name: &&String| name.starts_with(folder) && name.ends_with(end);
        let mut pages = documents();
        pages.retain(|name| *name != overview && is_page(&name));
        pages.retain(|name| !text.contains(&format!("]({})", &name[base.len()..])));
        assert!(pages.is_empty(), "{overview} does not name {pages:?}");
    }
}
