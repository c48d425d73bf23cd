//! One line each about tables that are likely not meant as they are read.

use burn_nca_data::{Message, Table, Target};
use burn_nca_learn::data::{Features, name_key};

use super::SHOWN;
use super::similar_names::about_similar_classes;
use crate::hint::{CommandKind, hint_text};
use crate::output::{first_of, listed, short_name, warning, warning_if};
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
    let (columns, number, are, cure) = match found.len() {
        0 => return None,
        1 => ("the column", "numbers", "is", "it"),
        _ => ("the columns", "number", "are each", "them"),
    };
    Some(warning!(
        Identifiers,
        "{columns} {} {number} the rows rather than describe them, and {are} used as a feature; --ignore leaves {cure} out, \
         --id carries one along",
        listed(&found, SHOWN)
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

fn about_copies(features: &Features) -> Option<Warning> {
    let mut hashes = vec![0xcbf2_9ce4_8422_2325_u64; features.columns()];
    features.each_row(|_, row| {
        for (hash, value) in hashes.iter_mut().zip(row) {
            let mixed = (*hash ^ (value + 0.0).to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *hash = mixed.rotate_left(23);
        }
    });
    // Constant columns have a warning of their own.
    let constant = features.constant_columns();
    let varied = (0..features.columns()).filter(|column| constant.binary_search(column).is_err());
    let mut columns: Vec<usize> = varied.collect();
    columns.sort_by_key(|&column| hashes[column]);
    let alike = columns.chunk_by(|&a, &b| {
        hashes[a] == hashes[b] && column_of(features, a) == column_of(features, b)
    });
    let copies = alike.flat_map(|alike| alike[1..].iter().map(|&copy| (copy, alike[0])));
    let mut copies: Vec<(usize, usize)> = copies.collect();
    copies.sort_unstable();
    let name = |column: usize| short_name(&features.names()[column]);
    let pairs = copies.into_iter().map(|(copy, of)| format!("{} = {}", name(copy), name(of)));
    let pairs: Vec<String> = pairs.collect();
    warning_if!(
        !pairs.is_empty(),
        DuplicateColumns,
        "duplicate columns, which count twice before the fit; --ignore leaves one out: {}",
        first_of(&pairs, SHOWN)
    )
}

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

pub(super) fn column_of(features: &Features, column: usize) -> Vec<f64> {
    (0..features.rows()).map(|row| features.value(row, column)).collect()
}

/// `1 row is` or `3 rows are`.
pub(super) fn number_of(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
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
    use burn_nca_report::WarningCode::*;

    use super::*;

    #[test]
    fn what_may_be_meant_otherwise_is_named_and_nothing_else() {
        let said = |expected: &[WarningCode], head: &str, row: &dyn Fn(usize) -> String| {
            let text = format!("{head}\n{}", (0..60).map(row).collect::<String>());
            let table = parse_csv("t.csv", text.as_bytes(), &CsvOptions::default()).unwrap();
            let train: Vec<usize> = (0..table.features.rows()).collect();
            let found = hints(&table, (&train, &RowNames::default()), false);
            let codes: Vec<WarningCode> = found.iter().map(|hint| hint.code).collect();
            assert_eq!(codes, expected, "{found:?}");
        };
        said(&[NumbersAsClasses], "a,price", &|row| format!("{},{}\n", row % 7, row / 2));
        said(&[], "a,digit", &|row| format!("{},{}\n", row % 7, row % 10));
        said(&[MultilineClasses], "a,y", &|row| format!("{},\"{}\nx\"\n", row % 7, row % 2));
        said(&[], "a,y", &|row| format!("{},\"a,{}\"\n", row % 7, row % 2));
        let of = |classes: [&'static str; 4]| {
            move |row| format!("{},{}\n", row * 7 % 31, classes[row % 4])
        };
        said(&[ClassMinusOne], "a,y", &of(["-1.0", "0.0", "1.0", "2.0"]));
        said(&[], "a,y", &of(["-1", "1", "-1", "1"]));
        said(&[], "a,y", &of(["-2", "-1", "0", "1"]));
        said(&[Identifiers, DuplicateColumns], "no,patient_id,a,b,y", &|row| {
            format!("{},{},{},{},{}\n", row + 1, 900 - 7 * row, row % 4, row % 4, row % 2)
        });
        let wide: String = (0..61).map(|column| format!("c{column},")).collect();
        said(&[FewRows], &format!("{wide}y"), &|row| {
            (0..61).map(|column| format!("{},", (row + 2) * (column + 3) % 67)).collect::<String>()
                + "u\n"
        });
    }
}
