//! Finds the commands in Markdown, in docstrings, on pages and in the help of the program.

use crate::shell_words;

/// The programs that documents name, in addition to scripts and what cargo builds.
const PROGRAMS: [&str; 7] = ["nca", "cargo", "python3", "python", "pip", "maturin", "pytest"];

/// A command of a document.
pub struct Written {
    /// Where it is, as in `README.md:69`.
    place: String,
    /// One of [`PROGRAMS`], or a path such as `target/release/measure` or `./test.sh`.
    pub program: String,
    /// Its words after the program.
    pub words: Vec<String>,
}

impl Written {
    /// The command with its place, and why it does not hold.
    pub fn refused(&self, reason: &str) -> String {
        format!("{}: `{} {}`: {reason}", self.place, self.program, self.words.join(" "))
    }

    /// The path of the folder of its document.
    pub fn folder(&self) -> &str {
        self.place.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// The lines of a Markdown file but its fences, each with its number and, in a block of code, what the fence says.
pub fn lines(text: &str) -> Vec<(usize, Option<&str>, &str)> {
    let (mut fence, mut found) = (None, Vec::new());
    for (index, line) in text.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(said) => fence = if fence.is_some() { None } else { Some(said) },
            None => found.push((index + 1, fence, line)),
        }
    }
    found
}

/// The commands of a Markdown file, of the docstring of a Python file or of a page: those of the lines of blocks of code,
/// and of what is between backticks or other marks of code.
pub fn commands(name: &str, text: &str) -> Vec<Written> {
    let text = match name.rsplit('.').next() {
        // Its indented lines.
        Some("py") => text.split("\"\"\"").nth(1).unwrap_or_default().replace('`', ""),
        Some("html") => text.lines().map(|line| line.trim_start().to_string() + "\n").collect(),
        _ => text.to_string(),
    };
    let text = text.replace("\\\n", "").replace("<code>", "`").replace("</code>", "`");
    let mut found = Vec::new();
    for (number, fence, line) in lines(&text) {
        let parts: Vec<&str> = match fence {
            None if !line.starts_with("    ") => {
                line.split('`').skip(1).step_by(2).filter(|span| span.contains(' ')).collect()
            }
            None | Some("sh" | "text") => {
                let code = line.split(" #").next().unwrap_or_default();
                let parts = code.split("&&").flat_map(|part| part.split(" | "));
                parts.map(|part| part.split(" > ").next().unwrap_or_default()).collect()
            }
            Some(_) => continue,
        };
        found.extend(parts.iter().filter_map(|part| command(format!("{name}:{number}"), part)));
    }
    found
}

/// The command of some words, where its program is one that documents name.
fn command(place: String, text: &str) -> Option<Written> {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let is_variable = |word: &String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let mut words = shell_words(text).into_iter().skip_while(is_variable);
    let program = words.next()?;
    let is_known = PROGRAMS.contains(&program.as_str())
        || program.starts_with("target/release/")
        || program.ends_with(".sh");
    is_known.then(|| Written { place, program, words: words.collect() })
}

/// The examples of a help text: indented lines, a note set off by several blanks.
pub fn from_help(name: &str, text: &str) -> Vec<Written> {
    let lines = text.lines().skip_while(|line| !line.starts_with("Example"));
    let examples = lines.filter_map(|line| line.trim_start().split("  ").next());
    let examples = examples.filter(|line| line.starts_with("nca "));
    commands(name, &examples.map(|line| format!("    {line}\n")).collect::<String>())
}
