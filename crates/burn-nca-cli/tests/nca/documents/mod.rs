//! What documents say holds. Every command runs: those of `nca` do, on small tables of the names that the documents use;
//! of those of cargo, Python and the shell the packages, programs, features, scripts and options are there. Every block of
//! Rust is compiled, every link leads somewhere, and the overviews name every page.

mod commands;
mod extract;
mod first_command;
mod links;
mod place;
mod sources;
mod words;

use std::fs;
use std::path::Path;

use commands::Repository;
use extract::{Written, from_docstring, from_help, from_markdown, from_page, rust_blocks};
use place::Tables;
use sources::Sources;

use crate::{ROOT, nca};

/// The documents that a reader types commands from.
fn documents() -> Vec<String> {
    let found = files("md");
    assert!(found.len() > 30, "{found:?}");
    found
}

/// The files of the repository whose names end so, in order, without what was built or installed there.
fn files(extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(ROOT).join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with('.') || name == "target" {
                continue;
            }
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let is_repository = |path: &str| {
                ["benches", "crates", "docs", "examples", "tests"]
                    .contains(&path.split('/').next().unwrap())
            };
            if entry.file_type().unwrap().is_dir() {
                folders.extend(is_repository(&path).then_some(path));
            } else if path.ends_with(&format!(".{extension}")) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What is found in some files, each a name and a text.
fn of_all<T>(names: &[String], find: impl Fn(&str, &str) -> Vec<T>) -> Vec<T> {
    let read = |name: &String| find(name, &fs::read_to_string(Path::new(ROOT).join(name)).unwrap());
    names.iter().flat_map(read).collect()
}

/// The commands of documents, docstrings and pages.
fn written() -> Vec<Written> {
    let mut found = of_all(&documents(), from_markdown);
    found.extend(of_all(&files("py"), from_docstring));
    found.extend(of_all(&files("html"), from_page));
    found
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
fn refuse(failures: Vec<String>) {
    assert!(failures.is_empty(), "what documents say is not so:\n{}", failures.join("\n"));
}

#[test]
fn the_commands_of_the_documents_run() {
    let commands: Vec<Written> =
        written().into_iter().filter(|found| found.program == "nca").collect();
    assert!(commands.len() > 40, "{} commands", commands.len());
    let tables = Tables::new();
    refuse(commands.iter().filter_map(|command| tables.failure(command)).collect());
}

#[test]
fn the_examples_of_the_help_run() {
    let tables = Tables::new();
    let mut commands = from_help("nca --help", &nca("--help").printed());
    for verb in crate::invocation::VERBS.split(' ') {
        let name = format!("nca {verb} --help");
        let found = from_help(&name, &nca(&format!("{verb} --help")).printed());
        assert!(!found.is_empty(), "{name} has no example");
        commands.extend(found);
    }
    refuse(commands.iter().filter_map(|command| tables.failure(command)).collect());
}

#[test]
fn what_other_commands_of_the_documents_name_is_there() {
    let repository = Repository::read(Path::new(ROOT));
    let commands: Vec<Written> =
        written().into_iter().filter(|found| found.program != "nca").collect();
    for program in ["cargo", "python3", "pip", "maturin", "pytest", "./test.sh"] {
        assert!(commands.iter().any(|found| found.program == program), "none of {program}");
    }
    refuse(commands.iter().filter_map(|command| repository.failure(command)).collect());
}

#[test]
fn the_rust_of_the_documents_is_compiled() {
    let blocks = of_all(&documents(), rust_blocks);
    assert!(blocks.len() > 20, "{} blocks", blocks.len());
    let sources = Sources::read(Path::new(ROOT));
    refuse(blocks.iter().filter_map(|block| sources.failure(block)).collect());
}

#[test]
fn the_links_of_the_documents_lead_somewhere() {
    let broken = |name: &String| links::broken(Path::new(ROOT), name);
    refuse(documents().iter().flat_map(broken).collect());
}

#[test]
fn sources_and_documents_use_standard_words() {
    let kinds = ["md", "rs", "py", "js", "html", "css", "toml", "sh", "txt"];
    let mut names: Vec<String> = kinds.iter().flat_map(|kind| files(kind)).collect();
    names.retain(|name| !name.ends_with("documents/words.rs"));
    assert!(names.len() > 900, "{} files", names.len());
    refuse(of_all(&names, words::retired));
}

#[test]
fn the_documents_stay_short_enough_to_be_read() {
    let words = |_: &str, text: &str| vec![text.split_whitespace().count()];
    let total: usize = of_all(&documents(), words).iter().sum();
    assert!(total <= 25_000, "{total} words of Markdown; move tables and history elsewhere");
    for (name, most) in [("README.md", 120), ("docs/results.md", 150)] {
        let count = fs::read_to_string(Path::new(ROOT).join(name)).unwrap().lines().count();
        assert!(count <= most, "{name} has {count} lines");
    }
}

#[test]
fn the_overviews_name_every_page() {
    refuse(unnamed("README.md", |name| {
        name.starts_with("examples/") && name.ends_with("/README.md")
    }));
    refuse(unnamed("docs/guide/README.md", |name| name.starts_with("docs/guide/")));
}

/// The pages of the documents that an overview has no link to.
fn unnamed(overview: &str, is_page: impl Fn(&str) -> bool) -> Vec<String> {
    let text = fs::read_to_string(Path::new(ROOT).join(overview)).unwrap();
    let base = overview.strip_suffix("README.md").unwrap();
    let pages = documents().into_iter().filter(|name| name != overview && is_page(name));
    let unnamed = pages.filter(|name| !text.contains(&format!("]({})", &name[base.len()..])));
    unnamed.map(|name| format!("{overview} does not name {name}")).collect()
}
