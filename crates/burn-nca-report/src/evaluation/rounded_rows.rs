//! Rows that are training rows but for rounding: of a table that was saved in f32, or to some decimals.

use std::cell::OnceCell;

use burn_nca_learn::data::Features;

/// The share of the middle half of a column's values that is rounding: six decimals of values about 1.
const ROUNDING: f64 = 1e-6;

/// So many rows show how the values of a column are spread.
const SAMPLE: usize = 1000;

/// So many columns tell most rows apart; the others are looked at where these do not.
const COLUMNS: usize = 64;

/// The most rows that are expected to be so near by chance.
const BY_CHANCE: f64 = 0.01;

/// The most comparisons of two rows.
const MOST_COMPARED: usize = 1 << 26;

/// Of each row that is not `seen`, the row of `train` that it is within rounding of in every column; none where chance
/// would put rows so near, or where too many would have to be compared.
pub(super) fn find(train: &Features, rows: &Features, seen: &[bool]) -> Vec<Option<usize>> {
    let mut found = vec![None; rows.rows()];
    let n = train.rows();
    let d = train.columns();
    let known: Vec<OnceCell<Column>> = vec![OnceCell::new(); d];
    let column = |at: usize| known[at].get_or_init(|| Column::of(train, at));
    let mut some: Vec<usize> = (0..d).step_by(d.div_ceil(COLUMNS).max(1)).collect();
    let by_chance = some.iter().fold(n as f64, |share, &at| share * column(at).by_chance());
    // Those that tell most rows apart first.
    some.sort_by_key(|&at| std::cmp::Reverse(column(at).distinct));
    let Some(&key) = some.first() else { return found };
    let compared = n.saturating_mul(rows.rows()) / column(key).distinct.max(1);
    if by_chance > BY_CHANCE || compared > MOST_COMPARED {
        return found;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| train.value(a, key).total_cmp(&train.value(b, key)));
    // Side by side: in a large table each row is far from the next.
    let sorted = |at: usize| order.iter().map(|&row| train.value(row, at)).collect::<Vec<f64>>();
    let (keys, second) = (sorted(key), some.get(1).copied().unwrap_or(key));
    let seconds = sorted(second);
    let is_near_in = |at: usize, value: f64, row: usize| {
        (value - rows.value(row, at)).abs() <= column(at).tolerance
    };
    let is_near = |row: usize, other: usize| {
        let is_near_in = |at: usize| is_near_in(at, train.value(other, at), row);
        some.iter().copied().all(is_near_in) && (0..d).all(is_near_in)
    };
    for row in (0..rows.rows()).filter(|&row| !seen[row]) {
        let (value, tolerance) = (rows.value(row, key), column(key).tolerance);
        let first = keys.partition_point(|key| *key < value - tolerance);
        let end = keys.partition_point(|key| *key <= value + tolerance);
        let mut near = (first..end).filter(|&at| is_near_in(second, seconds[at], row));
        found[row] = near.find(|&at| is_near(row, order[at])).map(|at| order[at]);
    }
    found
}

/// How the values of a column are spread, by a sample.
#[derive(Clone)]
struct Column {
    /// How far from a value its rounding may be.
    tolerance: f64,
    distinct: usize,
    sampled: usize,
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
        Self { tolerance, distinct: values.len(), sampled }
    }

    /// The share of the rows that are within rounding of a row by chance.
    fn by_chance(&self) -> f64 {
        if 2 * self.distinct > self.sampled { 2.0 * ROUNDING } else { 1.0 / self.distinct as f64 }
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
