//! Errors of the library as Python's exceptions.

use burn_nca_learn::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};

/// The exception that a Python user expects: ValueError for data and settings, OSError for files.
pub fn raised(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Io { .. } => PyOSError::new_err(message),
        Error::Device(_) => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}
