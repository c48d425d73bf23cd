//! What a report says about a model, whatever it was learned from.

use burn_nca_learn::fit::{Precision, Termination};
use burn_nca_learn::{Fitted, device};

use crate::{Curve, CurvePoint, DeviceSummary, FeatureWeight, FeatureWeights, Matrix, SolverRun};
use burn_nca_program::peak_memory_bytes;

impl DeviceSummary {
    /// Where it was fitted.
    pub fn of(model: &Fitted) -> Self {
        let precision = match model.card().fit.precision {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        };
        let backend = device::backend(&model.references().device()).to_string();
        DeviceSummary { name: backend.clone(), backend, dtype: precision.to_string() }
    }
}

impl SolverRun {
    /// How the solver went.
    pub fn of(model: &Fitted) -> Self {
        let summary = model.summary();
        SolverRun {
            termination: format!("{:?}", summary.termination),
            termination_sentence: summary.termination.sentence().to_string(),
            converged: summary.termination.converged(),
            without_steps: model.applied_method().without_steps
                || summary.termination == Termination::ClosedForm,
            iterations: summary.iterations as u64,
            evaluations: summary.evaluations as u64,
            seconds: summary.seconds,
            ended: None,
            sums: summary.sums.clone(),
            omitted: summary.history.last().and_then(|step| step.omitted),
            peak_memory_bytes: peak_memory_bytes(),
        }
    }
}

impl FeatureWeights {
    /// The norm of each column of A.
    pub fn of(model: &Fitted) -> Self {
        let norms = model.feature_norms();
        norms.map(|norms| Self::of_norms(model.scaling().names(), norms)).unwrap_or_default()
    }

    /// The columns of these names and norms.
    pub(crate) fn of_norms(names: &[String], norms: Vec<f64>) -> Self {
        let trace: f64 = norms.iter().map(|norm| norm * norm).sum();
        let share = |norm: f64| if trace > 0.0 { norm * norm / trace } else { 0.0 };
        let weight = |(name, weight): (&String, f64)| FeatureWeight {
            column: name.clone(),
            weight,
            share: share(weight),
        };
        FeatureWeights(names.iter().zip(norms).map(weight).collect())
    }
}

impl Matrix {
    /// A, where it is small.
    pub fn of(model: &Fitted) -> Option<Self> {
        let names = model.scaling().names();
        // A diagonal map would be written out in full.
        if names.len() > Matrix::LARGEST {
            return None;
        }
        Matrix::small(names.to_vec(), &model.matrix()?)
    }
}

impl Curve {
    /// The solver's path.
    pub fn of(model: &Fitted) -> Self {
        let steps = model.summary().history.iter().map(|step| CurvePoint {
            iteration: step.iteration as u64,
            value: step.value,
            held_out: step.held_out,
            gradient_max: Some(step.gradient_max),
        });
        Curve(steps.collect())
    }
}
