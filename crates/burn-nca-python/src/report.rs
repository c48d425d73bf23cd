//! The report of a model: the numbers and the page that `nca fit --out` writes.

use burn_nca_learn::Fitted;
use burn_nca_learn::data::Split;
use burn_nca_report::Report;
use burn_nca_report::evaluation::{ReportData, Rows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::methods::Targets;
use crate::model::Model;
use crate::table::Table;

/// The report of a model as JSON and as one HTML page.
///
/// The first `train` rows of `x` are those of the fit, in their order; the others are held out. `command` says how the
/// model was made, `neighbors` is the k of k-NN.
///
/// # Errors
/// ValueError for rows that are not the model's, pairs, or k above the training rows.
#[pyfunction]
pub fn report(
    py: Python<'_>,
    model: PyRef<'_, Model>,
    x: Table<'_>,
    targets: Targets<'_>,
    train: usize,
    command: String,
    neighbors: usize,
) -> PyResult<(String, String)> {
    let features = x.features(Some(model.feature_names_of(py, &x)?))?;
    let split = Split { train: (0..train).collect(), test: (train..features.rows()).collect() };
    let named = |report: Report| {
        let mut report = report;
        report.header.command = command;
        report
    };
    let report = match targets {
        Targets::Classes(classes) => {
            let data = classes.of(features)?;
            model.read(py, |fitted| of(fitted, data, split, neighbors))
        }
        Targets::Numbers(numbers) => {
            let data = numbers.of(features)?;
            model.read(py, |fitted| of(fitted, data, split, neighbors))
        }
        Targets::Pairs(_) => return Err(failed("a report of pairs is made by the program nca")),
    };
    let report = named(report.map_err(failed)?);
    Ok((report.to_json().map_err(failed)?, report.page()))
}

fn of<D: ReportData>(
    fitted: &Fitted,
    data: D,
    split: Split,
    neighbors: usize,
) -> anyhow::Result<Report> {
    let rows = Rows::of(fitted, data, split)?;
    Report::of(fitted, &Rows { neighbors, ..rows })
}

fn failed(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
