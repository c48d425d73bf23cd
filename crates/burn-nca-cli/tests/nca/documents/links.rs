//! Where the links of the documents lead: to files, and to headings of documents.

use std::fs;
use std::path::{Path, PathBuf};

/// The links of a document, by its path, that lead nowhere, each with its line.
pub fn broken(root: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(root.join(name)).unwrap();
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    for (number, line) in prose(&text) {
        for link in links(line) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { PathBuf::from(name) } else { folder.join(path) };
            let leads_to = root.join(target);
            let has_heading = |text: String| anchors(&text).any(|anchor| anchor == heading);
            let is_there = match heading {
                "" => leads_to.exists(),
                _ => fs::read_to_string(&leads_to).is_ok_and(has_heading),
            };
            if !is_there {
                found.push(format!("{name}:{number}: {link} leads nowhere"));
            }
        }
    }
    found
}

/// The numbered lines outside blocks of code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((index + 1, line))
    })
}

/// The targets of the links of a line that lead into the workspace.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target).filter(|target| !target.contains(':'))
}

/// The headings as GitHub names them in links.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    prose(text).filter_map(|(_, line)| {
        let (marks, heading) = line.split_once("# ")?;
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
        marks.trim_matches('#').is_empty().then_some(anchor)
    })
}
