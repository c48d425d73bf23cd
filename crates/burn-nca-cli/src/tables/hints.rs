//! One line each about tables that are likely not meant as they are read.

use std::collections::HashMap;

use burn_nca_data::{Message, Table, Target};
use burn_nca_learn::data::{Features, name_key};

use super::SHOWN;
use super::similar_names::about_similar_classes;
use crate::hint::{CommandKind, hint_text};
use crate::output::{short_name, warning, warning_if};
use burn_nca_report::{RowNames, Warning, WarningCode, counted};

/// From so many classes that are whole numbers on, they may be a quantity.
const MANY_CLASSES: usize = 20;

/// From so many rows on, a column that counts them is no coincidence.
const COUNTED_ROWS: usize = 20;

/// Says that so many rows are not measured, if there are any.
pub(super) fn unmeasured(rows: usize) -> Option<Warning> {
    warning_if!(
        rows > 0,
        RowsWithoutClass,
        "{} without a class left out of the measures",
        counted(rows, "row")
    )
}

/// What may be meant otherwise, of the training rows `train` of a table whose rows have these names;
/// `says_classes` where the user has said that the target holds classes.
pub fn hints(
    table: &Table,
    (train, rows): (&[usize], &RowNames),
    says_classes: bool,
) -> Vec<Warning> {
    let features = &table.features;
    let numbers = if says_classes { None } else { about_numbers(table) };
    let all = [
        numbers,
        about_line_ends(table, rows),
        about_similar_classes(table),
        about_minus_one(table),
        about_identifiers(features),
        about_copies(features),
        about_few_rows(features, train),
    ];
    all.into_iter().flatten().collect()
}

/// Classes that are many whole numbers.
fn about_numbers(table: &Table) -> Option<Warning> {
    let Target::Classes { labels, names } = &table.target else { return None };
    let whole = |name: &String| name.parse::<f64>().is_ok_and(|number| number.fract() == 0.0);
    let many = names.len() > MANY_CLASSES && labels.len() < 10 * names.len();
    warning_if!(
        many && names.iter().all(whole),
        NumbersAsClasses,
        "the target \"{}\" holds {} whole numbers, each treated as a class; --task regression predicts a number",
        short_name(&table.target_name),
        names.len()
    )
}

/// Classes of several lines: where a quotation mark is a letter, the next one ends the cell, maybe rows later.
fn about_line_ends(table: &Table, rows: &RowNames) -> Option<Warning> {
    let Target::Classes { labels, names } = &table.target else { return None };
    let is_long = |name: &String| name.contains(['\n', '\r']);
    let row = labels.iter().position(|&class| is_long(&names[class]))?;
    let long = names.iter().filter(|name| is_long(name)).count();
    let (classes, name) = (number_of(long, "class goes", "classes go"), &names[labels[row]]);
    Some(warning!(
        MultilineClasses,
        "{classes} over several lines, the first in {}: \"{}\", {} lines; a quotation mark that is a letter \
         (an inch mark, say) takes the rows up to the next one into its cell: remove it, or write it twice in a cell \
         in quotation marks",
        rows.name(row),
        short_name(name),
        name.lines().count()
    ))
}

/// A class -1 in addition to classes from 0 on, as scikit-learn and UMAP mark rows without a class.
fn about_minus_one(table: &Table) -> Option<Warning> {
    let Target::Classes { labels, names } = &table.target else { return None };
    let class = names.iter().position(|name| name_key(name) == name_key("-1"))?;
    let mut others = names.iter().enumerate().filter(|(at, _)| *at != class);
    let counts = names.len() > 2
        && others.all(|(_, name)| name_key(name).parse::<f64>().is_ok_and(|number| number >= 0.0));
    let rows = labels.iter().filter(|label| **label == class).count();
    warning_if!(
        counts,
        ClassMinusOne,
        "{} of class {}, which is learned as a class; if it marks rows without one, as in scikit-learn, give \
         --unlabeled-class -1",
        number_of(rows, "row is", "rows are"),
        names[class]
    )
}

/// Columns that only number the rows.
fn about_identifiers(features: &Features) -> Option<Warning> {
    let named = |name: &str| {
        let name = name.to_lowercase();
        ["id", "index", "uuid", "rownum", "row_number", "unnamed: 0"].contains(&name.as_str())
            || name.ends_with("_id")
            || name.ends_with(" id")
    };
    let found: Vec<&str> = (0..features.columns())
        .filter(|&column| {
            let named = named(&features.names()[column]);
            counts_rows(features, column)
                || (named && are_distinct_whole(column_of(features, column)))
        })
        .map(|column| features.names()[column].as_str())
        .collect();
    let (columns, cure) = match found.len() {
        0 => return None,
        1 => ("the column", "it"),
        _ => ("the columns", "them"),
    };
    Some(warning!(
        Identifiers,
        "{columns} {} {} the rows rather than describe them, and {} used as a feature; --ignore leaves {cure} out, \
         --id carries one along",
        listed(&found),
        if found.len() == 1 { "numbers" } else { "number" },
        if found.len() == 1 { "is" } else { "are each" }
    ))
}

/// 0, 1, 2, … or 1, 2, 3, … from the first row to the last.
fn counts_rows(features: &Features, column: usize) -> bool {
    let (n, value) = (features.rows(), |row| features.value(row, column));
    n >= COUNTED_ROWS
        && (value(0) == 0.0 || value(0) == 1.0)
        && (1..n).all(|row| value(row) == value(row - 1) + 1.0)
}

fn are_distinct_whole(mut values: Vec<f64>) -> bool {
    values.sort_unstable_by(f64::total_cmp);
    values.iter().all(|value| value.fract() == 0.0)
        && values.windows(2).all(|pair| pair[0] != pair[1])
}

/// Columns that are copies of others.
fn about_copies(features: &Features) -> Option<Warning> {
    let mut met: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut copies = Vec::new();
    let constant = features.constant_columns();
    let mut hashes = vec![0xcbf2_9ce4_8422_2325_u64; features.columns()];
    features.each_row(|_, row| {
        for (hash, value) in hashes.iter_mut().zip(row) {
            let mixed = (*hash ^ (value + 0.0).to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *hash = mixed.rotate_left(23);
        }
    });
    for (column, hash) in hashes.into_iter().enumerate() {
        // Constant columns have a warning of their own.
        if constant.binary_search(&column).is_ok() {
            continue;
        }
        let alike = met.entry(hash).or_default();
        let original =
            alike.iter().find(|&&other| column_of(features, other) == column_of(features, column));
        match original {
            Some(&original) => copies.push((column, original)),
            None => alike.push(column),
        }
    }
    if copies.is_empty() {
        return None;
    }
    let name = |column: usize| short_name(&features.names()[column]);
    let pairs = copies.iter().map(|&(copy, of)| format!("{} = {}", name(copy), name(of)));
    Some(warning!(
        DuplicateColumns,
        "duplicate columns, which count twice before the fit; --ignore leaves one out: {}",
        joined(&pairs.collect::<Vec<_>>())
    ))
}

/// Fewer training rows than features.
fn about_few_rows(features: &Features, train: &[usize]) -> Option<Warning> {
    let (n, d) = (train.len(), features.columns());
    warning_if!(
        n < d,
        FewRows,
        "{} for {}: a map can set every row apart by chance, so trust held-out rows alone; a few --dim, more \
         --l2 or --encoder diagonal learn less of it",
        counted(n, "training row"),
        counted(d, "feature")
    )
}

/// The values of a column.
pub(super) fn column_of(features: &Features, column: usize) -> Vec<f64> {
    (0..features.rows()).map(|row| features.value(row, column)).collect()
}

/// `1 row is` or `3 rows are`.
pub(super) fn number_of(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

pub(super) fn listed(names: &[&str]) -> String {
    joined(&names.iter().map(|name| short_name(name)).collect::<Vec<_>>())
}

/// As [`listed`], of texts that are short.
pub(super) fn joined(texts: &[String]) -> String {
    let shown = texts[..texts.len().min(SHOWN)].join(", ");
    if texts.len() > SHOWN { format!("{shown}, … ({} in all)", texts.len()) } else { shown }
}

/// How a file was read, where that may be in doubt, with the options of this command.
pub(super) fn read_as(notes: &[Message], command: CommandKind) -> Vec<Warning> {
    let warning = |note: &Message| {
        Warning::new(WarningCode::ReadAs, note.text()).with_hint(hint_text(note.hints(), command))
    };
    notes.iter().map(warning).collect()
}

#[cfg(test)]
mod tests {
    use burn_nca_data::{CsvOptions, parse_csv};

    use super::*;

    fn of(text: &str) -> Vec<(WarningCode, String)> {
        let table = parse_csv("t.csv", text.as_bytes(), &CsvOptions::default()).unwrap();
        let train: Vec<usize> = (0..table.features.rows()).collect();
        let hints = hints(&table, (&train, &RowNames::default()), false);
        hints.into_iter().map(|hint| (hint.code, hint.text)).collect()
    }

    fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
        (0..count).map(row).collect()
    }

    #[test]
    fn a_quantity_that_is_read_as_classes_is_hinted_at() {
        let found =
            of(&format!("a,price\n{}", rows(60, |row| format!("{},{}\n", row % 7, row / 2))));
        let [(WarningCode::NumbersAsClasses, text)] = &found[..] else { panic!("{found:?}") };
        assert!(
            text.contains("\"price\" holds 30 whole numbers") && text.contains("--task regression")
        );
        let digits = of(&format!("a,y\n{}", rows(60, |row| format!("{},{}\n", row % 7, row % 10))));
        assert_eq!(digits, []);
    }

    #[test]
    fn a_class_of_several_lines_is_told_with_its_row() {
        let found = of("a,y\n1,x\n2,\"x\n3,y\n4,y\"\n5,x\n6,y\n");
        let [(WarningCode::MultilineClasses, text)] = &found[..] else { panic!("{found:?}") };
        let start =
            r#"1 class goes over several lines, the first in row 2: "x\n3,y\n4,y", 3 lines; "#;
        assert!(text.starts_with(start), "{text}");
        let table = parse_csv("t.csv", b"a,y\n1,\"u\nv\"\n2,w\n", &CsvOptions::default()).unwrap();
        let names = RowNames { places: Some(vec![6, 9]), ..RowNames::default() };
        let hints = hints(&table, (&[0, 1], &names), true);
        assert!(hints[0].text.contains("the first in row 7"), "{hints:?}");
        assert_eq!(of("a,y\n1,\"a,b\"\n2,x\n"), []);
    }

    #[test]
    fn a_class_that_may_mark_rows_without_one_is_hinted_at() {
        let of = |classes: [&str; 4]| {
            let rows = rows(40, |row| format!("{},{}\n", row * 7 % 31, classes[row % 4]));
            of(&format!("a,y\n{rows}"))
        };
        let [(WarningCode::ClassMinusOne, text)] = &of(["-1.0", "0.0", "1.0", "2.0"])[..] else {
            panic!()
        };
        assert!(text.starts_with("10 rows are of class -1.0"), "{text}");
        assert_eq!(of(["-1", "1", "-1", "1"]), []);
        assert_eq!(of(["-2", "-1", "0", "1"]), []);
    }

    #[test]
    fn columns_that_number_the_rows_or_stand_twice_are_named() {
        let text = rows(30, |row| {
            format!("{},{},{},{},{}\n", row + 1, 900 - 7 * row, row % 4, row % 4, row % 2)
        });
        let found = of(&format!("no,patient_id,a,b,y\n{text}"));
        let codes: Vec<WarningCode> = found.iter().map(|hint| hint.0).collect();
        assert_eq!(codes, [WarningCode::Identifiers, WarningCode::DuplicateColumns]);
        assert!(
            found[0].1.starts_with("the columns no, patient_id number the rows"),
            "{}",
            found[0].1
        );
        assert!(found[1].1.ends_with(": b = a"), "{}", found[1].1);
    }

    #[test]
    fn more_features_than_rows_are_said() {
        let found = of("a,b,c,y\n1,0,5,u\n2,3,1,v\n");
        assert_eq!(found.iter().map(|hint| hint.0).collect::<Vec<_>>(), [WarningCode::FewRows]);
        assert!(found[0].1.starts_with("2 training rows for 3 features"));
    }
}
