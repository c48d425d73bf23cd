//! Tables between NumPy and the library.

use burn::tensor::{DType, Tensor, TensorData};
use burn_nca::data::Features;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
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

    /// The values, row-major, as the library holds them.
    ///
    /// # Errors
    /// An array that NumPy cannot copy into C order.
    pub fn values(&self) -> PyResult<Vec<f64>> {
        match self {
            Self::Double(array) => row_major(array, |value| value),
            Self::Single(array) => row_major(array, f64::from),
        }
    }

    /// The table with the names of its columns; without names they are `x1`, `x2`, ...
    ///
    /// # Errors
    /// As [`Table::values`], a value that is not finite, a name that stands twice.
    pub fn features(&self, names: Option<Vec<String>>) -> PyResult<Features> {
        let [_, columns] = self.shape();
        let features = match names {
            Some(names) => Features::new(self.values()?, names),
            None => Features::unnamed(self.values()?, columns),
        };
        features.map_err(raised)
    }
}

fn row_major<T: numpy::Element + Copy>(
    array: &PyReadonlyArray2<'_, T>,
    number: impl Fn(T) -> f64,
) -> PyResult<Vec<f64>> {
    let numbers = |values: &[T]| values.iter().map(|&value| number(value)).collect();
    if let Ok(values) = array.as_slice() {
        return Ok(numbers(values));
    }
    // Out of a message of an engine such as Dask it may stand at any byte: not aligned.
    let copy: PyReadonlyArray2<'_, T> = array.as_any().call_method1("copy", ("C",))?.extract()?;
    Ok(numbers(copy.as_slice().map_err(order)?))
}

fn order(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!(
        "the array is not in C order ({error}); give np.ascontiguousarray(X)"
    ))
}

/// A tensor as a NumPy array of its own number type; the numbers are handed over.
///
/// # Errors
/// None that a user can cause.
pub fn array(py: Python<'_>, tensor: Tensor<2>) -> PyResult<Bound<'_, PyAny>> {
    let [rows, columns] = tensor.dims();
    let data = tensor.into_data();
    match data.dtype() {
        DType::F64 => matrix(py, vector::<f64>(data)?, [rows, columns]),
        _ => matrix(py, vector::<f32>(data.convert::<f32>())?, [rows, columns]),
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
pub fn matrix<T: numpy::Element>(
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
