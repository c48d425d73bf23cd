//! A fitted metric: transform, predict, save, load, pickle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, ScalingKind};
use burn_nca_learn::estimator::Decision;
use burn_nca_learn::neighbors::ClassProbabilities;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::raised;
use crate::table::{Numbers, Table, array, matrix};

/// Rows that are read and embedded at a time: a large table is never there twice.
const CHUNK: usize = 8192;

/// A fitted metric with all that predictions need.
///
/// Its calls run without the GIL, one at a time.
#[pyclass(frozen, module = "burn_nca._burn_nca")]
pub struct Model {
    // In a box: Python aligns its objects to 16 bytes, and a tensor of Burn may ask for 64.
    fitted: Mutex<Box<Fitted>>,
    learned: bool,
}

impl Model {
    /// A model that was fitted.
    pub fn of(fitted: Fitted) -> Self {
        Self { fitted: Mutex::new(Box::new(fitted)), learned: true }
    }

    /// A model at its start, of rows that say nothing.
    pub fn unfitted(fitted: Fitted) -> Self {
        Self { fitted: Mutex::new(Box::new(fitted)), learned: false }
    }

    /// The model, one thread at a time. Taken without the GIL only: its holder may be waiting for that.
    fn lock(&self) -> MutexGuard<'_, Box<Fitted>> {
        self.fitted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the model without the GIL.
    pub fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&Fitted) -> T + Send) -> T {
        py.detach(|| read(&self.lock()))
    }

    /// The names of the features, for a table of as many columns.
    pub fn feature_names_of(&self, py: Python<'_>, x: &Table<'_>) -> PyResult<Vec<String>> {
        let [_, columns] = x.shape();
        let names = self.feature_names(py);
        if names.len() != columns {
            return Err(PyValueError::new_err(format!(
                "X has {columns} features, but the model was fitted with {} features",
                names.len()
            )));
        }
        Ok(names)
    }

    /// Computes with the features of `x`, whose columns are those of the model.
    fn with_features<T: Send>(
        &self,
        py: Python<'_>,
        x: &Table<'_>,
        compute: impl FnOnce(&Fitted, &Features) -> burn_nca_learn::Result<T> + Send,
    ) -> PyResult<T> {
        let features = x.features(Some(self.feature_names_of(py, x)?))?;
        py.detach(|| compute(&self.lock(), &features)).map_err(raised)
    }
}

#[pymethods]
impl Model {
    /// Whether there was something to learn from.
    #[getter]
    fn learned(&self) -> bool {
        self.learned
    }

    /// The embedding, `[n, k]`, in the number type of the fit; [`CHUNK`] rows are read at a time.
    ///
    /// With `uncentered` a linear map of unscaled features gives A x, also where the library moved far columns to
    /// their means before it fitted: distances are the same.
    #[pyo3(signature = (x, uncentered=false))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        x: Table<'py>,
        uncentered: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let names = self.feature_names_of(py, &x)?;
        let [n, _] = x.shape();
        let part = |from: usize| -> PyResult<Tensor<2>> {
            let features = x.part(from..n.min(from + CHUNK), names.clone())?;
            py.detach(|| embedding(&self.lock(), &features, uncentered)).map_err(raised)
        };
        let first = part(0)?;
        let [_, k] = first.dims();
        let all = (CHUNK..n)
            .step_by(CHUNK)
            .try_fold(Numbers::of(first)?, |all, from| all.and(part(from)?, n * k))?;
        all.into_array(py, [n, k])
    }

    /// A on the scaled features, `[k, d]`; None for a network.
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (values, d, single) = self.read(py, |fitted| {
            let single = fitted.card().fit.precision == burn_nca_learn::fit::Precision::F32;
            (fitted.matrix(), fitted.card().d_input, single)
        });
        let Some(values) = values else { return Ok(None) };
        let shape = [values.len() / d.max(1), d];
        if single {
            return matrix(py, values.iter().map(|&value| value as f32).collect(), shape).map(Some);
        }
        matrix(py, values, shape).map(Some)
    }

    /// What is taken off each feature, and what it is then divided by.
    fn scaling<'py>(&self, py: Python<'py>) -> [Bound<'py, PyArray1<f64>>; 2] {
        let (offset, scale) = self.read(py, |fitted| {
            (fitted.scaling().offset().to_vec(), fitted.scaling().scale().to_vec())
        });
        [PyArray1::from_vec(py, offset), PyArray1::from_vec(py, scale)]
    }

    /// The embedded training rows, `[n, k]`.
    fn references<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let references = self.read(py, |fitted| fitted.references().clone());
        array(py, references)
    }

    /// The class of each training row, counted from 0; empty for a model without classes.
    fn reference_labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let labels = self.read(py, |fitted| indices(fitted.reference_labels()));
        PyArray1::from_vec(py, labels)
    }

    /// How the model predicts: the k of the nearest training rows, None for the soft rule.
    #[getter]
    fn decision(&self, py: Python<'_>) -> Option<usize> {
        self.read(py, |fitted| match fitted.decision() {
            Decision::Nearest { neighbors } => Some(neighbors),
            Decision::Soft => None,
        })
    }

    /// Sets how the model predicts, as it is saved and exported.
    #[pyo3(signature = (k=None))]
    fn set_decision(&self, py: Python<'_>, k: Option<usize>) -> PyResult<()> {
        py.detach(|| {
            let mut fitted = self.lock();
            **fitted = fitted.as_ref().clone().with_decision(decision_of(k))?;
            Ok(())
        })
        .map_err(raised)
    }

    /// The class of each row, counted from 0: the vote of the k nearest training rows; without k by the soft rule.
    #[pyo3(signature = (x, k=None))]
    fn predict_classes<'py>(
        &self,
        py: Python<'py>,
        x: Table<'py>,
        k: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let decide =
            |fitted: &Fitted, features: &Features| fitted.decide_classes(features, decision_of(k));
        Ok(PyArray1::from_vec(py, indices(&self.with_features(py, &x, decide)?)))
    }

    /// The share of each class in the votes of the k nearest training rows, `[n, c]`.
    fn vote_shares<'py>(
        &self,
        py: Python<'py>,
        x: Table<'py>,
        k: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (shares, classes) = self.with_features(py, &x, |fitted, features| {
            Ok((fitted.vote_shares(features, k)?, fitted.class_names().len()))
        })?;
        let rows = shares.len() / classes.max(1);
        matrix(py, shares, [rows, classes])
    }

    /// The probability of each class by the stochastic rule, `[n, c]`; with `log` its logarithm.
    #[pyo3(signature = (x, log=false))]
    fn class_probabilities<'py>(
        &self,
        py: Python<'py>,
        x: Table<'py>,
        log: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let probabilities =
            self.with_features(py, &x, |fitted, features| fitted.class_probabilities(features))?;
        let shape = [probabilities.rows(), probabilities.classes()];
        matrix(py, py.detach(|| flat(&probabilities, log)), shape)
    }

    /// The mean of the targets of the k nearest training rows, `[n, m]`; without k of all, weighted by p_ij.
    #[pyo3(signature = (x, k=None))]
    fn predict_numbers<'py>(
        &self,
        py: Python<'py>,
        x: Table<'py>,
        k: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (values, columns) = self.with_features(py, &x, |fitted, features| {
            let values = fitted.decide_numbers(features, decision_of(k))?;
            Ok((values, fitted.targets().map_or(1, Features::columns)))
        })?;
        let rows = values.len() / columns;
        matrix(py, values, [rows, columns])
    }

    /// The names of the features.
    #[getter]
    fn feature_names(&self, py: Python<'_>) -> Vec<String> {
        self.read(py, |fitted| fitted.scaling().names().to_vec())
    }

    /// The names of the classes; none for a model without classes.
    #[getter]
    fn class_names(&self, py: Python<'_>) -> Vec<String> {
        self.read(py, |fitted| fitted.class_names().to_vec())
    }

    /// The names of the targets; none for a model without numbers.
    #[getter]
    fn target_names(&self, py: Python<'_>) -> Vec<String> {
        self.read(py, |fitted| {
            fitted.targets().map_or(Vec::new(), |targets| targets.names().to_vec())
        })
    }

    /// How the fit went, as JSON.
    fn summary_json(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |fitted| json(fitted.summary()))
    }

    /// What the model was fitted with, as JSON.
    fn card_json(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |fitted| json(fitted.card()))
    }

    /// Why the fit stopped, as a sentence; whether it converged; whether it ended where its settings say.
    fn termination(&self, py: Python<'_>) -> (String, bool, bool) {
        self.read(py, |fitted| {
            let end = fitted.summary().termination;
            (end.to_string(), end.converged(), end.is_planned())
        })
    }

    /// Saves the model to a new folder, which the program `nca` reads as well.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.read(py, |fitted| fitted.save(&path)).map_err(raised)
    }

    /// Loads a model that was saved here or by the program `nca`.
    #[staticmethod]
    #[pyo3(signature = (path, device="cpu"))]
    fn load(py: Python<'_>, path: PathBuf, device: &str) -> PyResult<Self> {
        let device = burn_nca_learn::device::open(device).map_err(raised)?;
        py.detach(|| Fitted::load(&path, &device)).map(Self::of).map_err(raised)
    }

    /// Exports a linear or diagonal map as one linear layer on raw features, in a `.safetensors` file.
    fn export_safetensors(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.read(py, |fitted| fitted.export_safetensors(&path)).map_err(raised)
    }

    /// Writes scaling and map as an ONNX graph; with `neighbors` the training rows and the rule too.
    #[pyo3(signature = (path, neighbors=false))]
    fn to_onnx(&self, py: Python<'_>, path: PathBuf, neighbors: bool) -> PyResult<()> {
        self.read(py, |fitted| burn_nca_onnx::export(fitted, &path, neighbors)).map_err(raised)
    }

    /// The files of the model's folder by name, for pickles.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = self.read(py, Fitted::to_files).map_err(raised)?;
        let dict = PyDict::new(py);
        for (name, bytes) in files {
            dict.set_item(name, PyBytes::new(py, &bytes))?;
        }
        Ok(dict)
    }

    /// The model of such files.
    #[staticmethod]
    #[pyo3(signature = (files, learned=true, device="cpu"))]
    fn of_files(
        py: Python<'_>,
        files: BTreeMap<String, Vec<u8>>,
        learned: bool,
        device: &str,
    ) -> PyResult<Self> {
        let device = burn_nca_learn::device::open(device).map_err(raised)?;
        let fitted = py.detach(|| -> PyResult<Fitted> {
            let folder = tempfile::tempdir()?;
            for (name, bytes) in &files {
                let plain = Path::new(name).components().count() == 1 && !name.starts_with('.');
                if !plain {
                    return Err(PyValueError::new_err(format!("{name:?} is no file of a model")));
                }
                std::fs::write(folder.path().join(name), bytes)?;
            }
            Fitted::load(folder.path(), &device).map_err(raised)
        })?;
        Ok(Self { fitted: Mutex::new(Box::new(fitted)), learned })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let model = slf.get();
        let files = model.files(slf.py())?;
        Ok((slf.get_type().getattr("of_files")?, (files, model.learned)))
    }
}

/// What a pickle holds: the files of the model, and whether it was learned.
type Pickled<'py> = (Bound<'py, PyDict>, bool);

/// The embedding of rows; with `uncentered` A x, where the features are not scaled.
fn embedding(
    fitted: &Fitted,
    features: &Features,
    uncentered: bool,
) -> burn_nca_learn::Result<Tensor<2>> {
    let z = fitted.transform(features)?;
    let scaling = fitted.scaling();
    let centered = scaling.offset().iter().any(|offset| *offset != 0.0);
    if !(uncentered && centered && scaling.kind() == ScalingKind::None) {
        return Ok(z);
    }
    // The embedding of the origin is -A offset.
    let origin = vec![0.0; features.columns()];
    Ok(z - fitted.transform(&Features::new(origin, features.names().to_vec())?)?)
}

/// The vote, or the mean, of the k nearest training rows; without k the soft rule.
pub fn decision_of(k: Option<usize>) -> Decision {
    k.map_or(Decision::Soft, |neighbors| Decision::Nearest { neighbors })
}

fn indices(classes: &[usize]) -> Vec<i64> {
    classes.iter().map(|&class| class as i64).collect()
}

fn flat(probabilities: &ClassProbabilities, log: bool) -> Vec<f64> {
    let rows = (0..probabilities.rows()).map(|row| probabilities.log_probabilities(row));
    rows.flatten().map(|value| if log { *value } else { value.exp() }).collect()
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
