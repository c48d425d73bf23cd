//! Which packages a crate pulls in where a program takes nothing but it.

use std::collections::BTreeSet;
use std::process::Command;

use super::in_repository;

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

/// The packages that are compiled for a crate with its default features and without its tests, as `rand v0.10.3`.
fn packages(name: &str) -> BTreeSet<String> {
    let package = |line: String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    tree("normal", "{p}", &["--package", name]).into_iter().map(package).collect()
}

/// Those of some names, in whatever version.
fn named(packages: &BTreeSet<String>, names: &[&str]) -> Vec<String> {
    let is_one = |package: &&String| names.contains(&package.split(' ').next().unwrap());
    packages.iter().filter(is_one).cloned().collect()
}

#[test]
fn a_reader_of_tables_pulls_in_no_images_and_one_rand() {
    let of_readers = packages("burn-nca-data");
    let unwanted = ["arrow-array", "image", "imageproc", "nalgebra", "parquet"];
    assert_eq!(named(&of_readers, &unwanted), Vec::<String>::new());
    assert_eq!(named(&of_readers, &["rand"]).len(), 1, "{:?}", named(&of_readers, &["rand"]));
    // What is looked for is found where it is.
    assert_eq!(named(&of_readers, &["csv-core", "flate2"]).len(), 2, "{of_readers:?}");
}

#[test]
fn a_loss_pulls_in_no_closed_forms_or_hashes() {
    let of_models = ["faer", "sha2"];
    assert_eq!(named(&packages("burn-nca"), &of_models), Vec::<String>::new());
    assert_eq!(named(&packages("burn-nca-learn"), &of_models).len(), 2);
}

#[test]
fn the_library_pulls_in_no_backend_by_itself() {
    let backends = ["burn-cubecl", "burn-flex", "burn-ndarray", "burn-wgpu"];
    assert_eq!(named(&packages("burn-nca-learn"), &backends), Vec::<String>::new());
    assert_eq!(named(&packages("own-objective"), &backends).len(), 1);
}

#[test]
fn the_program_and_the_tests_share_one_build() {
    let compiled = |edges| tree(edges, "{p} [{f}]", &[]);
    let (program, tests) = (compiled("normal,build"), compiled("normal,build,dev"));
    // Features that only a test's dependency turns on: crates/burn-nca-cli/Cargo.toml names them for the program, too.
    assert_eq!(program.difference(&tests).collect::<Vec<_>>(), Vec::<&String>::new());
}
