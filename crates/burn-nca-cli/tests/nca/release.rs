//! What a release relies on: one version everywhere, and every crate that is published is packed whole and described.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ROOT;

fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(ROOT).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The value of the first line `key = "value"` or `key: value`.
fn value(text: &str, key: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.trim_start_matches([' ', '=', ':', '"']).split('"').next().unwrap_or_default().to_string()
}

/// The folders of the crates that are published.
fn published() -> Vec<PathBuf> {
    let crates = fs::read_dir(Path::new(ROOT).join("crates")).unwrap();
    let folders = crates.map(|entry| entry.unwrap().path());
    folders
        .filter(|folder| folder.join("Cargo.toml").is_file())
        .filter(|folder| !read(folder.join("Cargo.toml")).contains("publish = false"))
        .collect()
}

#[test]
fn one_version_stands_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(value(&read("CITATION.cff"), "version"), version);
    let manifest = read("Cargo.toml");
    assert_eq!(value(&manifest, "version"), version);
    for line in manifest.lines().filter(|line| line.contains("path = \"crates/")) {
        assert!(line.contains(&format!("version = \"{version}\"")), "{line}");
    }
}

#[test]
fn every_crate_that_is_published_is_packed_whole_and_described() {
    let published = published();
    assert!(published.len() >= 8, "{published:?}");
    for folder in published {
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(folder.join(file).is_file(), "{} has no {file}", folder.display());
        }
        let manifest = read(folder.join("Cargo.toml"));
        for key in ["description", "keywords", "categories", "readme", "license", "repository"] {
            let described = manifest.lines().any(|line| line.starts_with(key));
            assert!(described, "{} has no {key}", folder.display());
        }
    }
}
