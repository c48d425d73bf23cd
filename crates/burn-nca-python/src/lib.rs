//! The compiled half of the Python package `burn_nca`: thin classes over the library `burn-nca`.
//!
//! ```text
//! table      NumPy arrays ◄──► features, labels, targets
//! settings   keyword arguments ──► the library's configurations
//! explain    what predictions are made of, and training rows whose labels look wrong
//! fitting    fits without the GIL; callbacks and Ctrl-C after every step
//! gradient   the gradient of a batch, for training loops of one's own
//! methods    any method of the library, by its name
//! model      a fitted metric: transform, predict, save, load, pickle
//! nearest    the exact neighbor search
//! program    the program `nca`
//! report     the report of a model, as JSON and as a page
//! tuning     the search for settings
//! ```
//! The estimators that users see are written in Python (`python/burn_nca`): they check their input as
//! scikit-learn does and call these.

mod errors;
mod explain;
mod fitting;
mod gradient;
mod methods;
mod model;
mod nearest;
mod program;
mod report;
mod settings;
mod table;
mod tuning;

use pyo3::prelude::*;

// Allocation is a large share of a fit on a CPU; a program may choose the allocator, a library may not.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiled half of `burn_nca`.
#[pymodule]
mod _burn_nca {
    #[pymodule_export]
    use super::explain::{explain, label_quality};
    #[pymodule_export]
    use super::fitting::{fit_classes, start};
    #[pymodule_export]
    use super::gradient::value_and_gradient;
    #[pymodule_export]
    use super::methods::{fit_method, methods_json};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::nearest::Neighbors;
    #[pymodule_export]
    use super::program::run_program;
    #[pymodule_export]
    use super::report::report;
    #[pymodule_export]
    use super::tuning::tune;

    use super::*;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)] // the name is Python's
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The perplexity that a start in k dimensions is scaled to, for so many rows.
    #[pyfunction]
    fn start_perplexity(rows: usize, k: usize) -> f64 {
        burn_nca_learn::fit::start_perplexity(rows, k)
    }

    /// The names of the devices that this build can compute on.
    #[pyfunction]
    fn devices() -> Vec<String> {
        burn_nca_learn::device::available()
    }
}
