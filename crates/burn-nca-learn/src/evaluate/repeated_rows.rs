//! Rows that occur more than once: copies of training rows make a score optimistic.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use crate::data::Features;

/// A number for every row of each table, from 0 on: equal rows, of the same table or of another, have the same number.
///
/// Rows are equal where all their values are; 0 and -0 are equal. In time proportional to the number of values.
///
/// # Panics
/// If the tables have different numbers of columns.
///
/// # Examples
/// ```
/// use burn_nca_learn::data::Features;
/// use burn_nca_learn::evaluate::row_numbers;
///
/// let train = Features::unnamed(vec![1.0, 2.0, 1.0], 1)?;
/// let test = Features::unnamed(vec![2.0, 5.0], 1)?;
/// assert_eq!(row_numbers(&[&train, &test]), [vec![0, 1, 0], vec![1, 2]]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
pub fn row_numbers(tables: &[&Features]) -> Vec<Vec<usize>> {
    let columns = tables.first().map_or(0, |table| table.columns());
    // The rows of each hash: their number, and where the first of them is.
    let mut known: HashMap<u64, Vec<(usize, [usize; 2])>> = HashMap::new();
    let mut distinct = 0;
    let numbered = |(at, table): (usize, &&Features)| {
        assert_eq!(table.columns(), columns, "rows of different numbers of columns");
        let mut numbers = Vec::with_capacity(table.rows());
        table.each_row(|row, values| {
            let same = known.entry(hash(values)).or_default();
            let equal = |&&(_, [table, row]): &&(usize, [usize; 2])| {
                (0..columns).all(|column| tables[table].value(row, column) == values[column])
            };
            let number = same.iter().find(equal).map(|(number, _)| *number);
            numbers.push(number.unwrap_or_else(|| {
                same.push((distinct, [at, row]));
                distinct += 1;
                distinct - 1
            }));
        });
        numbers
    };
    tables.iter().enumerate().map(numbered).collect()
}

/// Which rows of `test` are rows of `train`, too: [`row_numbers`].
///
/// # Panics
/// If the tables have different numbers of columns.
pub fn seen_rows(train: &Features, test: &Features) -> Vec<bool> {
    let numbers = row_numbers(&[train, test]);
    let learned = numbers[0].iter().max().map_or(0, |largest| largest + 1);
    numbers[1].iter().map(|number| *number < learned).collect()
}

fn hash(row: &[f64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Adding 0 turns -0 into 0: the two are equal, their bits are not.
    row.iter().for_each(|value| hasher.write_u64((value + 0.0).to_bits()));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(values: &[f64]) -> Features {
        Features::unnamed(values.to_vec(), 2).unwrap()
    }

    #[test]
    fn rows_are_equal_where_all_their_values_are() {
        let train = table(&[0.0, 1.0, 2.0, 3.0, -0.0, 1.0, 1.0, 0.0]).narrowed();
        let test = table(&[2.0, 3.0, 0.0, 1.0, 2.0, 3.0f64.next_up(), 9.0, 9.0]);
        assert_eq!(row_numbers(&[&train, &test]), [vec![0, 1, 0, 2], vec![1, 0, 3, 4]]);
        assert_eq!(seen_rows(&train, &test), [true, true, false, false]);
        assert_eq!(seen_rows(&train, &table(&[])), [false; 0]);
        assert_eq!(seen_rows(&table(&[]), &train), [false; 4]);
    }

    proptest! {
        #[test]
        fn copies_are_those_of_a_comparison_of_all_pairs(
            a in prop::collection::vec(0u8..4, 0..60),
            b in prop::collection::vec(0u8..4, 0..60),
        ) {
            let of = |values: &[u8]| {
                let values = values[..values.len() / 2 * 2].iter().map(|&x| f64::from(x));
                table(&values.collect::<Vec<_>>())
            };
            let (a, b) = (of(&a), of(&b));
            let seen = |row| (0..a.rows()).any(|other| a.row(other) == b.row(row));
            let expected: Vec<bool> = (0..b.rows()).map(seen).collect();
            prop_assert_eq!(&seen_rows(&a, &b), &expected);
            prop_assert_eq!(seen_rows(&a.narrowed(), &b), expected);
        }
    }
}
