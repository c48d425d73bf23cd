//! A table of features, `[n, d]`, with the names of its columns.

use std::sync::Arc;

use burn::tensor::{DType, Device, Tensor, TensorData};
use rayon::prelude::*;

use crate::error::{Error, Result};

/// Values that are worth a task of their own.
const TASK_VALUES: usize = 1 << 16;

/// Rows of numeric features on the host, row-major, in f64.
///
/// Copies share the values, as does the selection of all rows in their order: a large table stands in memory once.
///
/// # Examples
/// ```
/// use burn_nca::data::Features;
///
/// let x = Features::new(vec![1.0, 2.0, 3.0, 4.0], vec!["width".into(), "height".into()])?;
/// assert_eq!((x.rows(), x.columns()), (2, 2));
/// assert_eq!(x.row(1), [3.0, 4.0]);
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    values: Arc<Vec<f64>>,
    names: Vec<String>,
}

impl Features {
    /// Features from row-major `values`, one name per column.
    ///
    /// # Errors
    /// No column, a number of values that is not a multiple of the columns, a name that stands twice,
    /// or a value that is not finite (its row and column are named).
    pub fn new(values: Vec<f64>, names: Vec<String>) -> Result<Self> {
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
                "column name {:?} stands twice; rename one of the two columns",
                twice[0]
            )));
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::data(format!(
                "row {}, column {:?} is {}; remove the row or fill the value in",
                at / columns + 1,
                names[at % columns],
                values[at]
            )));
        }
        Ok(Self { values: Arc::new(values), names })
    }

    /// Features named `x1`, `x2`, … from row-major `values`.
    ///
    /// # Errors
    /// As [`Features::new`].
    pub fn unnamed(values: Vec<f64>, columns: usize) -> Result<Self> {
        Self::new(values, numbered(columns))
    }

    /// The same values in columns `x1`, `x2`, …
    pub(crate) fn without_names(&self) -> Self {
        Self { values: Arc::clone(&self.values), names: numbered(self.columns()) }
    }

    /// The rows of a `[n, d]` tensor, in f64.
    ///
    /// # Errors
    /// As [`Features::new`].
    pub fn from_tensor(tensor: Tensor<2>) -> Result<Self> {
        let [_, columns] = tensor.dims();
        Self::unnamed(host_values(tensor), columns)
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

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Row `index`.
    ///
    /// # Panics
    /// If `index` is not below [`rows`](Self::rows).
    pub fn row(&self, index: usize) -> &[f64] {
        let d = self.columns();
        &self.values[index * d..(index + 1) * d]
    }

    /// The rows `indices`, in that order.
    ///
    /// # Panics
    /// If an index is not below [`rows`](Self::rows).
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        if indices.len() == self.rows() && indices.iter().enumerate().all(|(at, &row)| at == row) {
            return self.clone();
        }
        let mut values = Vec::with_capacity(indices.len() * self.columns());
        for &index in indices {
            values.extend_from_slice(self.row(index));
        }
        self.with_values(values)
    }

    /// The features as a `[n, d]` tensor of type `dtype` on `device`.
    pub fn to_tensor(&self, device: &Device, dtype: DType) -> Tensor<2> {
        let shape = [self.rows(), self.columns()];
        let data = if dtype == DType::F64 {
            TensorData::new(self.values().to_vec(), shape)
        } else {
            TensorData::new(self.values.iter().map(|&value| value as f32).collect(), shape)
        };
        Tensor::from_data(data, (device, dtype))
    }

    /// The rows `indices`, in that order, as a tensor: [`select`](Self::select) without a copy in f64.
    ///
    /// # Panics
    /// If an index is not below [`rows`](Self::rows).
    pub fn rows_to_tensor(&self, indices: &[usize], device: &Device, dtype: DType) -> Tensor<2> {
        let shape = [indices.len(), self.columns()];
        let values = indices.iter().flat_map(|&index| self.row(index));
        let data = if dtype == DType::F64 {
            TensorData::new(values.copied().collect(), shape)
        } else {
            let mut rounded = Vec::with_capacity(shape[0] * shape[1]);
            rounded.extend(values.map(|&value| value as f32));
            TensorData::new(rounded, shape)
        };
        Tensor::from_data(data, (device, dtype))
    }

    /// The values, shared.
    pub(crate) fn shared(&self) -> Arc<Vec<f64>> {
        Arc::clone(&self.values)
    }

    /// The values to be changed in place, each to a finite one; copied first where they are shared.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        let values: &mut Vec<f64> = Arc::make_mut(&mut self.values);
        values
    }

    /// The same names over other values (used by scalings, which change values but not columns).
    pub(crate) fn with_values(&self, values: Vec<f64>) -> Self {
        debug_assert_eq!(values.len() % self.names.len(), 0);
        Self { values: Arc::new(values), names: self.names.clone() }
    }
}

/// `x1`, `x2`, …
fn numbered(columns: usize) -> Vec<String> {
    (1..=columns).map(|column| format!("x{column}")).collect()
}

/// The values of a tensor on the host, row-major, in f64.
///
/// # Panics
/// If the device cannot be read back.
pub(crate) fn host_values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    let data = tensor.into_data();
    match data.as_slice::<f32>() {
        Ok(values) => values.par_iter().with_min_len(TASK_VALUES).copied().map(f64::from).collect(),
        Err(_) => data
            .convert::<f64>()
            .try_into_vec()
            .expect("data that were just converted to f64 are f64"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_finite_is_named_by_row_and_column() {
        let names = vec!["a".to_string(), "b".to_string()];
        let error = Features::new(vec![0.0, 1.0, 2.0, f64::NAN], names).unwrap_err().to_string();
        assert_eq!(error, "row 2, column \"b\" is NaN; remove the row or fill the value in");
    }

    #[test]
    fn all_rows_in_order_share_the_values_and_other_rows_do_not() {
        let x = Features::unnamed(vec![1.0, 2.0, 3.0], 1).unwrap();
        assert!(Arc::ptr_eq(&x.values, &x.select(&[0, 1, 2]).values));
        assert_eq!(x.select(&[0, 2, 1]).values(), [1.0, 3.0, 2.0]);
        assert_eq!(x.select(&[0, 1]).values(), [1.0, 2.0]);
    }

    #[test]
    fn rows_as_a_tensor_are_those_selected() {
        let device = crate::device::host().unwrap();
        let x = Features::unnamed(vec![1.0, 2.0, 3.0, 4.0], 2).unwrap();
        for dtype in [DType::F32, DType::F64] {
            let found = x.rows_to_tensor(&[1, 0, 1], &device, dtype);
            let expected = x.select(&[1, 0, 1]).to_tensor(&device, dtype);
            assert_eq!((found.dtype(), host_values(found)), (dtype, host_values(expected)));
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_refused() {
        let names = vec!["a".to_string(), "b".to_string(), "a".to_string()];
        let error = Features::new(vec![0.0; 3], names).unwrap_err().to_string();
        assert!(error.contains("\"a\" stands twice"), "{error}");
    }
}
