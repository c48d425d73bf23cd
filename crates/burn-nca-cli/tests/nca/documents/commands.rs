//! What commands of cargo, Python and the shell name: packages, programs and features of the workspace, scripts and their
//! options, and the Python package.

use std::fs;
use std::path::{Path, PathBuf};

use super::extract::Written;
use super::{files, option_not_in};

/// The folder of the Python package.
const PACKAGE: &str = "crates/burn-nca-python";

/// A repository, whose packages are read once.
pub struct Repository {
    root: PathBuf,
    manifests: Vec<String>,
}

impl Repository {
    /// Reads the manifests of the packages.
    pub fn read(root: &Path) -> Self {
        let manifests = files("toml").into_iter().filter(|name| name.ends_with("Cargo.toml"));
        let manifests = manifests.map(|name| fs::read_to_string(root.join(name)).unwrap());
        Self { root: root.to_path_buf(), manifests: manifests.collect() }
    }

    /// What a command names and is not there.
    pub fn failure(&self, command: &Written) -> Option<String> {
        let words = &command.words;
        let missing = match command.program.as_str() {
            "cargo" => self.missing_of_cargo(words),
            "maturin" => None,
            "pip" => self.missing_of_pip(words),
            "pytest" => words
                .iter()
                .filter(|word| !word.starts_with('-'))
                .find_map(|path| self.missing_file(&format!("{PACKAGE}/{path}"))),
            "python" => Some("the interpreter is python3 where there is no environment".into()),
            "python3" => {
                let at = words.iter().position(|word| word.ends_with(".py"))?;
                self.missing_of_script(command.folder(), &words[at], &words[at + 1..])
            }
            path => match path.strip_prefix("target/release/") {
                Some(program) if self.manifest(program).is_some() => None,
                Some(program) => Some(format!("no package makes a program {program}")),
                None => self.missing_of_script(command.folder(), path, words),
            },
        }?;
        Some(format!("{}: `{}`: {missing}", command.place, command.text()))
    }

    /// The manifest that gives a package, or a program, this name.
    fn manifest(&self, name: &str) -> Option<&String> {
        let line = format!("name = \"{name}\"\n");
        self.manifests.iter().find(|text| text.contains(&line))
    }

    fn missing_file(&self, name: &str) -> Option<String> {
        (!self.root.join(name).exists()).then(|| format!("there is no file {name}"))
    }

    fn missing_of_cargo(&self, words: &[String]) -> Option<String> {
        let own: Vec<&str> =
            words.iter().map(String::as_str).take_while(|word| *word != "--").collect();
        let after = |option: &str| {
            let at = own.iter().position(|word| *word == option)?;
            own.get(at + 1).copied()
        };
        if let Some(path) = after("--path") {
            return self.missing_file(&format!("{path}/Cargo.toml"));
        }
        // Of the default members one has a program.
        let package = after("-p").or_else(|| after("--package")).or_else(|| after("install"))?;
        let Some(manifest) = self.manifest(package) else {
            return Some(format!("the workspace has no package {package}"));
        };
        let mut features = after("--features").into_iter().flat_map(|list| list.split(','));
        let missing = features.find(|name| !manifest.contains(&format!("\n{name} = ")))?;
        Some(format!("{package} has no feature {missing}"))
    }

    fn missing_of_pip(&self, words: &[String]) -> Option<String> {
        let text = fs::read_to_string(self.root.join(PACKAGE).join("pyproject.toml")).unwrap();
        let named = words.iter().filter(|word| word.starts_with("burn"));
        let mut names = named.map(|word| word.split(['[', '=']).next().unwrap_or_default());
        let wrong = names.find(|name| !text.contains(&format!("\nname = \"{name}\"\n")))?;
        Some(format!("the Python package is not called {wrong}"))
    }

    /// What is missing of a script: its file, or one of the options that it is given.
    fn missing_of_script(&self, folder: &str, script: &str, words: &[String]) -> Option<String> {
        let places = [self.root.join(folder).join(script), self.root.join(script)];
        let Some(text) = places.iter().find_map(|path| fs::read_to_string(path).ok()) else {
            return Some(format!("there is no file {script}"));
        };
        let option = option_not_in(&text, words)?;
        Some(format!("{script} has no option {option}"))
    }
}
