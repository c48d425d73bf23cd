//! Where hints are built.

use std::collections::BTreeMap;
use std::path::Path;

use super::{cases, program};

/// How a hint is built, up to its name.
const BUILT: [&str; 2] = ["Setting::", "Hint::"];

/// Where the program words hints, and builds those that others give it.
const HELPERS: [&str; 2] = ["burn-nca-cli/src/hint.rs", "burn-nca-cli/src/failure.rs"];

/// Functions of the program that take a text and a hint.
const CALLED: [&str; 3] = ["hinted(", "usage(", "refusal("];

#[test]
fn every_hint_has_a_case_or_a_reason_why_not() {
    let mut sites = BTreeMap::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for part in ["burn-nca", "burn-nca-data", "burn-nca-learn", "burn-nca-cli"] {
        add_sites(&crates.join(part).join("src"), &mut sites);
    }
    let mut held: BTreeMap<String, usize> = BTreeMap::new();
    let cases = [cases::all(), program::all()].concat();
    let named = cases.iter().flat_map(|case| case.sites.split("; "));
    for site in named
        .chain(cases::UNTRIED.iter().chain(program::UNTRIED).map(|(site, _)| *site))
        .filter(|site| !site.is_empty())
    {
        *held.entry(site.to_string()).or_default() += 1;
    }
    let differ = |(site, number): (&String, &usize), others: &BTreeMap<String, usize>| {
        (others.get(site) != Some(number))
            .then(|| format!("{site}: {number}, not {}", others.get(site).unwrap_or(&0)))
    };
    let built = sites.iter().filter_map(|site| differ(site, &held));
    let built: Vec<String> = built.map(|site| format!("built without a case: {site}")).collect();
    let gone = held.iter().filter(|(site, _)| !sites.contains_key(*site));
    let gone: Vec<String> = gone.map(|(site, _)| format!("not built: {site}")).collect();
    assert!(built.is_empty() && gone.is_empty(), "{}", [built, gone].concat().join("\n"));
}

/// Counts the sites of a folder of sources: `csv/cell.rs Ignore`.
fn add_sites(folder: &Path, sites: &mut BTreeMap<String, usize>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_sites(&path, sites);
        } else if !HELPERS.iter().any(|helper| path.ends_with(helper)) {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let folder = folder.file_name().unwrap().to_string_lossy();
            let file = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                for name in BUILT.iter().flat_map(|built| names_after(line, built)) {
                    *sites.entry(format!("{file} {name}")).or_default() += 1;
                }
                for call in CALLED
                    .iter()
                    .filter(|_| path.components().any(|part| part.as_os_str() == "burn-nca-cli"))
                {
                    let is_call = |at: usize| {
                        !line[..at].ends_with("fn ") && !line[..at].ends_with(char::is_alphanumeric)
                    };
                    let calls = line.match_indices(call).filter(|(at, _)| is_call(*at)).count();
                    if calls > 0 {
                        let name = call.trim_end_matches('(');
                        *sites.entry(format!("{file} {name}")).or_default() += calls;
                    }
                }
            }
        }
    }
}

/// `Ignore` of `Setting::Ignore`, and `edit` of `Hint::edit(`; not `from` of `map(Hint::from)`.
fn names_after<'a>(line: &'a str, built: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(built).filter_map(move |(at, _)| {
        let is_word =
            line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == ':');
        let rest = &line[at + built.len()..];
        let end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
        let name = &rest[..end];
        (!is_word && !["from", "Edit", "Set"].contains(&name)).then_some(name)
    })
}
