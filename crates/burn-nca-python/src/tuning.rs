//! The search for settings by cross-validation inside the training rows.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use burn::tensor::Device;
use burn_nca_learn::data::TrainingData;
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::estimator::tune::{TuneConfig, TuneProgress, TuneSession, Tuned};
use burn_nca_learn::objective::Criterion;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::methods::{Prepared, Targets, Visitor};
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

/// Searches for settings of the method, criterion, penalty, start and number of steps, and fits all rows with the best; arguments as those of
/// [`fit_method`](crate::methods::fit_method).
///
/// Gives the model, the search as JSON and the settings that were chosen as JSON.
///
/// # Errors
/// ValueError for data and settings that the library refuses; KeyboardInterrupt after Ctrl-C.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of Python")]
pub fn tune(
    py: Python<'_>,
    method: &str,
    own: BTreeMap<String, String>,
    x: Table<'_>,
    names: Option<Vec<String>>,
    y: Option<Targets<'_>>,
    settings: Settings,
    grid: Grid,
) -> PyResult<(Model, String, String)> {
    let tune = grid.config()?;
    let given: Vec<String> = own.keys().cloned().collect();
    let has_dimensions = settings.n_components.is_some() || tune.dimensions.is_some();
    let task = Prepared::new(method, own, (x.features(names)?, y), &settings)?;
    let Tuned { fitted, search } = task.dispatch(Tuning { py, tune, given, has_dimensions })?;
    let text = |value: serde_json::Result<String>| {
        value.map_err(|error| PyValueError::new_err(error.to_string()))
    };
    // Where the budget ended the search before a trial was finished, the first candidate was taken.
    let mut chosen = search.first.clone();
    if let Some(choice) = &search.choice {
        chosen = search.trials[choice.trial].candidate.clone();
        chosen.stop_at = choice.stop_at.or(chosen.stop_at);
    }
    let trials = text(serde_json::to_string(&search))?;
    let chosen = text(serde_json::to_string(&chosen))?;
    Ok((Model::of(fitted), trials, chosen))
}

struct Tuning<'py> {
    py: Python<'py>,
    tune: TuneConfig,
    /// Names of the method's settings that are given, and stay as they are.
    given: Vec<String>,
    has_dimensions: bool,
}

impl Visitor for Tuning<'_> {
    type Outcome = Tuned;

    fn of<D: TrainingData>(
        self,
        estimator: Estimator,
        data: D,
        device: &Device,
    ) -> PyResult<Tuned> {
        let stop = AtomicBool::new(false);
        let mut tune = self.tune;
        let mut settings = estimator.method.grid();
        settings.retain(|(name, _)| !self.given.contains(name));
        tune.settings = Some(settings);
        if !self.has_dimensions {
            tune = tune.with_dimensions_of(&estimator, data.as_any_data());
        }
        let tune = &tune;
        self.py.detach(|| {
            std::thread::scope(|scope| {
                let search = scope.spawn(|| {
                    let mut watch = |_: &TuneProgress<'_>| match stop.load(Ordering::Relaxed) {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    };
                    let session = TuneSession::new().with_progress(&mut watch);
                    estimator.tune(tune, &data, device, session).map_err(raised)
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
        })
    }
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
            tune.l2 = Some(l2.clone());
        }
        if let Some(most) = self.most_candidates {
            tune.most_candidates = most;
        }
        Ok(tune)
    }
}
