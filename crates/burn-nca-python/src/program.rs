//! The program `nca`, which the wheel installs as a script.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the program with these arguments, its name first; returns its exit code.
#[pyfunction]
pub fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| burn_nca_cli::run(arguments))
}
