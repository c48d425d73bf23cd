//! A table of features, `[n, d]`, with the names of its columns.

use rayon::prelude::*;

use super::compact::Compact;
use super::feature_values::FeatureValues;
use crate::{Error, Result};

const TASK_VALUES: usize = 1 << 16;

/// Values of a block of rows that is looked at in f64.
const BLOCK_VALUES: usize = 1 << 16;

/// Rows of numeric features on the host, row-major, in f64.
///
/// Copies share the values, as does the selection of all rows in their order. Values that fit in four bytes each are stored in
/// them ([`FeaturesBuilder`](super::FeaturesBuilder)), and scaled as rows are looked at, to the same bits.
/// [`values`](Self::values) and [`row`](Self::row) make all of them f64, once; [`each_row`](Self::each_row),
/// [`copy_row`](Self::copy_row) and [`value`](Self::value) do not.
///
/// # Examples
/// ```
/// use burn_nca_data::Features;
///
/// let x = Features::new(vec![1.0, 2.0, 3.0, 4.0], vec!["width".into(), "height".into()])?;
/// assert_eq!((x.rows(), x.columns()), (2, 2));
/// assert_eq!(x.row(1), [3.0, 4.0]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Features {
    pub(super) values: FeatureValues,
    pub(super) names: Vec<String>,
}

impl PartialEq for Features {
    fn eq(&self, other: &Self) -> bool {
        let rows = self.rows();
        self.names == other.names
            && rows == other.rows()
            && (0..rows).all(|row| {
                (0..self.columns()).all(|at| self.value(row, at) == other.value(row, at))
            })
    }
}

impl Features {
    /// Features from row-major `values`, one name per column.
    ///
    /// # Errors
    /// No column, a number of values that is not a multiple of the columns, a name that occurs twice,
    /// or a value that is not finite (its row and column are named).
    pub fn new(values: Vec<f64>, names: Vec<String>) -> Result<Self> {
        Self::checked(FeatureValues::wide(values), names)
    }

    /// The same from values in f32; a large table stays in f32.
    ///
    /// # Errors
    /// As [`Features::new`].
    pub fn from_f32(values: Vec<f32>, names: Vec<String>) -> Result<Self> {
        Self::from_compact(Compact::of_singles(values), names)
    }

    pub(super) fn from_compact(values: Compact, names: Vec<String>) -> Result<Self> {
        Self::checked(FeatureValues::narrow(values, names.len()), names)
    }

    fn checked(values: FeatureValues, names: Vec<String>) -> Result<Self> {
        let columns = names.len();
        if columns == 0 {
            return Err(Error::data("the data have no feature column; at least one is needed"));
        }
        if !values.len().is_multiple_of(columns) {
            return Err(Error::data(format!(
                "{} values do not fill rows of {columns} columns; give rows x columns values",
                values.len()
            )));
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::data(format!(
                "duplicate column name {:?}; rename one of the two columns",
                twice[0]
            )));
        }
        let features = Self { values, names };
        let mut bad = None;
        features.each_row(|row, values| {
            if bad.is_none() {
                bad = values.iter().position(|value| !value.is_finite()).map(|at| (row, at));
            }
        });
        match bad {
            None => Ok(features),
            Some((row, at)) => Err(Error::data(format!(
                "row {}, column {:?} is {}; remove the row or fill the value in",
                row + 1,
                features.names[at],
                features.value(row, at)
            ))),
        }
    }

    /// Features named `x1`, `x2`, … from row-major `values`.
    ///
    /// # Errors
    /// As [`Features::new`].
    pub fn unnamed(values: Vec<f64>, columns: usize) -> Result<Self> {
        Self::new(values, column_numbers(columns))
    }

    /// The same values in columns of these names, where the present ones are `x1`, `x2`, …, and where there are as many.
    #[doc(hidden)]
    pub fn renamed(&self, names: &[String]) -> Option<Self> {
        let fits = names.len() == self.columns() && self.names == column_numbers(self.columns());
        fits.then(|| Self { values: self.values.clone(), names: names.to_vec() })
    }

    /// The same values in columns `x1`, `x2`, …
    #[doc(hidden)]
    pub fn without_names(&self) -> Self {
        Self { values: self.values.clone(), names: column_numbers(self.columns()) }
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.values.len() / self.names.len()
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// The column names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Copies row `index`, whatever number type its values have.
    ///
    /// # Panics
    /// If there is no such row, or `into` has not one place per column.
    pub fn copy_row(&self, index: usize, into: &mut [f64]) {
        assert_eq!(into.len(), self.columns(), "a row has one value per column");
        self.write(index, into, |x| x);
    }

    /// Shows every row, in order, with its number, whatever number type the values have.
    pub fn each_row(&self, mut visit: impl FnMut(usize, &[f64])) {
        let d = self.columns();
        let mut row = 0;
        self.each_block((BLOCK_VALUES / d).max(1), |block| {
            for values in block.chunks_exact(d) {
                visit(row, values);
                row += 1;
            }
        });
    }

    /// Shows the rows, in order and so many at a time.
    #[doc(hidden)]
    pub fn each_block(&self, rows: usize, mut visit: impl FnMut(&[f64])) {
        let (n, d) = (self.rows(), self.columns());
        if !self.is_narrow() {
            return self.values().chunks(rows * d).for_each(visit);
        }
        let mut block = vec![0.0; rows.min(n) * d];
        for first in (0..n).step_by(rows) {
            let block = &mut block[..rows.min(n - first) * d];
            self.write(first, block, |x| x);
            visit(block);
        }
    }

    /// The same rows in four bytes a value, however few.
    #[doc(hidden)]
    pub fn narrowed(&self) -> Self {
        let mut values = Compact::default();
        assert_eq!(values.extend_from_slice(self.values()), self.values().len());
        let values = FeatureValues::in_four_bytes(values, self.columns(), None);
        Self { values, names: self.names.clone() }
    }

    /// Row `index`.
    ///
    /// # Panics
    /// If `index` is not below [`rows`](Self::rows).
    pub fn row(&self, index: usize) -> &[f64] {
        let d = self.columns();
        &self.values()[index * d..(index + 1) * d]
    }

    /// The rows `indices`, in that order, or all, row-major, each value as `convert` makes it.
    ///
    /// # Panics
    /// If an index is not below [`rows`](Self::rows).
    pub fn converted<T: Copy + Default + Send>(
        &self,
        indices: Option<&[usize]>,
        convert: impl Fn(f64) -> T + Sync,
    ) -> Vec<T> {
        let (n, d) = (indices.map_or(self.rows(), <[usize]>::len), self.columns());
        let mut values = vec![T::default(); n * d];
        let rows = (TASK_VALUES / d).max(1);
        values.par_chunks_mut(rows * d).enumerate().for_each(|(task, values)| {
            let first = task * rows;
            match indices {
                None => self.write(first, values, &convert),
                Some(indices) => {
                    for (into, &row) in values.chunks_exact_mut(d).zip(&indices[first..]) {
                        self.write(row, into, &convert);
                    }
                }
            }
        });
        values
    }
}

/// The rows of a table that have no class.
#[derive(Clone, Debug, PartialEq)]
pub struct WithoutClass {
    /// Which rows of the file they are, from 0.
    pub rows: Vec<usize>,
    /// Their features.
    pub features: Features,
}

/// What columns without names are called: `x1`, `x2`, …
#[doc(hidden)]
pub fn column_numbers(columns: usize) -> Vec<String> {
    (1..=columns).map(|column| format!("x{column}")).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tables::{Scaling, ScalingKind};

    #[test]
    fn all_rows_in_order_share_the_values_and_other_rows_do_not() {
        let x = Features::unnamed(vec![1.0, 2.0, 3.0], 1).unwrap();
        assert!(Arc::ptr_eq(&x.shared(), &x.select(&[0, 1, 2]).shared()));
        assert_eq!(x.select(&[0, 2, 1]).values(), [1.0, 3.0, 2.0]);
        assert_eq!(x.select(&[0, 1]).values(), [1.0, 2.0]);
        let plane = Features::unnamed(vec![1.0, 2.0, 3.0, 4.0], 2).unwrap();
        assert_eq!(plane.select(&[1]).values(), [3.0, 4.0]);
    }

    /// A table that is stored in f64, and the same in four bytes a value: in f32, or as decimals.
    fn both(unit: f64) -> [Features; 2] {
        let values = (0..60).map(|at| f64::from(at * at % 31 - 12) / unit).collect();
        let wide = Features::unnamed(values, 3).unwrap();
        [wide.narrowed(), wide]
    }

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn a_table_in_four_bytes_is_the_same_table_scaled_or_not() {
        let kinds = [ScalingKind::None, ScalingKind::Standardize, ScalingKind::MinMax];
        for (kind, unit) in kinds.into_iter().flat_map(|kind| [(kind, 4.0), (kind, 100.0)]) {
            let [narrow, wide] = both(unit).map(|x| {
                let scaling = Scaling::fit(kind, &x);
                // Twice: what is scaled already can be scaled no second time without a copy.
                let once = scaling.apply(&x).unwrap();
                [scaling.apply(&once).unwrap(), once]
            });
            for (narrow, wide) in narrow.iter().zip(&wide) {
                assert_eq!((narrow, narrow.rows()), (wide, wide.rows()));
                let rows = [7, 0, 7, 19];
                for rows in [None, Some(&rows[..])] {
                    let [narrow, wide] = [narrow, wide].map(|x| x.converted(rows, |x| x));
                    assert_eq!(bits(&narrow), bits(&wide));
                }
                assert_eq!(narrow.select(&rows), wide.select(&rows));
                let mut seen = Vec::new();
                narrow.each_row(|row, values| {
                    assert_eq!((row, values.len()), (seen.len() / 3, 3));
                    seen.extend_from_slice(values);
                });
                assert_eq!(bits(&seen), bits(wide.values()));
                assert_eq!(bits(narrow.shared().as_slice()), bits(wide.values()));
                assert_eq!(narrow.row(4), wide.row(4));
            }
            // Scaling takes no memory of its own, and does not touch what it was made of.
            assert!(narrow[1].is_narrow() && !wide[1].is_narrow());
            assert_eq!(both(unit)[0], both(unit)[1]);
        }
    }
}
