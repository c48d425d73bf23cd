//! What a report says of a model, whatever it was learned from.

use burn_nca::fit::Precision;
use burn_nca::{Fitted, device};

use super::ending::sentence;
use crate::date;
use burn_nca_program::peak_memory_bytes;
use burn_nca_report::{
    Curve, CurvePoint, DeviceSummary, FeatureWeight, FeatureWeights, Matrix, SolverRun,
};

/// Where it was fitted; `name` is the device's name as the user gave it.
pub fn device(model: &Fitted, name: &str) -> DeviceSummary {
    let precision = match model.card().fit.precision {
        Precision::F32 => "f32",
        Precision::F64 => "f64",
    };
    DeviceSummary {
        name: name.to_string(),
        backend: device::backend(&model.references().device()).to_string(),
        dtype: precision.to_string(),
    }
}

/// How the solver went.
pub fn run(model: &Fitted) -> SolverRun {
    let summary = model.summary();
    SolverRun {
        termination: format!("{:?}", summary.termination),
        termination_sentence: sentence(summary.termination).to_string(),
        converged: summary.termination.converged(),
        iterations: summary.iterations as u64,
        evaluations: summary.evaluations as u64,
        seconds: summary.seconds,
        ended: Some(date::now()),
        peak_memory_bytes: peak_memory_bytes(),
    }
}

/// The norm of each column of A.
pub fn feature_weights(model: &Fitted) -> FeatureWeights {
    let names = model.scaling().names();
    let Some(norms) = model.feature_norms() else { return FeatureWeights::default() };
    let trace: f64 = norms.iter().map(|norm| norm * norm).sum();
    let share = |norm: f64| if trace > 0.0 { norm * norm / trace } else { 0.0 };
    let weight = |(name, weight): (&String, f64)| FeatureWeight {
        column: name.clone(),
        weight,
        share: share(weight),
    };
    FeatureWeights(names.iter().zip(norms).map(weight).collect())
}

/// A, where it is small.
pub fn matrix(model: &Fitted) -> Option<Matrix> {
    let names = model.scaling().names();
    // A diagonal map would be written out in full.
    if names.len() > Matrix::LARGEST {
        return None;
    }
    Matrix::small(names.to_vec(), &model.matrix()?)
}

/// The solver's path.
pub fn curve(model: &Fitted) -> Curve {
    let steps = model.summary().history.iter().map(|step| CurvePoint {
        iteration: step.iteration as u64,
        value: step.value,
        held_out: step.held_out,
        gradient_max: Some(step.gradient_max),
    });
    Curve(steps.collect())
}
