//! One line each about a target that a feature gives away, or that a few rows decide.

use std::hash::{DefaultHasher, Hash, Hasher};

use burn_nca_data::{Table, Target};
use burn_nca_learn::data::{Preparation, RawColumn, RawTable, RawValues, Split};

use super::SHOWN;
use crate::output::{listed, short_name, warning, warning_if};
use burn_nca_report::{RowNames, Warning};

/// Rows that each class has on average where one value for each of them is no coincidence.
const ROWS_PER_CLASS: usize = 3;

/// From so many rows on, a text that differs from row to row is a name.
const NAMED_ROWS: usize = 20;

/// The share of rows that may not decide the variance of a target, and the share of it that they may not make.
const FEW_ROWS: f64 = 0.01;
const MOST_OF_IT: f64 = 0.5;

/// The correlation of a feature that is a target in other units.
const SAME: f64 = 1.0 - 1e-9;

/// Features that are the target once more, and a numeric target that few rows decide or that is constant in the test;
/// `is_raw` where [`about_raw`] was asked of classes.
pub(super) fn about_target(
    table: &Table,
    split: &Split,
    (rows, is_raw): (&RowNames, bool),
) -> Vec<Warning> {
    let features = &table.features;
    let copies = |is_copy: &dyn Fn(&usize) -> bool| {
        let columns = (0..features.columns()).filter(is_copy);
        copies_warning(&columns.map(|at| features.names()[at].as_str()).collect::<Vec<_>>())
    };
    match &table.target {
        Target::Classes { labels, names } if !is_raw => {
            let of_class = |column: &usize| {
                let value = |row| Some((features.value(row, *column) + 0.0).to_bits());
                tells_classes((0..features.rows()).map(value), labels, names.len())
            };
            copies(&of_class).into_iter().collect()
        }
        Target::Numeric(values) => {
            let linear = |column: &usize| {
                let feature = |row| features.value(row, *column);
                correlation((0..values.len()).map(feature), values).is_some_and(|r| r.abs() > SAME)
            };
            let name = short_name(&table.target_name);
            copies(&linear)
                .into_iter()
                .chain(about_outliers(&name, values, rows))
                .chain(about_constant_test(&name, values, &split.test))
                .collect()
        }
        Target::Classes { .. } | Target::None => Vec::new(),
    }
}

/// Columns that are the classes in other words, or text that names the rows and is `used` all the same; `rows` are those with a
/// target.
///
/// To be asked before columns become features of 0 and 1.
pub(super) fn about_raw(
    (raw, used): (&RawTable, &Preparation),
    rows: &[usize],
    target: &Target,
) -> Vec<Warning> {
    let is_copy = |column: &&RawColumn| {
        let Target::Classes { labels, names } = target else { return false };
        tells_classes(rows.iter().map(|&row| key(column, row)), labels, names.len())
    };
    let is_name = |column: &&RawColumn| match column.values() {
        RawValues::Text(text) if used.columns().any(|name| name == column.name()) => {
            let filled = text.iter().flatten().count();
            filled >= NAMED_ROWS && text.distinct().len() == filled
        }
        RawValues::Text(_) | RawValues::Numbers(_) => false,
    };
    let copies: Vec<&str> = raw.columns().iter().filter(is_copy).map(RawColumn::name).collect();
    let names: Vec<&str> = raw.columns().iter().filter(is_name).map(RawColumn::name).collect();
    [copies_warning(&copies), names_warning(&names)].into_iter().flatten().collect()
}

/// What distinguishes the values of a column; `None` where one is missing.
fn key(column: &RawColumn, row: usize) -> Option<u64> {
    match column.values() {
        RawValues::Numbers(values) => {
            (!values[row].is_nan()).then(|| (values[row] + 0.0).to_bits())
        }
        RawValues::Text(text) => {
            let mut hasher = DefaultHasher::new();
            text.get(row)?.hash(&mut hasher);
            Some(hasher.finish())
        }
    }
}

/// Whether each class has one value, and each value one class.
fn tells_classes(
    values: impl Iterator<Item = Option<u64>>,
    labels: &[usize],
    classes: usize,
) -> bool {
    let mut of_class: Vec<Option<u64>> = vec![None; classes];
    let mut count = 0;
    for (value, &class) in values.zip(labels) {
        let Some(value) = value else { continue };
        count += 1;
        if *of_class[class].get_or_insert(value) != value {
            return false;
        }
    }
    let mut found: Vec<u64> = of_class.into_iter().flatten().collect();
    found.sort_unstable();
    found.dedup();
    classes > 1 && found.len() == classes && count >= ROWS_PER_CLASS * classes
}

/// Pearson's correlation; `None` where one of the two is constant, or there are too few rows for one.
fn correlation(x: impl Iterator<Item = f64> + Clone, y: &[f64]) -> Option<f64> {
    let n = y.len() as f64;
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / n;
    let (mx, my) = (mean(&mut x.clone()), mean(&mut y.iter().copied()));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.zip(y) {
        let (x, y) = (x - mx, y - my);
        (xx, yy, xy) = (xx + x * x, yy + y * y, xy + x * y);
    }
    let r = xy / (xx.sqrt() * yy.sqrt());
    (n >= 10.0 && r.is_finite()).then_some(r)
}

fn copies_warning(names: &[&str]) -> Option<Warning> {
    let (columns, tells, leaves) = plural(names, ["determines", "determine each"])?;
    Some(warning!(
        TargetCopy,
        "{columns} {} {tells} the target exactly, row by row; if that is a copy of the target, every score is \
         meaningless, and --ignore leaves {leaves} out",
        listed(names, SHOWN)
    ))
}

fn names_warning(names: &[&str]) -> Option<Warning> {
    let (columns, hold, them) = plural(names, ["holds", "hold"])?;
    Some(warning!(
        Identifiers,
        "{columns} {} {hold} a different text in each row, which carries no information about other rows; --ignore leaves {them} \
         out, --id carries one along",
        listed(names, SHOWN)
    ))
}

/// What columns of these names are called before and after a verb; `None` without any.
fn plural(
    names: &[&str],
    [one, many]: [&'static str; 2],
) -> Option<(&'static str, &'static str, &'static str)> {
    match names.len() {
        0 => None,
        1 => Some(("the column", one, "it")),
        _ => Some(("the columns", many, "them")),
    }
}

/// A target whose variance is that of a few rows: the median of the others is hardly learned.
fn about_outliers(name: &str, values: &[f64], names: &RowNames) -> Option<Warning> {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let mut squares: Vec<(f64, usize)> =
        values.iter().enumerate().map(|(row, y)| ((y - mean).powi(2), row)).collect();
    squares.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all: f64 = squares.iter().map(|square| square.0).sum();
    let few = ((FEW_ROWS * n as f64) as usize).max(1);
    let share = squares.iter().take(few).map(|square| square.0).sum::<f64>() / all;
    if n < NAMED_ROWS || share.is_nan() || share <= MOST_OF_IT {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let row = squares[0].1;
    let rows = if few == 1 { "1 row makes".into() } else { format!("{few} of {n} rows make") };
    Some(warning!(
        TargetOutliers,
        "{rows} {:.1} % of the variance of the target \"{name}\": {} in {}, where the median is {}; the fit and \
         every R² follow it, so correct the value, or remove the row, if it is an error",
        100.0 * share,
        values[row],
        names.name(row),
        sorted[n / 2]
    ))
}

/// Held-out rows of one and the same value have no variance that R² could be a share of.
fn about_constant_test(name: &str, values: &[f64], test: &[usize]) -> Option<Warning> {
    let first = values[*test.first()?];
    let constant = test.iter().all(|&row| values[row] == first);
    warning_if!(
        constant && test.len() > 1,
        ConstantTarget,
        "the target \"{name}\" is {first} in all {} held-out rows, so R² is undefined there (-); another --seed, \
         or a larger --test-size, holds out other rows",
        test.len()
    )
}

#[cfg(test)]
mod tests {
    use burn_nca_data::{CsvOptions, TargetKind, parse_csv};

    use super::*;

    /// What is said of a table of 60 rows, whose first column is `a`; the others have these heads and cells.
    fn of(task: TargetKind, heads: &str, cells: impl Fn(usize) -> String) -> String {
        let rows: String = (0..60).map(|row| format!("{},{}\n", row % 7, cells(row))).collect();
        let options = CsvOptions { task, ..CsvOptions::default() };
        let text = format!("a,{heads}\n{rows}");
        let table = parse_csv("t.csv", text.as_bytes(), &options).unwrap();
        let split = Split { train: (0..40).collect(), test: (40..60).collect() };
        let found = about_target(&table, &split, (&RowNames::default(), false));
        found.into_iter().map(|warning| warning.text).collect()
    }

    #[test]
    fn a_feature_that_is_the_target_in_other_numbers_is_named() {
        let class = |row: usize| ["u", "v", "w"][row % 3];
        let code = |row| format!("{},{}", 9 - row % 3, class(row));
        let found = of(TargetKind::Classes, "code,y", code);
        assert!(found.starts_with("the column code determines the target"), "{found}");
        // One class of two values, and one value of two classes.
        let coarse = |row| format!("{},{},{}", row % 6, row % 3 / 2, class(row));
        assert_eq!(of(TargetKind::Classes, "b,c,y", coarse), "");
        let y = |row: usize| (row * row % 17) as f64;
        let units = |row| format!("{},{}", 32.0 + 1.8 * y(row), y(row));
        let found = of(TargetKind::Numeric, "fahrenheit,y", units);
        assert!(found.starts_with("the column fahrenheit determines"), "{found}");
        let near = |row| format!("{},{}", y(row) + 1e-3 * (row % 2) as f64, y(row));
        assert_eq!(of(TargetKind::Numeric, "b,y", near), "");
    }

    #[test]
    fn a_row_that_makes_the_variance_and_held_out_rows_of_one_value_are_named() {
        let of = |y: &dyn Fn(usize) -> f64| of(TargetKind::Numeric, "y", |row| y(row).to_string());
        let found = of(&|row| if row == 8 { 1e6 } else { (row % 5) as f64 });
        assert!(found.starts_with("1 row makes 98.3 % of the variance"), "{found}");
        assert!(found.contains("1000000 in row 9, where the median is 2"), "{found}");
        let found = of(&|row| if row < 40 { (row % 5) as f64 } else { 3.0 });
        assert!(found.contains("is 3 in all 20 held-out rows"), "{found}");
    }
}
