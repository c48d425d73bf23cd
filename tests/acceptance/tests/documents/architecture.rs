//! `docs/architecture.md`: the calls from a fit to the formula, and of a prediction.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// A call of a list: the name of a function, and its file.
struct Call {
    name: String,
    file: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The numbered lists of a document whose items are functions with their files, in order.
fn lists(document: &str) -> Vec<Vec<Call>> {
    let mut lists: Vec<Vec<Call>> = Vec::new();
    for line in document.lines() {
        let parts: Vec<&str> = line.split('`').collect();
        let [number, name, ": ", file, ..] = parts[..] else { continue };
        let Ok(number) = number.trim_end_matches(". ").parse::<usize>() else { continue };
        if number == 1 {
            lists.push(Vec::new());
        }
        let name = name.rsplit("::").next().unwrap_or(name).to_string();
        lists.last_mut().unwrap().push(Call { name, file: file.to_string() });
    }
    lists
}

/// The text of the functions of this name, declarations without a body left out.
fn functions(source: &str, name: &str) -> String {
    let mut found = String::new();
    for opening in [format!("fn {name}("), format!("fn {name}<")] {
        for (at, _) in source.match_indices(&opening) {
            let indent = source[..at].rsplit('\n').next().unwrap_or("");
            let indent = &indent[..indent.len() - indent.trim_start().len()];
            let text = &source[at..];
            let end = text.find(&format!("\n{indent}}}\n")).unwrap_or(text.len());
            // A declaration ends before the next function has its body.
            if text.find(";\n").is_none_or(|end| text.find("{\n").is_some_and(|body| body < end)) {
                found += &text[..end];
            }
        }
    }
    found
}

#[test]
fn each_function_on_the_way_exists_and_is_called_on_the_way() {
    let document = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let lists = lists(&document);
    assert_eq!(lists.len(), 2, "a fit and a prediction");
    let mut sources = HashMap::new();
    for list in &lists {
        let mut above = String::new();
        for Call { name, file } in list {
            let source = sources.entry(file).or_insert_with(|| {
                let crates =
                    ["burn-nca-learn", "burn-nca"].map(|name| root().join("crates").join(name));
                let found = crates.map(|folder| folder.join("src").join(file));
                let path = found.iter().find(|path| path.exists());
                std::fs::read_to_string(path.unwrap_or_else(|| panic!("no crate has {file}")))
                    .unwrap()
            });
            let text = functions(source, name);
            assert!(!text.is_empty(), "{file} has no function {name}");
            let is_called = above.is_empty() || above.contains(&format!("{name}("));
            assert!(is_called, "{name} of {file} is called by none of the functions above it");
            above += &text;
        }
        let files: BTreeSet<&String> = list.iter().map(|call| &call.file).collect();
        let (calls, files) = (list.len() - 1, files.len());
        assert!(calls <= 15 && files <= 10, "{calls} calls in {files} files");
    }
}
