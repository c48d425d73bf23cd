//! Rows that are training rows but for rounding: of a table that was saved in f32, or to some decimals.

use burn_nca_learn::data::Features;

/// The share of the middle half of a column's values that is rounding: six decimals of values about 1.
const ROUNDING: f64 = 1e-6;

/// So many rows show how the values of a column are spread.
const SAMPLE: usize = 1000;

/// The most rows that are expected to be so near by chance.
const BY_CHANCE: f64 = 0.01;

/// The most comparisons of two rows.
const MOST_COMPARED: usize = 1 << 26;

/// Of each row that is not `seen`, the row of `train` that it is within rounding of in every column; none where chance
/// would put rows so near, or where too many would have to be compared.
pub(super) fn find(train: &Features, rows: &Features, seen: &[bool]) -> Vec<Option<usize>> {
    let mut found = vec![None; rows.rows()];
    let n = train.rows();
    let mut columns: Vec<Column> = (0..train.columns()).map(|at| Column::of(train, at)).collect();
    // Those that tell most rows apart first.
    columns.sort_by_key(|column| std::cmp::Reverse(column.distinct));
    let by_chance = columns.iter().fold(n as f64, |share, column| share * column.by_chance);
    let Some(&Column { at: key, distinct, tolerance, .. }) = columns.first() else { return found };
    if by_chance > BY_CHANCE || n.saturating_mul(rows.rows()) / distinct.max(1) > MOST_COMPARED {
        return found;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| train.value(a, key).total_cmp(&train.value(b, key)));
    for row in (0..rows.rows()).filter(|&row| !seen[row]) {
        let value = rows.value(row, key);
        let first = order.partition_point(|&other| train.value(other, key) < value - tolerance);
        let end = order.partition_point(|&other| train.value(other, key) <= value + tolerance);
        let is_near = |&&other: &&usize| {
            columns.iter().all(|&Column { at, tolerance, .. }| {
                (train.value(other, at) - rows.value(row, at)).abs() <= tolerance
            })
        };
        found[row] = order[first..end].iter().find(is_near).copied();
    }
    found
}

/// How the values of a column are spread, by a sample.
struct Column {
    at: usize,
    /// How far from a value its rounding may be.
    tolerance: f64,
    distinct: usize,
    /// The share of the rows that are within rounding of a row by chance.
    by_chance: f64,
}

impl Column {
    fn of(table: &Features, at: usize) -> Self {
        let rows = (0..table.rows()).step_by(table.rows().div_ceil(SAMPLE).max(1));
        let mut values: Vec<f64> = rows.map(|row| table.value(row, at)).collect();
        values.sort_unstable_by(f64::total_cmp);
        let sampled = values.len();
        let quartile = |of_four: usize| values.get(of_four * sampled / 4).copied().unwrap_or(0.0);
        let tolerance = ROUNDING * (quartile(3) - quartile(1));
        values.dedup();
        let distinct = values.len();
        let is_dense = 2 * distinct > sampled;
        let by_chance = if is_dense { 2.0 * ROUNDING } else { 1.0 / distinct as f64 };
        Self { at, tolerance, distinct, by_chance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_rounded_are_found_and_those_that_chance_puts_near_are_not() {
        let table = |seed: f64| {
            let value = move |at: usize, by: f64| (at as f64 * by + seed).sin();
            let row = move |at| [value(at, 7.3), 1e3 * value(at, 3.1), (at % 3) as f64];
            (0..90).flat_map(row).collect::<Vec<f64>>()
        };
        let grid = |step: f64| (0..90).flat_map(|at| [1.0, 2.0, at as f64 % 9.0 * step]).collect();
        let marked = |train: &[f64], rows: &[f64]| {
            let of = |values: &[f64]| Features::unnamed(values.to_vec(), 3).unwrap();
            let found = find(&of(train), &of(rows), &vec![false; rows.len() / 3]);
            assert!(found.iter().enumerate().all(|(row, of)| of.is_none_or(|of| of == row)));
            found.iter().flatten().count()
        };
        let train = table(0.5);
        let each = |change: fn(f64) -> f64| train.iter().map(|x| change(*x)).collect::<Vec<f64>>();
        let decimals = each(|x| (x * 1e6).round() / 1e6);
        assert_eq!((marked(&train, &decimals), marked(&decimals, &train)), (90, 90));
        assert_eq!(marked(&train, &each(|x| f64::from(x as f32))), 90);
        assert_eq!((marked(&train, &table(0.7)), marked(&train, &each(|x| x + 1e-3))), (0, 0));
        let (few, rows): (Vec<f64>, Vec<f64>) = (grid(1.0), grid(1.0 + 1e-9));
        assert_eq!((marked(&few, &rows), marked(&[], &rows)), (0, 0));
    }
}
