//! What a command of cargo may name: packages, programs and features of the workspace.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::extract::Written;

/// The packages of the workspace.
pub struct Workspace {
    root: PathBuf,
    /// The manifest of each package.
    manifests: HashMap<String, String>,
}

impl Workspace {
    /// Reads the manifests of a workspace.
    pub fn read(root: &Path) -> Self {
        let nested = ["benches", "crates", "examples", "tests"].map(|folder| root.join(folder));
        let folders = nested.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        let folders = folders.map(|entry| entry.unwrap().path()).chain([root.join("benches")]);
        let texts = folders.filter_map(|folder| fs::read_to_string(folder.join("Cargo.toml")).ok());
        let manifests = texts.map(|text| (names(&text).remove(0), text)).collect();
        Self { root: root.to_path_buf(), manifests }
    }

    /// What a command names and is not there.
    pub fn failure(&self, command: &Written) -> Option<String> {
        let missing = match command.program.as_str() {
            "cargo" => self.missing_of_cargo(&command.words),
            path => self.missing_program(path.trim_start_matches("target/release/")),
        }?;
        Some(format!("{}: `{}`: {missing}", command.place, command.text()))
    }

    fn missing_of_cargo(&self, words: &[String]) -> Option<String> {
        const VERBS: [&str; 11] = [
            "build", "check", "run", "test", "bench", "doc", "install", "clippy", "update",
            "package", "publish",
        ];
        let verb = words.first()?;
        if !VERBS.contains(&verb.as_str()) {
            return Some(format!("cargo has no verb {verb:?} that is known here"));
        }
        let own: Vec<&String> = words.iter().take_while(|word| *word != "--").collect();
        let after = |names: [&str; 2]| {
            let place = own.iter().position(|word| names.contains(&word.as_str()))?;
            own.get(place + 1).map(|word| word.as_str())
        };
        if let Some(path) = after(["--path", "--path"]) {
            return self.missing_file(&format!("{path}/Cargo.toml"));
        }
        let package = match verb.as_str() {
            "install" => own.get(1).map(|word| word.as_str()),
            _ => after(["-p", "--package"]),
        };
        // Of the default members one has a program.
        let package = package?;
        let Some(manifest) = self.manifests.get(package) else {
            return Some(format!("the workspace has no package {package}"));
        };
        let features = after(["--features", "-F"]).into_iter().flat_map(|list| list.split(','));
        let mut missing = features.filter(|name| !manifest.contains(&format!("\n{name} = ")));
        missing.next().map(|name| format!("{package} has no feature {name}"))
    }

    fn missing_file(&self, name: &str) -> Option<String> {
        (!self.root.join(name).exists()).then(|| format!("there is no file {name}"))
    }

    fn missing_program(&self, name: &str) -> Option<String> {
        let known = self.manifests.values().any(|text| names(text).iter().any(|own| own == name));
        (!known).then(|| format!("no package makes a program {name}"))
    }
}

/// The names that a manifest gives: its package's and those of its programs.
fn names(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().filter_map(|line| line.strip_prefix("name = \""));
    lines.map(|rest| rest.trim_end_matches('"').to_string()).collect()
}
