//! Which module of a crate may import which, that no file imports from itself through others, that each says what it
//! holds, and which packages a crate pulls in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let file = |path: String| {
        let is_part = |name: &&String| format!("{path}::").starts_with(&format!("{name}::"));
        let longest = sources.keys().filter(is_part).max_by_key(|name| name.len());
        let root = || path.starts_with(char::is_uppercase).then_some("lib");
        longest.map(String::as_str).or_else(root)
    };
    let of = |(module, code): (&'_ String, &'_ String)| {
        let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
        let above = paths(code, "super::").into_iter().map(|path| format!("{parent}::{path}"));
        let all = paths(code, "crate::").into_iter().chain(above);
        all.filter_map(file).filter(|found| found != module).collect()
    };
    sources.iter().map(|entry| (entry.0.as_str(), of(entry))).collect()
}

/// No import of the package is against the order of its modules.
fn check_order(package: &str, order: &str) {
    let sources = sources(package);
    let place = |module: &str| {
        let top = module.split("::").next();
        let at = order.split(' ').position(|name| Some(name) == top);
        at.unwrap_or_else(|| panic!("{module} has no place in the order of {package}; give it one"))
    };
    let imports = imports(&sources);
    assert!(imports.len() > 50, "the sources were read");
    for (from, to) in imports.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to))) {
        assert!(place(from) >= place(to), "{from} of {package} imports from {to}");
    }
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
    check_order("burn-nca", CORE);
    check_order("burn-nca-learn", LEARN);
    check_order("burn-nca-cli", PROGRAM);
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

/// What `cargo tree` prints of the packages that are compiled, in this form, along these edges, for a crate or the default
/// members.
fn tree(edges: &str, form: &str, of: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(["--edges", edges, "--format", form])
        .args(of)
        .current_dir(in_repository(""))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| line.trim_end_matches(" (*)").to_string();
    text.lines().filter(|line| !line.is_empty()).map(line).collect()
}

/// With its default features and without its tests; what is looked for is found where it is.
#[test]
fn a_crate_pulls_in_what_it_needs_alone() {
    let backends = &["burn-cubecl", "burn-flex", "burn-ndarray", "burn-wgpu"][..];
    for (package, names, count) in [
        ("burn-nca-data", &["arrow-array", "image", "imageproc", "nalgebra", "parquet"][..], 0),
        ("burn-nca-data", &["rand"], 1),
        ("burn-nca-data", &["csv-core", "flate2"], 2),
        ("burn-nca", &["faer", "sha2"], 0),
        ("burn-nca-learn", &["faer", "sha2"], 2),
        ("burn-nca-learn", backends, 0),
        ("own-objective", backends, 1),
    ] {
        let mut found = tree("normal", "{p}", &["--package", package]);
        // As in: rand v0.10.3 (proc-macro)
        found.retain(|line| names.contains(&line.split(' ').next().unwrap()));
        assert_eq!(found.len(), count, "{package}: {found:?}");
    }
}

#[test]
fn the_program_and_the_tests_share_one_build() {
    let compiled = |edges| tree(edges, "{p} [{f}]", &[]);
    let (program, tests) = (compiled("normal,build"), compiled("normal,build,dev"));
    // Features that only a test's dependency turns on: crates/burn-nca-cli/Cargo.toml names them for the program, too.
    assert_eq!(program.difference(&tests).collect::<Vec<_>>(), Vec::<&String>::new());
}
