//! One line each about columns whose values are likely no measurements: marks of missing values, slips, dates.

use burn_nca_learn::data::Features;

use super::SHOWN;
use super::hints::column_of;
use crate::output::{first_of, listed, short_name, warning_if};
use burn_nca_report::{RowNames, Warning};

/// From so many rows on, the values of a column say what is usual in it.
const ROWS: usize = 20;

/// A single value that lies so many ranges of all others away from them is a slip.
const FAR: f64 = 100.0;

/// So many distinct values among the others make a range that means something.
const DISTINCT: usize = 10;

pub(super) fn about_values(features: &Features, rows: &RowNames) -> Vec<Warning> {
    if features.rows() < ROWS {
        return Vec::new();
    }
    let (mut marks, mut slips, mut dates) = (Vec::new(), Vec::new(), Vec::new());
    for (column, name) in features.names().iter().enumerate() {
        let mut values = column_of(features, column);
        values.sort_unstable_by(f64::total_cmp);
        match extreme(&values) {
            Some((value, count, _)) if count > 1 && is_mark(value) => {
                marks.push(format!("{} {count} times in {}", shown(value), short_name(name)));
            }
            Some((value, 1, ranges)) if ranges > FAR => {
                let row = (0..features.rows()).find(|&row| features.value(row, column) == value);
                let row = rows.name(row.unwrap_or_default());
                slips.push(format!("{} in {row} of {}", shown(value), short_name(name)));
            }
            _ => {}
        }
        if values.iter().all(|value| is_day(*value)) && distinct(&values) >= DISTINCT {
            dates.push(name.as_str());
        }
    }
    let columns = if dates.len() == 1 { "the column" } else { "the columns" };
    let all = [
        warning_if!(
            !marks.is_empty(),
            PlaceholderValues,
            "far from all other values: {}; if that marks a missing value, it is used as a number here: leave \
             the cells empty, and give --missing",
            first_of(&marks, SHOWN)
        ),
        warning_if!(
            !slips.is_empty(),
            FeatureOutliers,
            "a single value lies {FAR} times as far off as all others spread: {}; scaling makes the others \
             nearly equal, so correct the value, or remove the row, if it is an error",
            first_of(&slips, SHOWN)
        ),
        warning_if!(
            !dates.is_empty(),
            DatesAsNumbers,
            "{columns} {} look like days written as 20240131, whose differences are no numbers of days; write what \
             matters of them as numbers (the year, the day of the week, days since a start), or --ignore them",
            listed(&dates, SHOWN)
        ),
    ];
    all.into_iter().flatten().collect()
}

/// The end of sorted values that lies farther off, if it lies a range of all others away from enough of these: its value, how
/// often it occurs, and how far it is from the nearest other value, in ranges of the others.
fn extreme(sorted: &[f64]) -> Option<(f64, usize, f64)> {
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let low = sorted.iter().take_while(|value| **value == first).count();
    let high = sorted.iter().rev().take_while(|value| **value == last).count();
    let of = |value: f64, count: usize, others: &[f64]| {
        let (from, to) = (*others.first()?, *others.last()?);
        let ranges = (from - value).max(value - to) / (to - from);
        (distinct(others) >= DISTINCT && ranges > 1.0).then_some((value, count, ranges))
    };
    let ends = [of(first, low, &sorted[low..]), of(last, high, &sorted[..sorted.len() - high])];
    ends.into_iter().flatten().max_by(|a, b| a.2.total_cmp(&b.2))
}

fn shown(value: f64) -> String {
    if value.abs() < 1e15 { value.to_string() } else { format!("{value:e}") }
}

fn distinct(sorted: &[f64]) -> usize {
    sorted.chunk_by(|a, b| a == b).count()
}

/// Whether a number is one that programs write in the place of a value: nines throughout, or beyond all measures.
fn is_mark(value: f64) -> bool {
    let digits = value.abs().to_string();
    let nines = digits.len() >= 2 && digits.bytes().all(|byte| matches!(byte, b'9' | b'.'));
    nines || value.abs() >= 1e30
}

fn is_day(value: f64) -> bool {
    let (month, day) = ((value / 100.0).floor() % 100.0, value % 100.0);
    (19_000_101.0..=21_001_231.0).contains(&value)
        && value.fract() == 0.0
        && (1.0..=12.0).contains(&month)
        && (1.0..=31.0).contains(&day)
}

#[cfg(test)]
mod tests {
    use burn_nca_report::WarningCode::{self, *};

    use super::*;

    #[test]
    fn marks_slips_and_days_are_named_and_nothing_else() {
        let said = |expected: &[WarningCode], value: &dyn Fn(usize) -> f64| {
            let features = Features::new((0..40).map(value).collect(), vec!["a".into()]).unwrap();
            let found = about_values(&features, &RowNames::default());
            let codes: Vec<WarningCode> = found.iter().map(|warning| warning.code).collect();
            assert_eq!(codes, expected, "{found:?}");
        };
        let marked =
            |mark: f64| move |row: usize| if row % 9 == 4 { mark } else { row as f64 / 4.0 };
        for mark in [-999.0, 9999.0, -99.9, 1e30] {
            said(&[PlaceholderValues], &marked(mark));
        }
        // A value within the range, a percentage, a rare event.
        said(&[], &marked(20.0));
        said(&[], &|row| if row % 9 == 4 { 99.0 } else { row as f64 * 2.0 });
        said(&[], &|row| if row % 9 == 4 { 999.0 } else { 0.0 });
        said(&[FeatureOutliers], &|row| if row == 7 { 1e6 } else { row as f64 });
        said(&[], &|row| if row == 7 { 1e3 } else { row as f64 });
        said(&[DatesAsNumbers], &|row| (20_240_101 + row % 28 + 100 * (row % 12)) as f64);
        said(&[], &|row| (20_241_301 + row) as f64);
    }
}
