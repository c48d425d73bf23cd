//! The search for settings by cross-validation inside the training rows.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use burn_nca::estimator::tune::{TuneConfig, TuneProgress, TuneSession, Tuned};
use burn_nca::objective::Criterion;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::fitting::labelled;
use crate::model::Model;
use crate::settings::Settings;
use crate::table::Table;

/// How often Ctrl-C is looked for.
const PAUSE: Duration = Duration::from_millis(50);

/// What a search tries; absent lists are the library's.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Grid {
    folds: usize,
    repeats: usize,
    criteria: Option<Vec<String>>,
    l2: Option<Vec<f64>>,
    dimensions: Option<Vec<usize>>,
    most_candidates: Option<usize>,
    budget: Option<f64>,
}

/// Searches for criterion, penalty, start and number of steps, and fits all rows with the best.
///
/// Gives the model, the search as JSON and the settings of the winner as JSON.
///
/// # Errors
/// ValueError for data and settings that the library refuses; KeyboardInterrupt after Ctrl-C.
#[pyfunction]
pub fn tune(
    py: Python<'_>,
    x: Table<'_>,
    names: Option<Vec<String>>,
    labels: PyReadonlyArray1<'_, i64>,
    class_names: Vec<String>,
    settings: Settings,
    grid: Grid,
) -> PyResult<(Model, String, String)> {
    let data = labelled(x.features(names)?, &labels, class_names)?;
    let (config, device) = (settings.classes(&data)?, settings.device()?);
    let tune = grid.config()?;
    let stop = AtomicBool::new(false);
    let tuned = py.detach(|| {
        std::thread::scope(|scope| {
            let search = scope.spawn(|| {
                let mut watch = |_: &TuneProgress<'_>| match stop.load(Ordering::Relaxed) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                };
                let session = TuneSession::new().with_progress(&mut watch);
                config.tune(&tune, &data, &device, session).map_err(raised)
            });
            // Only this thread may hear Ctrl-C.
            while !search.is_finished() {
                std::thread::sleep(PAUSE);
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    stop.store(true, Ordering::Relaxed);
                    let _ = search.join();
                    return Err(error);
                }
            }
            search.join().map_err(|_| PyValueError::new_err("the search panicked"))?
        })
    })?;
    let Tuned { fitted, search } = tuned;
    let text = |value: serde_json::Result<String>| {
        value.map_err(|error| PyValueError::new_err(error.to_string()))
    };
    let trials = text(serde_json::to_string(&search))?;
    let winner = search.choice.as_ref().map(|choice| &search.trials[choice.trial].candidate);
    let winner = text(serde_json::to_string(&winner))?;
    Ok((Model::of(fitted), trials, winner))
}

impl Grid {
    fn config(&self) -> PyResult<TuneConfig> {
        let mut tune = TuneConfig::new()
            .with_folds(self.folds)
            .with_repeats(self.repeats)
            .with_dimensions(self.dimensions.clone())
            .with_budget(self.budget);
        if let Some(names) = &self.criteria {
            let criteria = names.iter().map(|name| match name.as_str() {
                "f" => Ok(Criterion::F),
                "g" => Ok(Criterion::G),
                other => Err(PyValueError::new_err(format!(
                    "one of the criteria is {other:?}; give 'f' or 'g'"
                ))),
            });
            tune.criteria = criteria.collect::<PyResult<_>>()?;
        }
        if let Some(l2) = &self.l2 {
            tune.l2 = l2.clone();
        }
        if let Some(most) = self.most_candidates {
            tune.most_candidates = most;
        }
        Ok(tune)
    }
}
