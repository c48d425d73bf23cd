//! Tables between NumPy and the library.

use std::ops::Range;

use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_nca_learn::data::Features;
use numpy::ndarray::{ArrayView2, s};
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;

/// A table of numbers as NumPy holds it, `[n, d]`.
#[derive(FromPyObject)]
pub enum Table<'py> {
    /// 64-bit floats.
    Double(PyReadonlyArray2<'py, f64>),
    /// 32-bit floats.
    Single(PyReadonlyArray2<'py, f32>),
}

impl Table<'_> {
    /// Rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        let shape = match self {
            Self::Double(array) => array.shape(),
            Self::Single(array) => array.shape(),
        };
        [shape[0], shape[1]]
    }

    /// The table with the names of its columns; without names they are `x1`, `x2`, ...
    ///
    /// The one copy of the rows, read through a view, whatever their order in memory.
    ///
    /// # Errors
    /// An array that NumPy cannot copy, a value that is not finite, a name that occurs twice.
    pub fn features(&self, names: Option<Vec<String>>) -> PyResult<Features> {
        let [rows, columns] = self.shape();
        let numbered = || (1..=columns).map(|column| format!("x{column}")).collect();
        self.part(0..rows, names.unwrap_or_else(numbered))
    }

    /// Some of the rows, as [`Table::features`].
    ///
    /// # Errors
    /// As [`Table::features`].
    pub fn part(&self, rows: Range<usize>, names: Vec<String>) -> PyResult<Features> {
        let features = match self {
            Self::Double(array) => Features::new(row_major(array, rows)?, names),
            Self::Single(array) => Features::from_f32(row_major(array, rows)?, names),
        };
        features.map_err(raised)
    }

    /// The number type.
    pub fn dtype(&self) -> DType {
        match self {
            Self::Double(_) => DType::F64,
            Self::Single(_) => DType::F32,
        }
    }

    /// The table as a tensor of its own number type; one copy.
    ///
    /// # Errors
    /// An array that NumPy cannot copy.
    pub fn tensor(&self, device: &Device) -> PyResult<Tensor<2>> {
        let [rows, columns] = self.shape();
        let data = match self {
            Self::Double(array) => TensorData::new(row_major(array, 0..rows)?, [rows, columns]),
            Self::Single(array) => TensorData::new(row_major(array, 0..rows)?, [rows, columns]),
        };
        Ok(Tensor::from_data(data, (device, self.dtype())))
    }
}

/// Rows of an array, row by row.
fn row_major<T: Element + Copy>(
    array: &PyReadonlyArray2<'_, T>,
    rows: Range<usize>,
) -> PyResult<Vec<T>> {
    if array.is_aligned() {
        return Ok(read(array.as_array(), rows));
    }
    // Out of a message of an engine such as Dask it may be at any byte.
    let part = array.as_any().get_item(pyo3::types::PySlice::new(
        array.py(),
        index(rows.start),
        index(rows.end),
        1,
    ))?;
    let copy: PyReadonlyArray2<'_, T> = part.call_method1("copy", ("C",))?.extract()?;
    Ok(read(copy.as_array(), 0..rows.len()))
}

fn index(row: usize) -> isize {
    isize::try_from(row).unwrap_or(isize::MAX)
}

fn read<T: Copy>(table: ArrayView2<'_, T>, rows: Range<usize>) -> Vec<T> {
    let rows = table.slice(s![rows, ..]);
    rows.as_slice().map_or_else(|| rows.iter().copied().collect(), <[T]>::to_vec)
}

/// A tensor as a NumPy array of its own number type; the numbers are handed over.
///
/// # Errors
/// None that a user can cause.
pub fn array(py: Python<'_>, tensor: Tensor<2>) -> PyResult<Bound<'_, PyAny>> {
    let shape = tensor.dims();
    Numbers::of(tensor)?.into_array(py, shape)
}

/// The numbers of tensors, one after the other, in their own type.
pub enum Numbers {
    /// 64-bit floats.
    Double(Vec<f64>),
    /// 32-bit floats.
    Single(Vec<f32>),
}

impl Numbers {
    /// Those of a tensor.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn of(tensor: Tensor<2>) -> PyResult<Self> {
        let data = tensor.into_data();
        Ok(match data.dtype() {
            DType::F64 => Self::Double(vector(data)?),
            _ => Self::Single(vector(data.convert::<f32>())?),
        })
    }

    /// Those of another tensor of the type after them; room is made for `total` at the first.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn and(self, tensor: Tensor<2>, total: usize) -> PyResult<Self> {
        fn joined<T>(mut all: Vec<T>, mut more: Vec<T>, total: usize) -> Vec<T> {
            all.reserve_exact(total.saturating_sub(all.len()));
            all.append(&mut more);
            all
        }
        Ok(match (self, Self::of(tensor)?) {
            (Self::Double(all), Self::Double(more)) => Self::Double(joined(all, more, total)),
            (Self::Single(all), Self::Single(more)) => Self::Single(joined(all, more, total)),
            _ => return Err(PyValueError::new_err("the number type changed between rows")),
        })
    }

    /// A NumPy array of two dimensions; the numbers are handed over.
    ///
    /// # Errors
    /// A number of values other than rows x columns.
    pub fn into_array(self, py: Python<'_>, shape: [usize; 2]) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Double(values) => matrix(py, values, shape),
            Self::Single(values) => matrix(py, values, shape),
        }
    }
}

fn vector<T: burn::tensor::Element>(data: TensorData) -> PyResult<Vec<T>> {
    data.try_into_vec::<T>()
        .map_err(|error| PyValueError::new_err(format!("the tensor cannot be read: {error:?}")))
}

/// Row-major values as a NumPy array of two dimensions; the numbers are handed over.
///
/// # Errors
/// A number of values other than rows x columns.
pub fn matrix<T: Element>(
    py: Python<'_>,
    values: Vec<T>,
    shape: [usize; 2],
) -> PyResult<Bound<'_, PyAny>> {
    Ok(PyArray1::from_vec(py, values).reshape(shape)?.into_any())
}

/// A row-major `[rows, columns]` matrix transposed.
pub fn transposed(values: &[f64], [rows, columns]: [usize; 2]) -> Vec<f64> {
    (0..columns)
        .flat_map(|column| (0..rows).map(move |row| values[row * columns + column]))
        .collect()
}
