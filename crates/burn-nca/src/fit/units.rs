//! The parameters of a map in units of the spread of its features, as the minimizers see them.

use burn::tensor::Tensor;

use super::parameters::{assign, flatten};
use super::{Evaluation, FitConfig, Inputs, Problem};
use crate::data::{ScalingKind, mean_and_variance};
use crate::encoder::{Encoder, EncoderConfig};
use crate::model::MetricModel;
use crate::objective::Objective;

/// A variance this near to 1 is 1: far more than the rounding of f32, and far less than what a step would notice.
const ROUNDING: f64 = 1e-4;

/// A problem whose positions are the parameters times a unit.
///
/// First steps and tolerances have a length: with A as the position, features times 1000 would take other steps to
/// another optimum. As position A times the spread of the features they take the same. Standardized features have
/// spread 1; the weights of a network have no one unit, and keep theirs.
pub(super) struct Units<'a, 'p, E: Encoder, O: Objective> {
    pub problem: &'a Problem<'p, E, O>,
    pub config: &'a FitConfig,
    /// What a parameter is multiplied by to give a component of a position.
    pub unit: f64,
    /// Asked before every evaluation; once it is true the fit ends.
    pub ends: Option<&'a dyn Fn() -> bool>,
}

impl<'a, 'p, E: Encoder, O: Objective> Units<'a, 'p, E, O> {
    pub fn new(problem: &'a Problem<'p, E, O>, config: &'a FitConfig) -> Self {
        Self { problem, config, unit: unit(problem, config), ends: None }
    }

    /// Whether the caller wants the fit to end now.
    pub fn ended(&self) -> bool {
        self.ends.is_some_and(|ends| ends())
    }

    /// The position of the start.
    pub fn start(&self) -> Vec<f64> {
        let mut position = flatten(&self.problem.model);
        if self.unit != 1.0 {
            position.iter_mut().for_each(|value| *value *= self.unit);
        }
        position
    }

    /// The model at a position.
    pub fn model(&self, position: &[f64]) -> MetricModel<E, O> {
        assign(self.problem.model.clone(), &self.parameters(position))
    }

    /// The penalized objective and its gradient at a position.
    pub fn evaluate(&self, position: &[f64]) -> Evaluation {
        self.evaluate_on(self.problem.target, position)
    }

    /// The target at a position, where it depends on that.
    pub fn renewed(&self, position: &[f64]) -> Option<O::Target> {
        self.problem.renewed(&self.parameters(position))
    }

    /// The same as [`evaluate`](Self::evaluate) with another target of the same points.
    pub fn evaluate_on(&self, target: &O::Target, position: &[f64]) -> Evaluation {
        if self.ended() {
            // No minimizer goes on from here.
            return Evaluation::new(f64::NAN, vec![f64::NAN; position.len()]);
        }
        let mut at = self.problem.evaluate_on(target, &self.parameters(position), self.config);
        if self.unit != 1.0 {
            at.gradient.iter_mut().for_each(|slope| *slope /= self.unit);
        }
        at
    }

    /// The held-out score at a position, where one is held out.
    pub fn score(&self, position: &[f64]) -> Option<f64> {
        let score = self.problem.held_out?;
        Some(score(&self.model(position).encoder.valid()))
    }

    /// The parameters at a position.
    pub fn parameters(&self, position: &[f64]) -> Vec<f64> {
        position.iter().map(|value| value / self.unit).collect()
    }
}

/// The root of the mean variance of the features, for a map of features that were not standardized; else 1.
fn unit<E: Encoder, O: Objective>(problem: &Problem<'_, E, O>, config: &FitConfig) -> f64 {
    let model = &problem.model;
    let of_map =
        matches!(model.encoder.config(), Some(EncoderConfig::Linear | EncoderConfig::Diagonal));
    let of_encoder_alone = || flatten(&model.encoder).len() == flatten(model).len();
    if config.scaling == ScalingKind::Standardize || !of_map || !of_encoder_alone() {
        return 1.0;
    }
    let variance = match problem.x {
        Inputs::Tensor(x) => {
            let x = Tensor::clone(x).without_autodiff();
            (x.clone() - x.mean_dim(0)).square().mean().into_scalar::<f64>()
        }
        Inputs::Table { features, .. } => {
            mean_and_variance(features).1.iter().sum::<f64>() / features.columns() as f64
        }
    };
    // Rows that were standardized before have a variance of 1 but for rounding, which differs from machine to machine:
    // their fit is that of the rows as they were.
    let is_one = (variance - 1.0).abs() < ROUNDING;
    if variance.is_finite() && variance > 0.0 && !is_one { variance.sqrt() } else { 1.0 }
}
