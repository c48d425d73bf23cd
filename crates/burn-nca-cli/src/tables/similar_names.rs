//! Names that differ in case, in spaces or in the encoding of accents only, and are likely one.

use std::collections::BTreeMap;

use burn_nca_data::{Table, Target};
use burn_nca_learn::data::{RawColumn, RawValues, are_same_letters, is_decomposed};
use burn_nca_report::Warning;

use super::SHOWN;
use crate::output::{short_name, warning_if};

/// The most names with marks on letters that are compared with the others.
const MOST_MARKED: usize = 100;

pub(super) fn about_similar_classes(table: &Table) -> Option<Warning> {
    let Target::Classes { names, .. } = &table.target else { return None };
    about_similar("classes", "learned as different classes", names)
}

/// Texts of a column that differ in case or in spaces only; `noun` is what they are, `levels` or `groups`.
pub(super) fn about_similar_texts(noun: &str, column: &RawColumn) -> Option<Warning> {
    let RawValues::Text(text) = column.values() else { return None };
    let of_column = format!("{noun} of column \"{}\"", short_name(column.name()));
    about_similar(&of_column, &format!("different {noun}"), text.distinct())
}

/// Names that differ in case or in spaces only; `what` they are, and what they are `taken` for.
fn about_similar(what: &str, taken: &str, names: &[String]) -> Option<Warning> {
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        // Characters without a width are seen as little as spaces are.
        let shown = name
            .replace(['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{ad}'], "");
        let words: Vec<String> = shown.split_whitespace().map(str::to_lowercase).collect();
        alike.entry(words.join(" ")).or_default().push(name);
    }
    let mut several: Vec<Vec<&str>> =
        alike.values().filter(|names| names.len() > 1).cloned().collect();
    let in_letters = of_other_letters(names);
    let accents = if in_letters.is_empty() { "" } else { ", in the encoding of accents" };
    several.extend(in_letters);
    let found: Vec<String> = several
        .iter()
        .map(|names| names.iter().map(|name| format!("\"{}\"", short_name(name))))
        .map(|names| names.collect::<Vec<_>>().join(" and "))
        .collect();
    warning_if!(
        !found.is_empty(),
        SimilarClasses,
        "{what} differ in case{accents} or in spaces only, and are {taken}: {}; write them alike if they are one",
        found[..found.len().min(SHOWN)].join("; ")
    )
}

/// Names that are one in two ways of Unicode, as macOS and others write accents.
fn of_other_letters(names: &[String]) -> Vec<Vec<&str>> {
    let (marked, plain): (Vec<&str>, Vec<&str>) =
        names.iter().map(String::as_str).partition(|name| is_decomposed(name));
    let pair = |marked: &str| {
        let is_same = |name: &&&str| are_same_letters(&marked.to_lowercase(), &name.to_lowercase());
        plain.iter().find(is_same).copied()
    };
    let marked = marked.into_iter().take(MOST_MARKED);
    marked.filter_map(|name| Some(vec![pair(name)?, name])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_one_are_hinted_at() {
        let text = |names: [&str; 3]| {
            about_similar_texts("levels", &RawColumn::text("c", names.map(Some)))
                .map(|warning| warning.text)
        };
        let start = "levels of column \"c\" differ in case or in spaces only, and are different levels: \"Red\" and \"red\"";
        assert!(text(["Red", "red", "blue"]).unwrap().starts_with(start));
        assert!(text(["red", "red\u{200b}", "blue"]).is_some());
        let said = text(["Caf\u{e9}", "cafe\u{301}", "cafe"]).unwrap();
        assert!(said.contains("in case, in the encoding of accents or in spaces only"), "{said}");
        assert_eq!(text(["caf\u{e9}", "caf\u{e8}", "cafe"]), None);
    }
}
