//! Errors of the library as Python's exceptions.

use burn_nca_data::Setting;
use burn_nca_learn::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};

/// The exception that a Python user expects: ValueError for data and settings, OSError for files.
pub fn raised(error: Error) -> PyErr {
    let message = error.worded(words);
    match error {
        Error::Io { .. } => PyOSError::new_err(message),
        Error::Device(_) => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// A setting as a parameter of an estimator; `None` where Python has none.
fn words(setting: &Setting) -> Option<String> {
    match setting {
        Setting::Shrinkage(value) => Some(format!("give shrinkage={value}")),
        Setting::Dimensions(number) => Some(format!("give n_components={number}")),
        Setting::LinearEncoder => Some("give encoder='linear'".to_string()),
        Setting::AutoSums => Some("give sums='auto'".to_string()),
        Setting::AutoStart => Some("give init='auto'".to_string()),
        Setting::OwnEncoder => Some("load it in the Rust program that saved it".to_string()),
        _ => None,
    }
}
