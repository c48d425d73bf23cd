//! Any method of the library, by its name.

use std::collections::BTreeMap;

use burn::tensor::Device;
use burn_nca_learn::data::{
    AnyData, Coincidences, Features, Labeled, Pairs, RegressionData, TrainingData,
};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::method::AnyMethod;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::fitting::{Classes, Numbers, Watch, in_place};
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
#[expect(clippy::too_many_arguments, reason = "those of Python")]
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
    let task = Prepared::new(method, own, (x.features(names)?, y), &settings)?;
    task.dispatch(Fit { py, on_step })
}

/// What a method learns from: `(labels, class names, weights)`, `(targets, target names, weights)`, or pairs
/// `[(row, row, weight)]`.
#[derive(FromPyObject)]
pub enum Targets<'py> {
    /// A class per row.
    #[pyo3(transparent)]
    Classes(Classes<'py>),
    /// Numbers per row.
    #[pyo3(transparent)]
    Numbers(Numbers<'py>),
    /// Two rows each, from 0, and how much the pair weighs.
    #[pyo3(transparent)]
    Pairs(Vec<(usize, usize, f64)>),
}

/// A method with its settings and its data.
pub struct Prepared {
    estimator: Estimator,
    data: TrainingSet,
    device: Device,
}

enum TrainingSet {
    Classes(Labeled),
    Numbers(RegressionData),
    Pairs(Coincidences),
    Rows(Features),
}

/// What is done with a method and its data, whatever it learns from.
pub trait Visitor {
    /// What comes of it.
    type Outcome;

    /// Does it.
    ///
    /// # Errors
    /// Those of the visitor.
    fn of<D: TrainingData>(
        self,
        estimator: Estimator,
        data: D,
        device: &Device,
    ) -> PyResult<Self::Outcome>;
}

impl Prepared {
    /// The method of this name, with settings of its own in JSON, for these rows.
    ///
    /// # Errors
    /// ValueError for a name, a setting or data that the library refuses.
    pub fn new(
        name: &str,
        own: BTreeMap<String, String>,
        (features, y): (Features, Option<Targets<'_>>),
        settings: &Settings,
    ) -> PyResult<Self> {
        let mut method = AnyMethod::named(name).map_err(raised)?;
        for (name, value) in own {
            method = method.with_setting(&name, &value).map_err(raised)?;
        }
        let (n, d) = (features.rows(), features.columns());
        let encoder = settings.encoder(&method)?;
        let regularized = matches!(&encoder, EncoderConfig::Mlp(layers) if layers.batch_norm);
        let l2 = match regularized {
            true => 0.0,
            false => method.recommended_l2(&encoder),
        };
        let fit = settings.fit(n, regularized)?.with_l2(settings.l2.unwrap_or(l2));
        let mut start = settings.unlabeled_start()?;
        let data = match y {
            Some(Targets::Classes(classes)) => {
                let data = classes.of(features)?;
                start = settings.start(&data)?;
                TrainingSet::Classes(data)
            }
            Some(Targets::Numbers(numbers)) => TrainingSet::Numbers(numbers.of(features)?),
            Some(Targets::Pairs(pairs)) => {
                let pairs = Pairs::new(n, pairs).map_err(raised)?;
                TrainingSet::Pairs(Coincidences::new(features, pairs).map_err(raised)?)
            }
            None => TrainingSet::Rows(features),
        };
        let k = settings.n_components.or_else(|| method.default_dimension(data.as_any_data()));
        let estimator = Estimator::new(d, k.unwrap_or(d), method)
            .with_encoder(encoder)
            .with_fit(fit.with_start(start));
        let estimator = if settings.rows_may_decide() { estimator.for_rows(n) } else { estimator };
        Ok(Self { estimator, data, device: settings.device()? })
    }

    /// Does something with the method and its data.
    ///
    /// # Errors
    /// Those of the visitor.
    pub fn dispatch<T: Visitor>(self, visitor: T) -> PyResult<T::Outcome> {
        let Self { estimator, data, device } = self;
        match data {
            TrainingSet::Classes(data) => visitor.of(estimator, data, &device),
            TrainingSet::Numbers(data) => visitor.of(estimator, data, &device),
            TrainingSet::Pairs(data) => visitor.of(estimator, data, &device),
            TrainingSet::Rows(data) => visitor.of(estimator, data, &device),
        }
    }
}

impl TrainingSet {
    fn as_any_data(&self) -> AnyData<'_> {
        match self {
            Self::Classes(data) => data.as_any_data(),
            Self::Numbers(data) => data.as_any_data(),
            Self::Pairs(data) => data.as_any_data(),
            Self::Rows(data) => data.as_any_data(),
        }
    }
}

struct Fit<'py> {
    py: Python<'py>,
    on_step: Option<Py<PyAny>>,
}

impl Visitor for Fit<'_> {
    type Outcome = Model;

    fn of<D: TrainingData>(
        self,
        estimator: Estimator,
        data: D,
        device: &Device,
    ) -> PyResult<Model> {
        let encoder: EncoderConfig = estimator.encoder.clone();
        let shape = [estimator.d_input, estimator.d_output];
        let watch = Watch::new(self.on_step, &encoder, shape);
        self.py.detach(|| watch.run(|session| in_place(&estimator, data, device, session)))
    }
}
