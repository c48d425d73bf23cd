//! Rows of features of which most are 0: word counts, say.

use rayon::prelude::*;

use super::sparse_rows::starts_of;
use crate::{Error, Features, Result};

const TASK_ROWS: usize = 64;

/// The most values that are written out.
const MOST_DENSE: usize = 1 << 30;

/// Rows of features, of which only those that are not 0 are stored (compressed sparse rows).
///
/// # Examples
/// ```
/// use burn_nca_data::SparseFeatures;
///
/// let counts = SparseFeatures::new([2, 5], vec![(0, 1, 3.0), (1, 0, 4.0), (1, 4, 3.0)])?;
/// assert_eq!((counts.rows(), counts.columns(), counts.entries()), (2, 5, 3));
/// let unit = counts.with_unit_rows();
/// assert_eq!(unit.row(1).collect::<Vec<_>>(), [(0, 0.8), (4, 0.6)]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SparseFeatures {
    /// The entries of row i are `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    width: usize,
}

impl SparseFeatures {
    /// Rows `[n, d]` with these entries `(row, column, value)`, counted from 0, in any order; all others are 0.
    ///
    /// # Errors
    /// No column, an entry outside, one that occurs twice, or a value that is not finite.
    pub fn new([rows, columns]: [usize; 2], mut entries: Vec<(usize, usize, f64)>) -> Result<Self> {
        check_width(columns)?;
        for &(row, column, value) in &entries {
            check_entry([rows, columns], row, column, value)?;
        }
        entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
        let twice = entries.windows(2).find(|two| (two[0].0, two[0].1) == (two[1].0, two[1].1));
        if let Some(&[(row, column, _), _]) = twice {
            return Err(two_entries(row, column));
        }
        Ok(Self {
            starts: starts_of(rows, entries.iter().map(|entry| entry.0)),
            columns: entries.iter().map(|entry| entry.1 as u32).collect(),
            values: entries.iter().map(|entry| entry.2).collect(),
            width: columns,
        })
    }

    /// Rows in compressed form: the entries of row i are those from `starts[i]` to `starts[i + 1]` (`indptr`, `indices`
    /// and `data` of a `scipy.sparse.csr_array`), by column or not.
    ///
    /// # Errors
    /// As [`new`](Self::new); or starts that do not begin at 0, fall, or do not end with the number of entries.
    pub fn from_csr(
        width: usize,
        starts: Vec<usize>,
        columns: Vec<usize>,
        mut values: Vec<f64>,
    ) -> Result<Self> {
        check_width(width)?;
        let ends = (starts.first(), starts.last());
        if columns.len() != values.len() || ends != (Some(&0), Some(&values.len())) {
            return Err(Error::data(format!(
                "compressed rows have {} starts, {} columns and {} values; give a start more than rows, the first 0 and \
                 the last the number of values, and a column for each value",
                starts.len(),
                columns.len(),
                values.len()
            )));
        }
        if let Some(row) = starts.windows(2).position(|two| two[0] > two[1]) {
            return Err(Error::data(format!(
                "row {} ends at entry {} and begins at {}; give starts that do not fall",
                row + 1,
                starts[row + 1],
                starts[row]
            )));
        }
        let size = [starts.len() - 1, width];
        let mut sorted = Vec::with_capacity(columns.len());
        for (row, span) in starts.windows(2).enumerate() {
            let (start, columns) = (span[0], &columns[span[0]..span[1]]);
            let entries = columns.iter().copied().zip(values[start..].iter().copied());
            let mut entries: Vec<(usize, f64)> = entries.collect();
            entries.sort_by_key(|entry| entry.0);
            for (at, &(column, value)) in entries.iter().enumerate() {
                check_entry(size, row, column, value)?;
                if at > 0 && entries[at - 1].0 == column {
                    return Err(two_entries(row, column));
                }
                sorted.push(column as u32);
                values[start + at] = value;
            }
        }
        Ok(Self { starts, columns: sorted, values, width })
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        self.width
    }

    /// Number of entries that are stored.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The entries `(column, value)` of a row, by column.
    ///
    /// # Panics
    /// If `row` is not below [`rows`](Self::rows).
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let span = self.starts[row]..self.starts[row + 1];
        let columns = self.columns[span.clone()].iter().map(|column| *column as usize);
        columns.zip(self.values[span].iter().copied())
    }

    /// The rows `rows`, in that order.
    ///
    /// # Panics
    /// If a row is not below [`rows`](Self::rows).
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        self.with_rows(rows.iter().map(|&row| self.row(row)))
    }

    fn with_rows<I: Iterator<Item = (usize, f64)>>(&self, rows: impl Iterator<Item = I>) -> Self {
        let mut made = Self { starts: vec![0], columns: vec![], values: vec![], width: self.width };
        for row in rows {
            for (column, value) in row {
                made.columns.push(column as u32);
                made.values.push(value);
            }
            made.starts.push(made.values.len());
        }
        made
    }

    /// The rows scaled to length 1; rows of zeros stay.
    #[must_use]
    pub fn with_unit_rows(mut self) -> Self {
        for row in 0..self.rows() {
            let values = &mut self.values[self.starts[row]..self.starts[row + 1]];
            let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
            if length > 0.0 {
                values.iter_mut().for_each(|value| *value /= length);
            }
        }
        self
    }

    /// The same rows with these columns, in ascending order, empty.
    #[doc(hidden)]
    pub fn cleared(&self, columns: &[usize]) -> Self {
        let keeps = |(column, _): &(usize, f64)| columns.binary_search(column).is_err();
        self.with_rows((0..self.rows()).map(|row| self.row(row).filter(keeps)))
    }

    /// The root of the sum of all squares.
    #[doc(hidden)]
    pub fn norm(&self) -> f64 {
        let unit = self.values.iter().fold(0.0, |unit: f64, value| unit.max(value.abs()));
        let squares = self.values.iter().map(|value| (value / unit).powi(2));
        if unit > 0.0 { unit * squares.sum::<f64>().sqrt() } else { 0.0 }
    }

    /// The mean of each column, `[d]`.
    pub fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.width];
        for (column, value) in self.columns.iter().zip(&self.values) {
            mean[*column as usize] += value;
        }
        let n = self.rows().max(1) as f64;
        mean.iter_mut().for_each(|sum| *sum /= n);
        mean
    }

    /// All of it, zeros written out.
    ///
    /// # Errors
    /// More than 2^30 values (8 GiB), or as [`Features::unnamed`].
    pub fn to_dense(&self) -> Result<Features> {
        if self.rows().checked_mul(self.width).is_none_or(|values| values > MOST_DENSE) {
            return Err(Error::data(format!(
                "{} x {} sparse features are more than 2^30 values with their zeros written out; keep them sparse",
                self.rows(),
                self.width
            )));
        }
        let mut values = vec![0.0; self.rows() * self.width];
        for (row, target) in values.chunks_exact_mut(self.width).enumerate() {
            self.row(row).for_each(|(column, value)| target[column] = value);
        }
        Features::unnamed(values, self.width)
    }

    /// Columns as rows and rows as columns.
    #[doc(hidden)]
    pub fn transposed(&self) -> Self {
        let starts = starts_of(self.width, self.columns.iter().map(|column| *column as usize));
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0; self.values.len()], vec![0.0; self.values.len()]);
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                let at = next[column];
                (columns[at], values[at]) = (row as u32, value);
                next[column] += 1;
            }
        }
        Self { starts, columns, values, width: self.rows() }
    }

    /// The product with a row-major matrix `[d, k]`, row-major `[n, k]`.
    ///
    /// # Panics
    /// If k is 0, or the matrix has fewer rows than there are columns.
    #[doc(hidden)]
    pub fn product(&self, right: &[f64], k: usize) -> Vec<f64> {
        let mut result = vec![0.0; self.rows() * k];
        result.par_chunks_mut(TASK_ROWS * k).enumerate().for_each(|(block, target)| {
            for (at, target) in target.chunks_exact_mut(k).enumerate() {
                for (column, value) in self.row(block * TASK_ROWS + at) {
                    let row = &right[column * k..][..k];
                    target.iter_mut().zip(row).for_each(|(sum, x)| *sum += value * x);
                }
            }
        });
        result
    }
}

fn check_width(width: usize) -> Result<()> {
    let most = u32::MAX;
    if width > 0 && u32::try_from(width).is_ok() {
        return Ok(());
    }
    Err(Error::data(format!("sparse features have {width} columns; give from 1 to {most} columns")))
}

fn check_entry([rows, columns]: [usize; 2], row: usize, column: usize, value: f64) -> Result<()> {
    let (row_number, number) = (row + 1, column + 1);
    if row >= rows || column >= columns {
        return Err(Error::data(format!(
            "there is an entry in row {row_number}, column {number} of {rows} x {columns} features; correct it"
        )));
    }
    if !value.is_finite() {
        return Err(Error::data(format!(
            "row {row_number}, column {number} is {value}; remove the entry or fill the value in"
        )));
    }
    Ok(())
}

fn two_entries(row: usize, column: usize) -> Error {
    Error::data(format!(
        "row {}, column {} has two entries; keep one of them, or their sum",
        row + 1,
        column + 1
    ))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn table() -> SparseFeatures {
        let entries = vec![(2, 3, 5.0), (0, 1, 1.0), (0, 0, -2.0), (2, 0, 4.0)];
        SparseFeatures::new([3, 4], entries).unwrap()
    }

    #[test]
    fn products_and_the_transpose_are_those_of_the_dense_table() {
        let sparse = table();
        let dense = sparse.to_dense().unwrap();
        assert_eq!(dense.values(), [-2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 5.0]);
        let right: Vec<f64> = (0..8).map(|i| f64::from(i) - 2.5).collect();
        assert_eq!(sparse.product(&right, 2), [4.5, 3.5, 0.0, 0.0, 7.5, 16.5]);
        let turned = sparse.transposed();
        assert_eq!((turned.rows(), turned.columns()), (4, 3));
        assert_eq!(turned.transposed(), sparse);
        assert_eq!(sparse.mean(), [2.0 / 3.0, 1.0 / 3.0, 0.0, 5.0 / 3.0]);
        assert_eq!(sparse.select(&[2, 1]).to_dense().unwrap().row(0), dense.row(2));
    }

    #[test]
    fn compressed_rows_are_sorted_and_their_starts_checked() {
        let of = |starts: &[usize], columns: &[usize], values: &[f64]| {
            SparseFeatures::from_csr(4, starts.into(), columns.into(), values.into())
        };
        assert_eq!(of(&[0, 2, 2, 4], &[1, 0, 3, 0], &[1.0, -2.0, 5.0, 4.0]).unwrap(), table());
        assert_eq!(of(&[0], &[], &[]).unwrap().rows(), 0);
        for starts in [&[][..], &[1, 2], &[0, 1], &[0, 3]] {
            assert!(of(starts, &[0, 1], &[1.0, 2.0]).is_err(), "{starts:?}");
        }
    }

    #[test]
    fn products_of_one_task_and_of_several_are_those_of_the_dense_table() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (n, d, k) in [(0, 3, 2), (1, 1, 1), (63, 5, 1), (64, 7, 3), (65, 7, 2), (300, 40, 5)] {
            let right: Vec<f64> = (0..d * k).map(|_| rng.random_range(-1.0..1.0)).collect();
            // Every third column is empty, and some rows.
            let places =
                (0..n * d).map(|at| (at / d, at % d)).filter(|(_, column)| column % 3 != 1);
            let entries = places.map(|(row, column)| (row, column, rng.random_range(-4.0..1.0)));
            let entries = entries.filter(|(_, _, x)| *x > 0.0).collect();
            let sparse = SparseFeatures::new([n, d], entries).unwrap();
            let dense = sparse.to_dense().unwrap();
            let value = |at: usize| -> f64 {
                (0..d).map(|column| dense.value(at / k, column) * right[column * k + at % k]).sum()
            };
            let expected: Vec<f64> = (0..n * k).map(value).collect();
            assert_eq!(sparse.product(&right, k), expected, "{n} x {d} to {k}");
        }
    }
}
