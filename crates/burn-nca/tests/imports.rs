//! Which module of the crate may import which: data flow to the right, imports point to the left.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the bottom up; each imports from those before it alone.
const ORDER: &[&str] = &[
    "error",
    "display",
    "data",
    "encoder",
    "baseline",
    "device",
    "pairwise",
    "neighbors",
    "objective",
    "model",
    "self_test",
    "fit",
    "evaluate",
    "method",
    "estimator",
    "train",
];

/// What is imported against the order, to be ended; nothing may be added.
const EXCEPTIONS: &[(&str, &str)] = &[];

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules that each module names as `crate::…`, outside of comments and tests.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let path = file.strip_prefix(&root).unwrap().with_extension("");
        let module = path.iter().next().unwrap().to_str().unwrap().to_string();
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap().lines();
        let code: String = code.filter(|line| !line.trim_start().starts_with("//")).collect();
        for used in code.split("crate::").skip(1) {
            let end = used.find(|c: char| !c.is_ascii_lowercase() && c != '_');
            let used = &used[..end.unwrap_or(used.len())];
            if !used.is_empty() && used != module && module != "lib" {
                imports.entry(module.clone()).or_default().insert(used.to_string());
            }
        }
    }
    imports
}

#[test]
fn modules_import_only_what_stands_before_them() {
    let place = |module: &str| {
        let at = ORDER.iter().position(|name| *name == module);
        at.unwrap_or_else(|| panic!("{module} has no place in the order; give it one"))
    };
    let imports = imports();
    assert!(imports.len() > 8, "the sources were read");
    let arrows = imports.iter().flat_map(|(from, to)| to.iter().map(move |to| (&**from, &**to)));
    let against: BTreeSet<_> = arrows.filter(|(from, to)| place(from) < place(to)).collect();
    let exceptions: BTreeSet<_> = EXCEPTIONS.iter().copied().collect();
    assert_eq!(against, exceptions, "imports against the order (left), and those known (right)");
}
