//! The exact neighbor search.

use std::sync::{Mutex, PoisonError};

use burn::tensor::Tensor;
use burn_nca_learn::neighbors::{NearestConfig, Neighbors as Found, SearchMethod};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::table::{Table, matrix};

/// Rows among which neighbors are searched.
#[pyclass(frozen, module = "burn_nca._burn_nca")]
pub struct Neighbors {
    // In a box: Python aligns its objects to 16 bytes, and a tensor of Burn may ask for 64.
    references: Mutex<Box<Tensor<2>>>,
    device: String,
}

#[pymethods]
impl Neighbors {
    #[new]
    #[pyo3(signature = (x, device="cpu"))]
    fn new(x: Table<'_>, device: &str) -> PyResult<Self> {
        let references = Mutex::new(Box::new(tensor(&x, device)?));
        Ok(Self { references, device: device.to_string() })
    }

    /// The distances to the k nearest rows of each query and their numbers, `[n, k]` each, nearest first; without
    /// queries the k nearest others of each row.
    fn search<'py>(
        &self,
        py: Python<'py>,
        queries: Option<Table<'py>>,
        k: usize,
        method: &str,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let search = NearestConfig::new(k).with_method(method_of(method)?);
        let queries = queries.map(|queries| tensor(&queries, &self.device)).transpose()?;
        let (distances, rows, n) = py
            .detach(|| {
                let references = self.references.lock().unwrap_or_else(PoisonError::into_inner);
                let found = match &queries {
                    Some(queries) => search.search(queries, &references, None)?,
                    None => search.search_others(&references)?,
                };
                Ok((distances(&found), indices(&found), found.rows()))
            })
            .map_err(raised)?;
        Ok((matrix(py, distances, [n, k])?, matrix(py, rows, [n, k])?))
    }
}

fn tensor(x: &Table<'_>, device: &str) -> PyResult<Tensor<2>> {
    x.tensor(&burn_nca_learn::device::open(device).map_err(raised)?)
}

fn method_of(name: &str) -> PyResult<SearchMethod> {
    Ok(match name {
        "auto" => SearchMethod::Auto,
        "brute" => SearchMethod::BruteForce,
        "tree" | "boxes" => SearchMethod::Tree,
        other => {
            return Err(PyValueError::new_err(format!(
                "algorithm is {other:?}; give one of 'auto', 'brute', 'tree'"
            )));
        }
    })
}

fn distances(found: &Found) -> Vec<f64> {
    let rows = (0..found.rows()).map(|row| found.sq_distances(row));
    rows.flatten().map(|square| square.sqrt()).collect()
}

fn indices(found: &Found) -> Vec<i64> {
    (0..found.rows()).flat_map(|row| found.indices(row)).map(|&index| i64::from(index)).collect()
}
