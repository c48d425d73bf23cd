//! Any method of the library, by its name.

use std::collections::BTreeMap;

use burn_nca::data::{Coincidences, Pairs, RegressionData, TrainingData};
use burn_nca::estimator::Estimator;
use burn_nca::fit::Start;
use burn_nca::method::AnyMethod;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::fitting::{Watch, labelled};
use crate::model::Model;
use crate::settings::Settings;
use crate::table::Table;

/// The methods as JSON: name, title, what each learns from, when to take it, its settings.
///
/// # Errors
/// None that a user can cause.
#[pyfunction]
pub fn methods_json() -> PyResult<String> {
    let infos: Vec<_> = AnyMethod::all().iter().map(AnyMethod::info).collect();
    serde_json::to_string(&infos).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Learns a metric by the method of this name; `own` are its settings in JSON, `l2` of None is the one it recommends.
///
/// Give labels, targets or pairs, as the method learns from them; all absent for one that needs none.
///
/// # Errors
/// ValueError for a name, a setting or data that the library refuses, and whatever `on_step` raises.
#[pyfunction]
#[pyo3(signature = (method, own, x, names, y, settings, on_step=None))]
pub fn fit_method(
    py: Python<'_>,
    method: &str,
    own: BTreeMap<String, String>,
    x: Table<'_>,
    names: Option<Vec<String>>,
    y: Option<Targets<'_>>,
    settings: Settings,
    on_step: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let mut method = AnyMethod::named(method).map_err(raised)?;
    for (name, value) in own {
        method = method.with_setting(&name, &value).map_err(raised)?;
    }
    let features = x.features(names)?;
    let (n, d) = (features.rows(), features.columns());
    let encoder = settings.encoder()?;
    let l2 = settings.l2.unwrap_or_else(|| method.recommended_l2(&encoder));
    let fit = settings.fit(n)?.with_l2(l2);
    let device = settings.device()?;
    let estimator = |k: Option<usize>, start: Start| {
        Estimator::new(d, k.unwrap_or(d), method.clone())
            .with_encoder(encoder.clone())
            .with_fit(fit.clone().with_start(start))
    };
    let asked = settings.n_components;
    match y {
        Some(Targets::Classes(labels, class_names)) => {
            let data = labelled(features, &labels, class_names)?;
            let k = asked.or_else(|| method.default_dimension(data.any()));
            let estimator = estimator(k, settings.start(&data)?);
            py.detach(|| {
                Watch::new(on_step, &encoder, [d, estimator.d_output])
                    .run(|session| estimator.fit_session(&data, &device, session))
            })
        }
        Some(Targets::Numbers(targets, target_names)) => {
            let targets = targets.features(Some(target_names))?;
            let data = RegressionData::with_targets(features, targets).map_err(raised)?;
            let k = asked.or_else(|| method.default_dimension(data.any()));
            let estimator = estimator(k, settings.unlabelled_start()?);
            py.detach(|| {
                Watch::new(on_step, &encoder, [d, estimator.d_output])
                    .run(|session| estimator.fit_session(&data, &device, session))
            })
        }
        Some(Targets::Pairs(pairs)) => {
            let pairs = Pairs::new(n, pairs).map_err(raised)?;
            let data = Coincidences::new(features, pairs).map_err(raised)?;
            let k = asked.or_else(|| method.default_dimension(data.any()));
            let estimator = estimator(k, settings.unlabelled_start()?);
            py.detach(|| {
                Watch::new(on_step, &encoder, [d, estimator.d_output])
                    .run(|session| estimator.fit_session(&data, &device, session))
            })
        }
        None => {
            let k = asked.or_else(|| method.default_dimension(features.any()));
            let estimator = estimator(k, settings.unlabelled_start()?);
            py.detach(|| {
                Watch::new(on_step, &encoder, [d, estimator.d_output])
                    .run(|session| estimator.fit_session(&features, &device, session))
            })
        }
    }
}

/// What a method learns from: `(labels, class names)`, `(targets, target names)`, or pairs `[(row, row, weight)]`.
#[derive(FromPyObject)]
pub enum Targets<'py> {
    /// A class per row.
    Classes(PyReadonlyArray1<'py, i64>, Vec<String>),
    /// Numbers per row, `[n, m]`.
    Numbers(Table<'py>, Vec<String>),
    /// Two rows each, from 0, and how much the pair weighs.
    #[pyo3(transparent)]
    Pairs(Vec<(usize, usize, f64)>),
}
