//! Every hint of the sources, and every message with a cure in words, has a case, or a reason why not.
//!
//! ```text
//! "{labels} labels for {rows} rows; give one label per row" ◄─ matches ─ "3 labels for 2 rows; give one label per row"
//!  a text of the sources                                                  what a run, or a call of the library, said
//! ```
//! A message that the program can give is one of a run; what only callers of the library meet is the error of a call.

use std::collections::BTreeMap;
use std::path::Path;

use super::text::cases;
use super::{ARRAYS, COLUMNAR, LIBRARY, MODELS, PROGRAM, TABLES, WORDED, calls, check_all};
use crate::{ROOT, files_below};

/// Sites without a case, and why.
const UNTRIED_HINTS: &str = include_str!("cases/untried-hints.txt");

/// Cures of readers without a case, by how they begin, and why.
const UNTRIED_CURES: &str = include_str!("cases/untried-cures.txt");

/// Texts without a case, by the begin of their file and of themselves, and why.
const UNTRIED_TEXTS: &str = include_str!("cases/untried-texts.txt");

/// Where the program words hints, and builds those that others give it.
const HELPERS: [&str; 2] = ["src/hint.rs", "src/failure.rs"];

/// The sources whose texts are matched with messages; those of readers have a test of their own.
const WORDED_SOURCES: [&str; 13] = [
    "burn-nca/src",
    "burn-nca-cli/src",
    "burn-nca-data/src/sets",
    "burn-nca-data/src/tables",
    "burn-nca-data/src/writers",
    "burn-nca-figures/src",
    "burn-nca-files/src",
    "burn-nca-fused/src",
    "burn-nca-learn/src",
    "burn-nca-onnx/src",
    "burn-nca-program/src",
    "burn-nca-report/src",
    "burn-nca-web/src",
];

/// The sources of a folder, each as `folder/file.rs` with its code: without tests and lines of comments.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut paths = files_below(&Path::new(ROOT).join("crates").join(folder));
    paths.retain(|path| {
        path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs")
    });
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
        let names: Vec<_> = path.iter().rev().take(2).map(|name| name.to_string_lossy()).collect();
        (format!("{}/{}", names[1], names[0]), lines.collect::<Vec<_>>().join("\n"))
    };
    paths.iter().map(|path| read(path)).collect()
}

/// The sites of a code: `Ignore` of `Setting::Ignore`, `edit` of `Hint::edit(`, and in the program `usage` of a call.
fn sites(code: &str, is_program: bool) -> Vec<&str> {
    let mut found = Vec::new();
    for built in ["Setting::", "Hint::"] {
        for (at, _) in code.match_indices(built) {
            let is_path =
                code[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == ':');
            let name =
                code[at + built.len()..].split(|letter: char| !letter.is_alphanumeric()).next();
            found.extend(name.filter(|name| !is_path && !["from", "Edit", "Set"].contains(name)));
        }
    }
    for call in ["hinted", "usage", "refusal", "idle"].into_iter().filter(|_| is_program) {
        let is_call = |at: usize| {
            !code[..at].ends_with("fn ") && !code[..at].ends_with(char::is_alphanumeric)
        };
        let calls =
            code.match_indices(&format!("{call}(")[..]).filter(|(at, _)| is_call(*at)).count();
        found.extend(std::iter::repeat_n(call, calls));
    }
    found
}

/// The lines of a table of texts as their cells.
fn cells<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    table.lines().map(|line| line.split(" | ").collect::<Vec<_>>().try_into().unwrap())
}

#[test]
fn every_hint_has_a_case_or_a_reason_why_not() {
    let (mut built, mut held) = (BTreeMap::<String, usize>::new(), BTreeMap::new());
    for folder in ["burn-nca/src", "burn-nca-data/src", "burn-nca-learn/src", "burn-nca-cli/src"] {
        let is_program = folder == "burn-nca-cli/src";
        for (file, code) in sources(folder) {
            if !is_program || !HELPERS.contains(&&file[..]) {
                for name in sites(&code, is_program) {
                    *built.entry(format!("{file} {name}")).or_default() += 1;
                }
            }
        }
    }
    let cases = [LIBRARY, PROGRAM].map(cases).concat();
    let named = cases.iter().flat_map(|case| case.head.trim_matches(['[', ']']).split("; "));
    let named = named.chain(cells(UNTRIED_HINTS).map(|[site, _]| site));
    for site in named.filter(|site| !site.is_empty()) {
        *held.entry(site.to_string()).or_default() += 1;
    }
    let is_wrong = |site: &&String| built.get(*site) != held.get(*site);
    let wrong = built.keys().chain(held.keys()).filter(is_wrong);
    let say = |site| format!("{site}: built {:?}, tried {:?}", built.get(site), held.get(site));
    let wrong: Vec<String> = wrong.map(say).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The texts in quotation marks of a code that have a semicolon, but for what a method or a setting is for.
fn texts(code: &str) -> Vec<String> {
    let code = code.replace("\\\n", "").replace("\\\"", "''");
    let parts: Vec<&str> = code.split('"').collect();
    let is_message = |part: &&[&str]| {
        let before = part[0].trim_end();
        // The words between values.
        let has_words =
            part[1].split(['{', '}']).step_by(2).any(|text| text.contains(char::is_alphabetic));
        has_words
            && part[1].contains("; ")
            && !before.ends_with("WHEN_TO_USE: &'static str =")
            && !before.ends_with("help:")
    };
    let messages = parts.chunks_exact(2).filter(is_message);
    messages.map(|part| part[1].replace("''", "\"")).collect()
}

#[test]
fn every_cure_of_a_reader_has_a_case_or_a_reason_why_not() {
    let cases = [TABLES, ARRAYS, COLUMNAR, MODELS].map(cases).concat();
    let ways = cases.iter().flat_map(|case| &case.ways);
    let ways: Vec<&str> = ways.map(|(words, _)| words.trim_matches([',', ' '])).collect();
    let mut open = Vec::new();
    for text in sources("burn-nca-data/src/readers").iter().flat_map(|(_, code)| texts(code)) {
        // What follows the first semicolon, up to the first value.
        let cure = text.split_once("; ").and_then(|(_, cure)| cure.split('{').next());
        let cure = cure.unwrap_or_default().trim().to_string();
        let is_tried = ways.iter().any(|words| cure.contains(words) || words.contains(&cure));
        let is_known = cells(UNTRIED_CURES).any(|[untried, _]| cure.starts_with(untried));
        open.extend((!cure.is_empty() && is_tried == is_known).then_some(cure));
    }
    assert!(open.is_empty(), "without a case, or with a case and a reason: {open:#?}");
}

#[test]
fn every_cure_in_words_works_or_has_a_reason_why_not() {
    let met = [calls::messages(), check_all(&[MODELS, WORDED].map(cases).concat())].concat();
    let (mut open, mut used) = (Vec::new(), Vec::new());
    for (file, code) in WORDED_SOURCES.into_iter().flat_map(sources) {
        for text in texts(&code) {
            let is_of =
                |[of, begin, _]: &[&str; 3]| file.starts_with(of) && text.starts_with(begin);
            let reasons: Vec<_> = cells(UNTRIED_TEXTS).filter(is_of).collect();
            let is_tried = met.iter().any(|message| matches(&text, message));
            if usize::from(is_tried) + reasons.len() != 1 {
                open.push(format!("{file}: {text}"));
            }
            used.extend(reasons);
        }
    }
    let unused: Vec<_> = cells(UNTRIED_TEXTS).filter(|reason| !used.contains(reason)).collect();
    assert!(
        open.is_empty() && unused.is_empty(),
        "without a case, or with a case and a reason: {open:#?}\nno text of the sources: {unused:#?}"
    );
}

/// Whether a message is one of this text, whose values stand in braces.
fn matches(text: &str, message: &str) -> bool {
    let pieces = text.trim_end_matches('.').split('{');
    let mut pieces =
        pieces.flat_map(|part| part.split_once('}').map_or(part, |(_, after)| after).lines());
    pieces.try_fold(message, |rest, piece| Some(rest.split_once(piece)?.1)).is_some()
}
