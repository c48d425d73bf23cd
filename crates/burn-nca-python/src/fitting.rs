//! Fits without the GIL; Python's callback and Ctrl-C are heard after every step.

use std::cell::RefCell;
use std::ops::ControlFlow;

use burn::tensor::{DType, Device};
use burn_nca_learn::data::{Features, Labeled, RegressionData, Scaling, TrainingData};
use burn_nca_learn::encoder::{AnyEncoder, DiagonalMap, EncoderConfig, LinearMap};
use burn_nca_learn::estimator::{Estimator, LearnsFrom};
use burn_nca_learn::fit::{FitSession, Progress, Start, StartWeights, Termination};
use burn_nca_learn::{Fitted, NcaConfig};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::model::Model;
use crate::settings::Settings;
use crate::table::{Table, matrix, transposed};

/// Learns a metric from classes.
///
/// `on_step(transformation, iteration, value)` is called after every step with A flat, row-major; `value` is the
/// penalized sum that is minimized. Rows of one class, or each of a class of its own, say nothing: the start is
/// returned, and `Model.learned` is false.
///
/// # Errors
/// ValueError for data and settings that the library refuses, and whatever `on_step` raises.
#[pyfunction]
#[pyo3(signature = (x, names, classes, settings, on_step=None))]
pub fn fit_classes(
    py: Python<'_>,
    x: Table<'_>,
    names: Option<Vec<String>>,
    classes: Classes<'_>,
    settings: Settings,
    on_step: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let data = classes.of(x.features(names)?)?;
    let (config, device) = (settings.classes(&data)?, settings.device()?);
    py.detach(|| {
        if says_nothing(&data) {
            let fitted = at_the_start(&config, &data, &device).map_err(raised)?;
            return Ok(Model::unfitted(fitted));
        }
        Watch::new(on_step, &config.encoder, [config.d_input, config.d_output])
            .run(|session| in_place(&config.estimator(), data, &device, session))
    })
}

/// Fits rows that are used nowhere else: they are scaled in place, so that a large table is not there twice.
///
/// # Errors
/// As [`Estimator::fit_session`].
pub fn in_place<M: LearnsFrom<D>, D: TrainingData>(
    estimator: &Estimator<M>,
    mut data: D,
    device: &Device,
    session: FitSession<'_>,
) -> burn_nca_learn::Result<Fitted> {
    let scaling = Scaling::fit(estimator.fit.scaling, data.features());
    data.scale(&scaling)?;
    estimator.fit_scaled(None, (data, scaling), device, session)
}

/// The linear map that a fit would start from, `[k, d]`, and the rule that it comes from.
///
/// # Errors
/// ValueError for a start that cannot be had.
#[pyfunction]
pub fn start<'py>(
    py: Python<'py>,
    x: Table<'py>,
    classes: Classes<'py>,
    settings: Settings,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let data = classes.of(x.features(None)?)?;
    let config = settings.classes(&data)?;
    let (d, k) = (config.d_input, config.d_output);
    let (weight, rule) = py
        .detach(|| {
            let data = scaled(&config, &data)?.1;
            config.fit.start.weight(&data, k, config.fit.seed)
        })
        .map_err(raised)?;
    Ok((matrix(py, transposed(&weight, [d, k]), [k, d])?, rule.to_string()))
}

/// The classes of rows: their numbers, the names of the classes, and the weights of the rows where they have some.
#[derive(FromPyObject)]
pub struct Classes<'py>(
    PyReadonlyArray1<'py, i64>,
    Vec<String>,
    Option<PyReadonlyArray1<'py, f64>>,
);

impl Classes<'_> {
    /// Rows of these classes; weights are made to be 1 on average, so that a penalty weighs the same with them.
    ///
    /// # Errors
    /// Labels that do not go with the rows or the names, weights that are negative, not finite or all 0.
    pub fn of(self, features: Features) -> PyResult<Labeled> {
        let Self(labels, class_names, weights) = self;
        let labels = labels.as_slice()?.iter().map(|&label| usize::try_from(label));
        let labels: Vec<usize> = labels
            .collect::<Result<_, _>>()
            .map_err(|_| PyValueError::new_err("a label is negative; number the classes from 0"))?;
        let data = Labeled::new(features, labels, class_names).map_err(raised)?;
        match of_mean_one(weights)? {
            Some(weights) => data.with_weights(weights).map_err(raised),
            None => Ok(data),
        }
    }
}

/// The numbers to predict from rows, `[n, m]`: their values, the names of the columns, and the weights of the rows where
/// they have some.
#[derive(FromPyObject)]
pub struct Numbers<'py>(Table<'py>, Vec<String>, Option<PyReadonlyArray1<'py, f64>>);

impl Numbers<'_> {
    /// Rows with these numbers; weights as of [`Classes::of`].
    ///
    /// # Errors
    /// Numbers that do not go with the rows, and weights that do not go with them.
    pub fn of(self, features: Features) -> PyResult<RegressionData> {
        let Self(values, names, weights) = self;
        let targets = values.features(Some(names))?;
        let data = RegressionData::with_targets(features, targets).map_err(raised)?;
        match of_mean_one(weights)? {
            Some(weights) => data.with_weights(weights).map_err(raised),
            None => Ok(data),
        }
    }
}

/// Weights with a mean of 1, where there are some and one is positive.
fn of_mean_one(weights: Option<PyReadonlyArray1<'_, f64>>) -> PyResult<Option<Vec<f64>>> {
    let Some(weights) = weights else { return Ok(None) };
    let weights = weights.as_slice()?;
    // Rows of weight 0 are left out of the fit.
    let counting = weights.iter().filter(|weight| **weight != 0.0).count();
    let mean = weights.iter().sum::<f64>() / counting.max(1) as f64;
    let unit = if mean > 0.0 { mean } else { 1.0 };
    Ok(Some(weights.iter().map(|weight| weight / unit).collect()))
}

/// Whether no row has both a row of its class and one of another.
fn says_nothing(data: &Labeled) -> bool {
    let counts = data.class_counts();
    let present = counts.iter().filter(|count| **count > 0).count();
    present < 2 || counts.iter().all(|count| *count < 2)
}

fn scaled(config: &NcaConfig, data: &Labeled) -> burn_nca_learn::Result<(Scaling, Labeled)> {
    let scaling = Scaling::fit(config.fit.scaling, data.features());
    let scaled = data.with_features(scaling.apply(data.features())?)?;
    Ok((scaling, scaled))
}

/// The model of a fit that has nothing to learn from.
fn at_the_start(
    config: &NcaConfig,
    data: &Labeled,
    device: &Device,
) -> burn_nca_learn::Result<Fitted> {
    let (scaling, scaled) = scaled(config, data)?;
    let (dtype, seed): (DType, u64) = (config.fit.precision.dtype(), config.fit.seed);
    let encoder = match &config.encoder {
        EncoderConfig::Diagonal => {
            let (scale, _) = config.fit.start.diagonal(scaled.features().columns(), seed)?;
            AnyEncoder::Diagonal(DiagonalMap::from_scale(&scale, device, dtype))
        }
        EncoderConfig::Linear => {
            let start = match &config.fit.start {
                // A single class has no discriminants.
                Start::Lda => &Start::Auto,
                start => start,
            };
            let (weight, _) = start.weight(&scaled, config.d_output, seed)?;
            let shape = [config.d_input, config.d_output];
            AnyEncoder::Linear(LinearMap::from_weight(&weight, shape, device, dtype))
        }
        network => network.init(config.d_input, config.d_output, device),
    };
    Fitted::of_classes(encoder, scaling, data, device)
}

/// What watches a fit for Python.
pub struct Watch {
    on_step: Option<Py<PyAny>>,
    /// `[d, k]` of a linear map, whose parameters are the transpose of A.
    linear: Option<[usize; 2]>,
}

impl Watch {
    /// Calls `on_step` after every step of a fit of this map, `[d, k]`.
    pub fn new(on_step: Option<Py<PyAny>>, encoder: &EncoderConfig, shape: [usize; 2]) -> Self {
        let linear = (*encoder == EncoderConfig::Linear).then_some(shape);
        Self { on_step, linear }
    }

    /// Fits; what the callback or Ctrl-C raised comes before any result.
    ///
    /// # Errors
    /// What the fit refuses, and what Python raised.
    pub fn run(
        self,
        fit: impl FnOnce(FitSession<'_>) -> burn_nca_learn::Result<Fitted>,
    ) -> PyResult<Model> {
        let raised_there = RefCell::new(None);
        let told = |told: PyResult<()>| match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                raised_there.replace(Some(error));
                ControlFlow::Break(Termination::Stopped)
            }
        };
        let mut on_progress = |_: &Progress| told(Python::attach(|py| py.check_signals()));
        let mut on_parameters = |progress: &Progress, parameters: &[f64]| {
            told(Python::attach(|py| self.tell(py, progress, parameters)))
        };
        let session = FitSession::new().with_progress(&mut on_progress);
        let fitted = match self.on_step {
            Some(_) => fit(session.with_parameters(&mut on_parameters)),
            None => fit(session),
        };
        match raised_there.into_inner() {
            Some(error) => Err(error),
            None => fitted.map(Model::of).map_err(raised),
        }
    }

    fn tell(&self, py: Python<'_>, progress: &Progress, parameters: &[f64]) -> PyResult<()> {
        if let Some(on_step) = &self.on_step {
            let flat = match self.linear {
                Some(shape) => transposed(parameters, shape),
                None => parameters.to_vec(),
            };
            let transformation = PyArray1::from_vec(py, flat);
            on_step.call1(py, (transformation, progress.iteration, progress.value))?;
        }
        Ok(())
    }
}
