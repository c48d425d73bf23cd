//! Which module of a crate may import which, that no file imports from itself through others, that each says what it
//! holds, and which packages a crate pulls in.

mod packages;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the core from the bottom up; each imports from those before it alone.
const CORE: &str =
    "error display device product data encoder nca sums objective model fit train lib";

/// The modules of the crate above it, likewise.
const LEARN: &str = "\
    error device side_by_side encoder baseline neighbors objective self_test compare_sums \
    device_times fit evaluate method estimator train lib";

/// The modules of the program, likewise.
const PROGRAM: &str =
    "date process hint failure output logging cli source tables fitting commands lib main";

/// The Rust files of a folder and the folders in it, without what was built there.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| match path.is_dir() {
        true if path.ends_with("target") => Vec::new(),
        true => rust_files(&path),
        false if path.extension().is_some_and(|extension| extension == "rs") => vec![path],
        false => Vec::new(),
    };
    paths.flat_map(of).collect()
}

/// A folder of the repository.
fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The code of each file, without comments and tests, by its module: `commands::fit`.
fn sources(package: &str) -> BTreeMap<String, String> {
    let root = in_repository("crates").join(package).join("src");
    let mut files = rust_files(&root);
    files.retain(|path| !path.ends_with("tests.rs"));
    let module = |file: &PathBuf| {
        let path = file.strip_prefix(&root).unwrap().with_extension("");
        let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap()).collect();
        let name = parts.join("::");
        let code = fs::read_to_string(file).unwrap();
        let code = code.split("#[cfg(test)]\nmod tests").next().unwrap().lines();
        let code = code.filter(|line| !line.trim_start().starts_with("//")).collect();
        (name.strip_suffix("::mod").unwrap_or(&name).to_string(), code)
    };
    files.iter().map(module).collect()
}

/// The paths that follow each `start` in the code, one a name of a list in braces.
fn paths(code: &str, start: &str) -> Vec<String> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut found = Vec::new();
    for rest in code.split(start).skip(1) {
        let end = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
        let (path, rest) = rest.split_at(end);
        match rest.strip_prefix('{').and_then(|list| list.split('}').next()) {
            Some(list) => {
                found.extend(list.split(',').map(|name| format!("{path}{}", name.trim())))
            }
            None => found.push(path.to_string()),
        }
    }
    found
}

/// The files that each file imports from: of each path the longest part that is a file, and the crate's root where a type
/// is taken from there.
fn imports(sources: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let file = |path: &str| {
        let parts: Vec<&str> = path.split("::").collect();
        let longest = (1..=parts.len()).rev().map(|length| parts[..length].join("::"));
        let of_root = path.starts_with(char::is_uppercase).then(|| "lib".to_string());
        longest
            .chain(of_root)
            .filter_map(|part| sources.get_key_value(&part))
            .map(|(name, _)| name.as_str())
            .next()
    };
    let of = |(module, code): (&'_ String, &'_ String)| -> BTreeSet<&str> {
        let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
        let above = paths(code, "super::").into_iter().map(|path| format!("{parent}::{path}"));
        let all = paths(code, "crate::").into_iter().chain(above);
        all.filter_map(|path| file(&path)).filter(|found| found != module).collect()
    };
    sources.iter().map(|entry| (entry.0.as_str(), of(entry))).collect()
}

/// Imports of the package against the order of its modules.
fn against_the_order(package: &str, order: &str) -> Vec<(String, String)> {
    let sources = sources(package);
    let top = |module: &str| module.split("::").next().unwrap().to_string();
    let place = |module: &str| {
        let at = order.split(' ').position(|name| name == module);
        at.unwrap_or_else(|| panic!("{module} has no place in the order of {package}; give it one"))
    };
    let imports = imports(&sources);
    assert!(imports.len() > 50, "the sources were read");
    let arrows = imports.iter().flat_map(|(from, to)| to.iter().map(|to| (top(from), top(to))));
    arrows.filter(|(from, to)| place(from) < place(to)).collect()
}

#[test]
fn each_file_begins_with_what_it_holds() {
    let files =
        ["benches", "crates", "examples", "tests"].map(|folder| rust_files(&in_repository(folder)));
    let silent = files.iter().flatten().filter(|file| {
        let text = fs::read_to_string(file).unwrap();
        !text.starts_with("//!") && !text.starts_with("#![doc = include_str!(")
    });
    assert_eq!(silent.collect::<Vec<_>>(), Vec::<&PathBuf>::new(), "begin them with a line of //!");
}

#[test]
fn modules_import_only_what_stands_before_them() {
    assert_eq!(against_the_order("burn-nca", CORE), []);
    assert_eq!(against_the_order("burn-nca-learn", LEARN), []);
    assert_eq!(against_the_order("burn-nca-cli", PROGRAM), []);
}

#[test]
fn no_file_imports_from_itself_through_others() {
    let crates = fs::read_dir(in_repository("crates")).unwrap().map(|entry| entry.unwrap());
    for entry in crates.filter(|entry| entry.path().join("src").is_dir()) {
        let package = entry.file_name().into_string().unwrap();
        let sources = sources(&package);
        let mut imports = imports(&sources);
        // A folder's own file names its parts to run them, and they use what it holds: one room.
        let is_part =
            |file: &str, of: &str| file.strip_prefix(of).is_some_and(|rest| rest.starts_with("::"));
        for (from, to) in &mut imports {
            to.retain(|to| !is_part(from, to) && *from != "lib" && *to != "lib");
        }
        // Neither a file from which nothing leads on nor one to which nothing leads is in a circle.
        while let Some(end) = imports
            .keys()
            .copied()
            .find(|file| imports[file].is_empty() || !imports.values().any(|to| to.contains(file)))
        {
            imports.remove(end);
            imports.values_mut().for_each(|to| {
                to.remove(end);
            });
        }
        assert!(imports.is_empty(), "files of {package} in circles: {:?}", imports.keys());
    }
}

#[test]
fn the_library_asks_burn_which_backends_there_are() {
    // A program may enable a backend on `burn` alone: the library's own feature is off then.
    let backends = ["flex", "ndarray", "wgpu", "vulkan", "metal", "webgpu", "cuda", "rocm"];
    for (module, code) in sources("burn-nca").into_iter().chain(sources("burn-nca-learn")) {
        for backend in backends {
            let question = format!("feature = \"{backend}\"");
            assert!(!code.contains(&question), "{module} asks for {question}");
        }
    }
}
