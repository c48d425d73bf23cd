//! What a release relies on: one version everywhere, and every crate that is published is packed whole and described.

use std::fs;
use std::path::Path;

use crate::ROOT;

#[test]
fn one_version_stands_everywhere_and_every_published_crate_is_packed_whole_and_described() {
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let root = Path::new(ROOT);
    let version = env!("CARGO_PKG_VERSION");
    assert!(read(&root.join("CITATION.cff")).contains(&format!("\nversion: {version}\n")));
    let manifest = read(&root.join("Cargo.toml"));
    assert!(manifest.contains(&format!("\nversion = \"{version}\"\n")));
    for line in manifest.lines().filter(|line| line.contains("path = \"crates/")) {
        assert!(line.contains(&format!("version = \"{version}\"")), "{line}");
    }
    let mut published = 0;
    for folder in fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if manifest.is_empty() || manifest.contains("publish = false") {
            continue;
        }
        published += 1;
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(folder.join(file).is_file(), "{} has no {file}", folder.display());
        }
        for key in ["description", "keywords", "categories", "readme", "license", "repository"] {
            let described = manifest.lines().any(|line| line.starts_with(key));
            assert!(described, "{} has no {key}", folder.display());
        }
    }
    assert!(published >= 8, "{published}");
}
