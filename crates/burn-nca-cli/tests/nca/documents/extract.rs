//! Finds the commands in Markdown, in docstrings, on pages and in the help of the program, and blocks of Rust.

/// The programs that documents name, in addition to scripts and what cargo builds.
const PROGRAMS: [&str; 7] = ["nca", "cargo", "python3", "python", "pip", "maturin", "pytest"];

/// A command of a document.
#[derive(Debug, PartialEq)]
pub struct Written {
    /// Where it is, as in `README.md:69`.
    pub place: String,
    /// One of [`PROGRAMS`], or a path such as `target/release/measure` or `./test.sh`.
    pub program: String,
    /// Its words after the program.
    pub words: Vec<String>,
}

impl Written {
    /// The command of some words, where its program is one that documents name.
    fn of(place: &str, text: &str) -> Option<Self> {
        let mut words = words(text).into_iter().skip_while(|word| is_assignment(word)).peekable();
        let program = words.next()?;
        let known = PROGRAMS.contains(&program.as_str())
            || program.starts_with("target/release/")
            || program.ends_with(".sh");
        known.then(|| Self { place: place.to_string(), program, words: words.collect() })
    }

    /// The command as it is written.
    pub fn text(&self) -> String {
        format!("{} {}", self.program, self.words.join(" "))
    }

    /// The path of the folder of its document.
    pub fn folder(&self) -> &str {
        let document = self.place.split(':').next().unwrap_or_default();
        document.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// The commands of a Markdown file: lines of its blocks of code, and words between backticks.
pub fn from_markdown(name: &str, text: &str) -> Vec<Written> {
    let mut found = Vec::new();
    let mut fence = None;
    let mut line_before = String::new();
    for (number, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", number + 1);
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language.to_string()) };
            continue;
        }
        let is_code = match &fence {
            Some(language) => language == "sh" || language == "text",
            None => line.starts_with("    "),
        };
        if is_code {
            let whole = format!("{line_before}{}", line.trim());
            if let Some(beginning) = whole.strip_suffix('\\') {
                line_before = beginning.to_string();
                continue;
            }
            line_before.clear();
            found.extend(of_shell_line(&place, &whole));
        } else if fence.is_none() {
            let spans = line.split('`').skip(1).step_by(2).filter(|span| span.contains(' '));
            found.extend(spans.filter_map(|span| Written::of(&place, span)));
        }
    }
    found
}

/// The commands of the docstring of a Python file: its indented lines.
pub fn from_docstring(name: &str, text: &str) -> Vec<Written> {
    let mut parts = text.splitn(3, "\"\"\"");
    let lines_before = parts.next().unwrap_or_default().lines().count();
    let lines = parts.next().unwrap_or_default().lines().enumerate();
    let indented = lines.filter(|(_, line)| line.starts_with("    "));
    let place = |number: usize| format!("{name}:{}", lines_before + number + 1);
    indented.flat_map(|(number, line)| of_shell_line(&place(number), line)).collect()
}

/// The commands of a page: what is between marks of code.
pub fn from_page(name: &str, text: &str) -> Vec<Written> {
    let of_line = |(number, line): (usize, &str)| {
        let spans = line.split("<code>").skip(1).filter_map(|rest| rest.split("</code>").next());
        spans.filter_map(|span| Written::of(&format!("{name}:{}", number + 1), span)).collect()
    };
    text.lines().enumerate().flat_map(|line| -> Vec<Written> { of_line(line) }).collect()
}

/// A block of Rust of a document.
#[derive(Debug, PartialEq)]
pub struct Shown {
    /// Where it begins, as in `README.md:55`.
    pub place: String,
    /// What is said of it to rustdoc: `no_run`, `ignore` or nothing.
    pub attribute: String,
    pub code: String,
}

/// The blocks of Rust of a Markdown file.
pub fn rust_blocks(name: &str, text: &str) -> Vec<Shown> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else { continue };
        let inside = lines.by_ref().map(|(_, line)| line);
        let code: Vec<&str> =
            inside.take_while(|line| !line.trim_start().starts_with("```")).collect();
        let (language, attribute) = language.split_once(',').unwrap_or((language, ""));
        if language == "rust" {
            found.push(Shown {
                place: format!("{name}:{}", number + 1),
                attribute: attribute.to_string(),
                code: code.join("\n"),
            });
        }
    }
    found
}

/// The examples of a help text: indented lines, a note set off by several blanks.
pub fn from_help(name: &str, text: &str) -> Vec<Written> {
    let lines = text.lines().skip_while(|line| !line.starts_with("Example"));
    let commands = lines.filter_map(|line| line.trim_start().split("  ").next());
    commands
        .filter(|line| line.starts_with("nca "))
        .flat_map(|line| of_shell_line(name, line))
        .collect()
}

/// The commands of a line for a shell: without its comment, pipes and redirections.
fn of_shell_line(place: &str, line: &str) -> Vec<Written> {
    let code = line.split(" #").next().unwrap_or_default();
    let commands = code.split("&&").flat_map(|part| part.split(" | "));
    let without_target = commands.map(|part| part.split(" > ").next().unwrap_or_default());
    without_target.filter_map(|part| Written::of(place, part)).collect()
}

/// Words split by blanks; quotes hold one together.
fn words(text: &str) -> Vec<String> {
    let parts = text.split('\'').enumerate();
    parts
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().map(String::from).collect(),
            _ => vec![part.to_string()],
        })
        .collect()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    })
}
