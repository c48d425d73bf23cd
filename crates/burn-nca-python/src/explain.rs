//! What predictions are made of, and training rows whose labels look wrong, as flat arrays.

use burn_nca_learn::estimator::{Explanation, TrainingTargets};
use burn_nca_learn::neighbors::Influence;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::model::{Model, decision_of};
use crate::table::Table;

type Ints<'py> = Bound<'py, PyArray1<i64>>;
type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// Training rows, their shares and distances, `[n, m]`, with -1 and 0 where there are fewer than m; and where `training`
/// is given the contributions of the features, `[n, d]`, and the training row that they are compared with, or -1.
///
/// # Errors
/// ValueError for rows that are not the model's, or a model whose training rows have no share in a prediction.
#[pyfunction]
#[pyo3(signature = (model, x, k=None, most=3, training=None))]
pub fn explain<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
    x: Table<'py>,
    k: Option<usize>,
    most: usize,
    training: Option<Table<'py>>,
) -> PyResult<(Ints<'py>, Floats<'py>, Floats<'py>, Floats<'py>, Ints<'py>)> {
    let names = model.feature_names_of(py, &x)?;
    let features = x.features(Some(names.clone()))?;
    let training = training.map(|training| {
        model.feature_names_of(py, &training)?;
        training.features(Some(names))
    });
    let training = training.transpose()?;
    let found = model
        .read(py, |fitted| fitted.explain(&features, training.as_ref(), decision_of(k), most))
        .map_err(raised)?;
    let padded = |found: &Explanation| -> Vec<Option<Influence>> {
        (0..most).map(|at| found.neighbors.get(at).copied()).collect()
    };
    let neighbors: Vec<Option<Influence>> = found.iter().flat_map(padded).collect();
    let each = |read: fn(&Influence) -> f64| -> Vec<f64> {
        neighbors.iter().map(|one| one.as_ref().map_or(0.0, read)).collect()
    };
    let row = |row: Option<usize>| row.map_or(-1, |row| row as i64);
    let rows = neighbors.iter().map(|one| row(one.map(|one| one.reference))).collect();
    let of_features = || found.iter().filter_map(|found| found.features.as_ref());
    let contributions = of_features().flat_map(|found| found.values.clone()).collect();
    let rivals = of_features().map(|found| row(found.rival)).collect();
    Ok((
        PyArray1::from_vec(py, rows),
        PyArray1::from_vec(py, each(|one| one.share)),
        PyArray1::from_vec(py, each(|one| one.distance)),
        PyArray1::from_vec(py, contributions),
        PyArray1::from_vec(py, rivals),
    ))
}

/// The training rows, those first whose label looks wrong: for classes their probability, the class that is suggested, and
/// its probability; for numbers the residual in units of its spread, the target column, and the prediction.
///
/// # Errors
/// ValueError for a model of pairs.
#[pyfunction]
pub fn label_quality<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
) -> PyResult<(Ints<'py>, Floats<'py>, Ints<'py>, Floats<'py>)> {
    let found = model.read(py, |fitted| match fitted.training_targets() {
        TrainingTargets::Numbers { .. } => {
            let found = fitted.target_quality()?.into_iter();
            let of = |one: burn_nca_learn::estimator::TargetQuality| {
                (one.row, one.residual, one.column, one.predicted)
            };
            Ok(found.map(of).collect::<Vec<_>>())
        }
        _ => {
            let found = fitted.label_quality()?.into_iter();
            Ok(found.map(|one| (one.row, one.p, one.suggested, one.suggested_p)).collect())
        }
    });
    let found: Vec<(usize, f64, usize, f64)> = found.map_err(raised)?;
    let whole = |read: fn(&(usize, f64, usize, f64)) -> usize| {
        PyArray1::from_vec(py, found.iter().map(|one| read(one) as i64).collect())
    };
    let real = |read: fn(&(usize, f64, usize, f64)) -> f64| {
        PyArray1::from_vec(py, found.iter().map(read).collect())
    };
    Ok((whole(|one| one.0), real(|one| one.1), whole(|one| one.2), real(|one| one.3)))
}
