//! What documents name of the workspace: packages, programs and features, scripts and their options, the Python package,
//! and where links lead and Rust is compiled.

use std::fs;
use std::path::{Path, PathBuf};

use super::extract::{Written, lines};
use super::{files, option_not_in, read};
use crate::ROOT;

/// The folder of the Python package.
const PACKAGE: &str = "crates/burn-nca-python";

fn exists(name: &str) -> bool {
    Path::new(ROOT).join(name).exists()
}

fn missing_file(name: &str) -> Option<String> {
    (!exists(name)).then(|| format!("there is no file {name}"))
}

/// The manifest that gives a package, or a program, this name.
fn manifest(name: &str) -> Option<String> {
    let manifests = files("toml").into_iter().filter(|name| name.ends_with("Cargo.toml"));
    manifests.map(|path| read(&path)).find(|text| text.contains(&format!("name = \"{name}\"\n")))
}

/// What a command of cargo, Python or the shell names and is not there.
pub fn missing(command: &Written) -> Option<String> {
    let words = &command.words;
    match command.program.as_str() {
        "cargo" => missing_of_cargo(words),
        "maturin" => None,
        "pip" => {
            let text = read(&format!("{PACKAGE}/pyproject.toml"));
            let named = words.iter().filter(|word| word.starts_with("burn"));
            let mut names = named.filter_map(|word| word.split(['[', '=']).next());
            let wrong = names.find(|name| !text.contains(&format!("\nname = \"{name}\"\n")))?;
            Some(format!("the Python package is not called {wrong}"))
        }
        "pytest" => words
            .iter()
            .filter(|word| !word.starts_with('-'))
            .find_map(|path| missing_file(&format!("{PACKAGE}/{path}"))),
        "python" => Some("the interpreter is python3 where there is no environment".into()),
        "python3" => {
            let at = words.iter().position(|word| word.ends_with(".py"))?;
            missing_of_script(command.folder(), &words[at], &words[at + 1..])
        }
        path => match path.strip_prefix("target/release/") {
            Some(program) if manifest(program).is_some() => None,
            Some(program) => Some(format!("no package makes a program {program}")),
            None => missing_of_script(command.folder(), path, words),
        },
    }
}

fn missing_of_cargo(words: &[String]) -> Option<String> {
    let own: Vec<&str> =
        words.iter().map(String::as_str).take_while(|word| *word != "--").collect();
    let after = |option: &str| {
        let at = own.iter().position(|word| *word == option)?;
        own.get(at + 1).copied()
    };
    if let Some(path) = after("--path") {
        return missing_file(&format!("{path}/Cargo.toml"));
    }
    // Of the default members one has a program.
    let package = after("-p").or_else(|| after("--package")).or_else(|| after("install"))?;
    let Some(manifest) = manifest(package) else {
        return Some(format!("the workspace has no package {package}"));
    };
    let mut features = after("--features").into_iter().flat_map(|list| list.split(','));
    let missing = features.find(|name| !manifest.contains(&format!("\n{name} = ")))?;
    Some(format!("{package} has no feature {missing}"))
}

/// What is missing of a script: its file, or one of the options that it is given.
fn missing_of_script(folder: &str, script: &str, words: &[String]) -> Option<String> {
    let places = [Path::new(ROOT).join(folder).join(script), Path::new(ROOT).join(script)];
    let Some(text) = places.iter().find_map(|path| fs::read_to_string(path).ok()) else {
        return Some(format!("there is no file {script}"));
    };
    Some(format!("{script} has no option {}", option_not_in(&text, words)?))
}

/// The links of a document that lead neither to a file nor to a heading, each with its line.
pub fn broken_links(name: &str, text: &str) -> Vec<String> {
    let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let is_broken = |link: &str| {
        let (path, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = if path.is_empty() { name.to_string() } else { format!("{folder}{path}") };
        !exists(&target) || !heading.is_empty() && !headings(&read(&target)).any(|it| it == heading)
    };
    let prose = lines(text).into_iter().filter(|(_, fence, _)| fence.is_none());
    let links = prose.flat_map(|(number, _, line)| {
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        targets.map(move |(target, _)| (number, target))
    });
    links
        .filter(|(_, link)| !link.contains(':') && is_broken(link))
        .map(|(number, link)| format!("{name}:{number}: {link} leads nowhere"))
        .collect()
}

/// The headings as GitHub names them in links.
fn headings(text: &str) -> impl Iterator<Item = String> {
    lines(text).into_iter().filter_map(|(_, fence, line)| {
        let (marks, heading) = line.split_once("# ").filter(|_| fence.is_none())?;
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
        marks.trim_matches('#').is_empty().then_some(anchor)
    })
}

/// The blocks of Rust of documents that nothing compiles: no doc test of the document, and no source file has them.
pub fn uncompiled(documents: &[String]) -> Vec<String> {
    let canonical = |path: PathBuf| path.canonicalize().ok();
    let (mut texts, mut tested) = (Vec::new(), Vec::new());
    for name in files("rs") {
        let text = read(&name);
        let folder = Path::new(ROOT).join(&name).parent().unwrap().to_path_buf();
        let included =
            text.split("include_str!(\"").skip(1).filter_map(|rest| rest.split_once('"'));
        tested.extend(included.filter_map(|(name, _)| canonical(folder.join(name))));
        texts.push(reduced(&text));
    }
    let mut found = Vec::new();
    for name in documents {
        let text = read(name);
        let is_tested =
            canonical(Path::new(ROOT).join(name)).is_some_and(|it| tested.contains(&it));
        for block in lines(&text).chunk_by(|(before, ..), (number, ..)| before + 1 == *number) {
            let (number, fence, _) = block[0];
            let Some(attribute) = fence.and_then(|fence| fence.strip_prefix("rust")) else {
                continue;
            };
            let code: Vec<&str> = block.iter().map(|(_, _, line)| *line).collect();
            let code = reduced(&code.join("\n"));
            // `{ .. }` stands for a body that the document leaves out.
            let is_in = |text: &String| {
                let mut pieces = code.split("{..}");
                pieces.try_fold(&text[..], |rest, piece| Some(rest.split_once(piece)?.1)).is_some()
            };
            let is_compiled = is_tested && attribute != ",ignore" || texts.iter().any(is_in);
            if !is_compiled {
                found.push(format!(
                    "{name}:{number}: no doc test compiles this Rust and it is in no source file; for documents without \
                     a program of their own there is tests/acceptance/tests/documents"
                ));
            }
        }
    }
    found
}

/// Code without what rustfmt may change: blanks, and commas before a closing bracket. Comments go too.
fn reduced(code: &str) -> String {
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let text: String = lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect();
    [")", "]", "}"].iter().fold(text, |text, end| text.replace(&format!(",{end}"), end))
}
