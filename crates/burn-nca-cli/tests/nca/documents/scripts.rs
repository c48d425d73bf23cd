//! What a command of Python or of the shell may name: scripts of the repository and their options, and the Python package.

use std::fs;
use std::path::{Path, PathBuf};

use super::extract::Written;
use super::option_not_in;

/// The folder of the Python package.
const PACKAGE: &str = "crates/burn-nca-python";

/// Where the scripts are, and what the Python package is called.
pub struct Scripts {
    root: PathBuf,
    package: String,
}

impl Scripts {
    /// Reads what the Python package of a repository says of itself.
    pub fn read(root: &Path) -> Self {
        let text = fs::read_to_string(root.join(PACKAGE).join("pyproject.toml")).unwrap();
        assert!(text.contains("build-backend = \"maturin\""), "{text}");
        let name = text.lines().find_map(|line| line.strip_prefix("name = ")).unwrap();
        Self { root: root.to_path_buf(), package: name.trim_matches('"').to_string() }
    }

    /// Whether a command is one of these.
    pub fn is_for(&self, command: &Written) -> bool {
        ["python3", "python", "pip", "maturin", "pytest"].contains(&command.program.as_str())
            || command.program.ends_with(".sh")
    }

    /// What a command names and is not there.
    pub fn failure(&self, command: &Written) -> Option<String> {
        let words = &command.words;
        let missing = match command.program.as_str() {
            "python3" => self.missing_of_python(command),
            "python" => Some("the interpreter is python3 where there is no environment".into()),
            "pip" => self.missing_of_pip(words),
            "maturin" => not_among(words.first(), &["build", "develop", "sdist", "publish"]),
            "pytest" => self.missing_test(words),
            script => self.missing_in(command.folder(), script, words),
        }?;
        Some(format!("{}: `{}`: {missing}", command.place, command.text()))
    }

    fn missing_of_python(&self, command: &Written) -> Option<String> {
        let at = command.words.iter().position(|word| word.ends_with(".py"))?;
        self.missing_in(command.folder(), &command.words[at], &command.words[at + 1..])
    }

    /// What is missing of a script: its file, or one of the options that it is given.
    fn missing_in(&self, folder: &str, script: &str, words: &[String]) -> Option<String> {
        let places = [self.root.join(folder).join(script), self.root.join(script)];
        match places.iter().find_map(|path| fs::read_to_string(path).ok()) {
            None => Some(format!("there is no file {script}")),
            Some(text) => {
                option_not_in(&text, words).map(|option| format!("{script} has no option {option}"))
            }
        }
    }

    fn missing_of_pip(&self, words: &[String]) -> Option<String> {
        let names = words.iter().skip(1).filter(|word| word.starts_with("burn"));
        let wrong = names.map(|word| word.split(['[', '=']).next().unwrap_or_default());
        let wrong = wrong
            .filter(|name| *name != self.package)
            .map(|name| format!("the Python package is called {}, not {name}", self.package));
        not_among(words.first(), &["install"]).or(wrong.into_iter().next())
    }

    fn missing_test(&self, words: &[String]) -> Option<String> {
        let mut paths = words.iter().filter(|word| !word.starts_with('-'));
        let missing = paths.find(|path| !self.root.join(PACKAGE).join(path).exists())?;
        Some(format!("{PACKAGE} has no {missing}"))
    }
}

fn not_among(verb: Option<&String>, known: &[&str]) -> Option<String> {
    let verb = verb.map_or("", String::as_str);
    (!known.contains(&verb)).then(|| format!("{verb:?} is none of {}", known.join(", ")))
}
