//! Latent coincidence analysis: maps in which rows that belong together coincide with high probability.
//!
//! ```text
//! Labeled ──► labeled pairs ──► EM, or the gradient of the same likelihood ──► W, σ² (κ²)
//!
//! lca              a row with its nearest of its class (y = 1) and the others that are as near (y = 0); k-NN in W x
//! lca-classifier   a row with each class mean, y = 1 for its own: one map per class; the most likely mean decides
//! ```

mod classifier;
mod metric;

pub use classifier::LcaClassifier;
pub use metric::Lca;

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::baseline::transposed;
use crate::data::{Features, Labeled, LabeledPairs, TensorFeatures};
use crate::encoder::{AnyEncoder, EncoderConfig, LinearMap};
use crate::error::{Error, Result};
use crate::fit::{
    CoincidenceEm, CoincidenceState, EmProblem, FitConfig, FitIdentity, FitSession, HeldOutScore,
    HeldOutState, LbfgsConfig, MorePairs, OptimizerConfig, Solution,
};
use crate::method::gradient::GradientFit;
use crate::method::{Problem, Uses};
use crate::objective::{CoincidenceIndex, CoincidenceLoss};

/// How the likelihood is maximized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trainer {
    /// Expectation-maximization: linear maps, no step to choose.
    Em,
    /// The gradient of the same likelihood ([`CoincidenceLoss`](crate::objective::CoincidenceLoss)), by the optimizer
    /// of the settings, for any encoder.
    Gradient,
}

/// The score of a map on held-out rows; larger is better.
type Score<'a> = dyn Fn(&AnyEncoder, &[f64]) -> f64 + 'a;

/// Labeled pairs to learn maps from.
struct Training<'a> {
    problem: &'a Problem<'a, Labeled>,
    /// The rows that pairs are of, `[n, d]`: those of the problem, or some of them, and class means.
    features: &'a Features,
    pairs: &'a LabeledPairs,
    /// Number of dimensions of each map.
    latent: usize,
    local_scales: bool,
    /// σ² at the start.
    sigma_sq: f64,
    /// The map to start from, to as many dimensions as all maps have together.
    start: AnyEncoder,
    /// Steps after which EM ends; 0: not before it converges.
    steps: usize,
    /// How often to look for further pairs, and where.
    refresh: Option<(usize, Box<MorePairs<'a>>)>,
    /// The score that early stopping follows, of the encoder and σ² of each map.
    held_out: Option<&'a Score<'a>>,
    identity: &'a dyn Fn() -> FitIdentity,
}

/// The encoder to all maps side by side, and σ² of each.
type Trained = (AnyEncoder, Vec<f64>);

impl Training<'_> {
    fn run(self, trainer: Trainer, session: FitSession<'_>) -> Result<Solution<Trained>> {
        match trainer {
            Trainer::Em => self.em(session),
            Trainer::Gradient => self.gradient(session),
        }
    }

    fn em(self, session: FitSession<'_>) -> Result<Solution<Trained>> {
        let mut model = self.model()?;
        let AnyEncoder::Linear(map) = &self.start else {
            return Err(linear_maps_only());
        };
        let start = model.start(map.matrix(), self.sigma_sq);
        let (problem, d) = (self.problem, self.features.columns());
        if let Some((every, more)) = self.refresh {
            model = model.with_refresh(every, more);
        }
        let trained = |state: &CoincidenceState| -> Trained {
            let weight = transposed(&state.weights, d);
            let shape = [d, weight.len() / d];
            let map = LinearMap::from_weight(&weight, shape, &problem.device, problem.dtype);
            (AnyEncoder::Linear(map), state.sigma_sq.clone())
        };
        let score = self.held_out.map(|score| {
            move |state: &CoincidenceState| {
                let (encoder, sigma_sq) = trained(state);
                score(&encoder, &sigma_sq)
            }
        });
        let steps = (self.steps > 0).then_some(self.steps);
        let fit = FitConfig { stop_at: problem.fit.stop_at.or(steps), ..problem.fit.clone() };
        let (max_iterations, tolerance_progress) = em_limits(&problem.fit.optimizer, self.steps)?;
        let em = EmProblem {
            start,
            max_iterations,
            tolerance_progress,
            fit: &fit,
            held_out: score.as_ref().map(|score| score as &HeldOutState<'_>),
            identity: self.identity,
        };
        let solution = em.maximize(&mut model, session)?;
        let found = trained(&solution.module);
        Ok(solution.map(|_| found))
    }

    fn gradient(self, session: FitSession<'_>) -> Result<Solution<Trained>> {
        let Problem { fit, device, dtype, .. } = self.problem;
        // Length scales that suit the start; a network's are learned from 1.
        let kappa_sq = match (&self.start, self.local_scales) {
            (AnyEncoder::Linear(map), true) => {
                Some(self.model()?.start(map.matrix(), self.sigma_sq).kappa_sq)
            }
            (_, true) => Some(vec![1.0; self.pairs.anchors()]),
            (_, false) => None,
        };
        let sigma_sq = vec![self.sigma_sq; self.pairs.maps()];
        let loss = CoincidenceLoss::new(&sigma_sq, kappa_sq.as_deref(), device, *dtype);
        let x: Tensor<2> = self.features.to_tensor(device, *dtype);
        let index = CoincidenceIndex::new(self.pairs, device);
        let score = self.held_out.map(|score| {
            // The score of an encoder does not see σ²; where it matters, that of the start serves.
            move |encoder: &AnyEncoder| score(encoder, &sigma_sq)
        });
        let run = GradientFit {
            encoder: self.start,
            objective: loss,
            x: (&x).into(),
            target: &index,
            held_out: score.as_ref().map(|score| score as &HeldOutScore<'_, AnyEncoder>),
            identity: self.identity,
        };
        let solution = run.fit(self.latent * self.pairs.maps(), fit, session)?;
        Ok(solution.map(|model| (model.encoder, model.objective.sigma_sq())))
    }

    fn model(&self) -> Result<CoincidenceEm<'static>> {
        CoincidenceEm::new(self.features, self.pairs, self.latent, self.local_scales)
    }
}

/// What a search tries of the settings that all methods share: dimensions, and the penalty that EM has not.
fn searched(trainer: Trainer) -> &'static [Uses] {
    match trainer {
        Trainer::Em => &[Uses::Dimensions],
        Trainer::Gradient => &[Uses::Dimensions, Uses::L2],
    }
}

/// Checks that the trainer has a use for what the settings ask for.
fn check_trainer(trainer: Trainer, problem: &Problem<'_, Labeled>) -> Result<()> {
    let (d, p) = (problem.data.features().columns(), problem.d_output);
    if problem.data.weights().is_some() {
        return Err(Error::setting(
            "the rows have weights, which latent coincidence analysis has no use for; leave them out",
        ));
    }
    if problem.encoder == EncoderConfig::Linear && p > d {
        return Err(Error::setting(format!(
            "latent coincidence analysis was asked for {p} dimensions of {d} features; ask for {d} or fewer"
        )));
    }
    if trainer == Trainer::Gradient {
        return Ok(());
    }
    if problem.encoder != EncoderConfig::Linear {
        return Err(linear_maps_only());
    }
    if problem.fit.l2 > 0.0 {
        return Err(Error::setting(format!(
            "l2 is {}, and EM has no penalty; set it to 0, or the trainer to gradient",
            problem.fit.l2
        )));
    }
    em_limits(&problem.fit.optimizer, 0).map(drop)
}

/// The most steps of EM and its tolerance, those of the optimizer; the default one does not cut off the steps that the
/// method is set to.
fn em_limits(optimizer: &OptimizerConfig, steps: usize) -> Result<(usize, f64)> {
    let (iterations, tolerance) = match optimizer {
        OptimizerConfig::Lbfgs(solver) => (solver.max_iterations, solver.tolerance_progress),
        OptimizerConfig::ConjugateGradient(solver) => {
            (solver.max_iterations, solver.tolerance_progress)
        }
        OptimizerConfig::Adam(_) | OptimizerConfig::Sgd(_) => {
            return Err(Error::setting(
                "EM passes over all rows and has no mini-batches; leave the optimizer out, or set the trainer to \
                 gradient",
            ));
        }
    };
    let is_default = iterations == LbfgsConfig::new().max_iterations;
    let iterations = if is_default { iterations.max(steps) } else { iterations };
    Ok((iterations, tolerance))
}

fn linear_maps_only() -> Error {
    Error::setting(
        "EM fits linear maps; leave the encoder linear, or set the trainer to gradient, which takes any encoder",
    )
}

#[cfg(test)]
mod tests;
