//! Where hints are built, and messages with a cure in words.

use std::collections::BTreeMap;
use std::path::Path;

use super::text::{ARRAYS, COLUMNAR, LIBRARY, MODELS, PROGRAM, TABLES, cases};
use super::worded::{add_texts, cells};

/// How a hint is built, up to its name.
const BUILT: [&str; 2] = ["Setting::", "Hint::"];

/// Where the program words hints, and builds those that others give it.
const HELPERS: [&str; 2] = ["burn-nca-cli/src/hint.rs", "burn-nca-cli/src/failure.rs"];

/// Functions of the program that take a text and a hint.
const CALLED: [&str; 4] = ["hinted(", "usage(", "refusal(", "idle("];

/// Sites without a case, and why.
const UNTRIED: &str = "
folder/mod.rs OwnEncoder | the program saves no model with an encoder of the user's own
readers/table.rs Classes | the program reads a target as what it needs
readers/table.rs Numbers | the program reads a target as what it needs
commands/demo.rs hinted | invocation.rs names the folder
commands/training_rows.rs hinted | the model is of an earlier version
fitting/divergence.rs hinted | the device is wgpu
commands/fit.rs usage | no device computes as it should
commands/report.rs hinted | the report is of an earlier version
fitting/rows.rs hinted | the method asks for --pairs before
src/output.rs hinted | the output is a terminal
src/source.rs hinted | the fit has read standard input
tables/of_fit.rs hinted | a table without a training row is refused before
tables/of_model.rs hinted | every table has a last column
tables/roles.rs hinted | rows without a positive weight are refused before
";

#[test]
fn every_hint_has_a_case_or_a_reason_why_not() {
    let mut sites = BTreeMap::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for part in ["burn-nca", "burn-nca-data", "burn-nca-learn", "burn-nca-cli"] {
        add_sites(&crates.join(part).join("src"), &mut sites);
    }
    let mut held: BTreeMap<String, usize> = BTreeMap::new();
    let cases = [LIBRARY, PROGRAM].map(cases).concat();
    let named = cases.iter().flat_map(|case| case.sites.split("; "));
    let untried = cells(UNTRIED).map(|[site, _]| site);
    for site in named.chain(untried).filter(|site| !site.is_empty()) {
        *held.entry(site.to_string()).or_default() += 1;
    }
    let without_a_case = |(site, number): (&String, &usize)| {
        let cases = held.get(site).copied().unwrap_or_default();
        (cases != *number).then(|| format!("built without a case: {site}: {number}, not {cases}"))
    };
    let gone = held.keys().filter(|site| !sites.contains_key(*site));
    let gone = gone.map(|site| format!("not built: {site}"));
    let wrong: Vec<String> = sites.iter().filter_map(without_a_case).chain(gone).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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

/// Cures of readers without a case, and why.
const UNTRIED_CURES: &str = "
give the file itself, unpacked | the file is of many megabytes
give rows of fewer values | the file is of many megabytes
end each row with a line end | the file is of many megabytes
give the splits of these data | readers/splits.rs tries it
mark it 1 (train) | readers/splits.rs tries it
mark at least one row | readers/splits.rs tries it
name the column of the classes | it is for callers of the library
name the target column | it is for callers of the library
write the classes into one | every table has a column
the columns are called x1 to x | it is a remark
rename it if it is a class | it is a remark
";

#[test]
fn every_cure_of_a_reader_has_a_case_or_a_reason_why_not() {
    let readers = concat!(env!("CARGO_MANIFEST_DIR"), "/../burn-nca-data/src/readers");
    let mut texts = Vec::new();
    add_texts(readers.as_ref(), &mut texts);
    // What follows the first semicolon, up to the first value.
    let cure = |(_, text): &(String, String)| {
        Some(text.split_once("; ")?.1.split('{').next()?.trim().to_string())
    };
    let found: Vec<String> =
        texts.iter().filter_map(cure).filter(|cure| !cure.is_empty()).collect();
    let cases = [TABLES, ARRAYS, COLUMNAR, MODELS].map(cases).concat();
    let ways: Vec<&str> = cases
        .iter()
        .flat_map(|case| &case.ways)
        .map(|(words, _)| words.trim_matches([',', ' ']))
        .collect();
    let is_tried =
        |cure: &str| ways.iter().any(|words| cure.contains(words) || words.contains(cure));
    let is_known = |cure: &str| cells(UNTRIED_CURES).any(|[untried, _]| cure.starts_with(untried));
    let open: Vec<&String> = found.iter().filter(|cure| is_tried(cure) == is_known(cure)).collect();
    assert!(open.is_empty(), "without a case, or with a case and a reason: {open:#?}");
}
