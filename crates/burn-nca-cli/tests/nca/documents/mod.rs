//! What documents say holds. Every command runs: those of `nca` do, on small tables of the names that the documents use;
//! of those of cargo and Python the packages, programs, features and scripts are there. Every block of Rust is compiled,
//! every link leads somewhere, and the overviews name every page.

mod extract;
mod links;
mod place;
mod sources;
mod workspace;

use std::fs;
use std::path::Path;

use extract::{Written, from_help, from_markdown, rust_blocks};
use place::Tables;
use sources::Sources;
use workspace::Workspace;

use crate::stdout;

/// The folder of the workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The documents that a reader types commands from.
fn documents() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/guide", "benches"] {
        found.extend(markdown_files(folder));
    }
    for folder in ["crates", "examples"] {
        let entries = fs::read_dir(Path::new(ROOT).join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        found.extend(names.flat_map(|name| markdown_files(&format!("{folder}/{name}"))));
    }
    // What was true of an earlier version stays in these.
    found.retain(|name| name != "CHANGELOG.md" && name != "docs/decisions.md");
    found.sort();
    assert!(found.len() > 15, "{found:?}");
    found
}

/// The Markdown files of a folder of the workspace, without those of folders in it.
fn markdown_files(folder: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(Path::new(ROOT).join(folder)) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".md")).map(|name| join(folder, &name)).collect()
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") }
}

/// What is found in all documents, each a name and a text.
fn of_all<T>(find: impl Fn(&str, &str) -> Vec<T>) -> Vec<T> {
    let read = |name: &String| find(name, &fs::read_to_string(Path::new(ROOT).join(name)).unwrap());
    documents().iter().flat_map(read).collect()
}

fn written() -> Vec<Written> {
    of_all(from_markdown)
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
    let mut commands = from_help("nca --help", &stdout(&["--help"]));
    for verb in crate::invocation::VERBS {
        let name = format!("nca {verb} --help");
        let found = from_help(&name, &stdout(&[verb, "--help"]));
        assert!(!found.is_empty(), "{name} has no example");
        commands.extend(found);
    }
    refuse(commands.iter().filter_map(|command| tables.failure(command)).collect());
}

#[test]
fn the_packages_and_scripts_of_the_documents_are_there() {
    let workspace = Workspace::read(Path::new(ROOT));
    let others = written().into_iter().filter(|found| found.program != "nca");
    refuse(others.filter_map(|command| workspace.failure(&command)).collect());
}

#[test]
fn the_rust_of_the_documents_is_compiled() {
    let blocks = of_all(rust_blocks);
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
