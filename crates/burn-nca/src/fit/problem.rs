//! What to fit: a model at its start and the data, with the penalised objective that solvers see.

use burn::module::{DisplaySettings, Module};

use super::checkpoint::Owner;
use super::parameters::{assign, flatten_gradients};
use super::penalty::{Penalty, spread};
use super::{Evaluation, Fingerprint, FitConfig, FitIdentity, Inputs, exact};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::Objective;

/// The score of an encoder on held-out data; larger is better.
pub type HeldOutScore<'a, E> = dyn Fn(&E) -> f64 + 'a;

/// What to fit: a model at its start, and the data.
pub struct Problem<'a, E: Encoder, O: Objective> {
    /// The model, on an autodiff device.
    pub model: MetricModel<E, O>,
    /// The (scaled) features, `[n, d]`.
    pub x: Inputs<'a>,
    /// What the objective's terms are about.
    pub target: &'a O::Target,
    /// The held-out score that early stopping follows; without it nothing is held out.
    pub held_out: Option<&'a HeldOutScore<'a, E>>,
    /// What the fit is made from, for a checkpoint to recognise; a fit with a checkpoint needs it.
    pub identity: Option<&'a dyn Fn() -> FitIdentity>,
}

impl<'a, E: Encoder, O: Objective> Problem<'a, E, O> {
    /// A fit without a held-out part and without a checkpoint.
    pub fn new(model: MetricModel<E, O>, x: impl Into<Inputs<'a>>, target: &'a O::Target) -> Self {
        Self { model, x: x.into(), target, held_out: None, identity: None }
    }

    /// The penalised objective and its gradient at these parameters, with a target of the same points.
    pub(super) fn evaluate_on(
        &self,
        target: &O::Target,
        position: &[f64],
        config: &FitConfig,
    ) -> Evaluation {
        let model = assign(self.model.clone(), position);
        let terms = self.terms() as f64;
        let weight_of_spread = config.weight_of(Penalty::Spread) * terms;
        let penalty = |z| spread(z).mul_scalar(weight_of_spread);
        let (mut at, objective) = exact::penalised(
            (&model, &self.x.all(), target),
            &config.blocks,
            (weight_of_spread > 0.0).then_some(&penalty),
        );
        let weight = config.weight_of(Penalty::Weights) * terms;
        if weight > 0.0
            && let Some(norm) = model.encoder.squared_norm()
        {
            at.add(&model, norm.mul_scalar(weight));
        }
        // -f and its penalty may cancel, their rounding errors do not.
        let magnitude = objective.abs() + (at.value - objective).abs();
        Evaluation {
            value: at.value,
            gradient: flatten_gradients(&model, &at.gradients),
            magnitude,
        }
    }

    pub(super) fn terms(&self) -> usize {
        self.model.objective.num_terms(self.target)
    }

    /// The target at these parameters, where it depends on them.
    pub(super) fn renewed(&self, position: &[f64]) -> Option<O::Target> {
        if !O::RENEWS {
            return None;
        }
        let model = assign(self.model.clone(), position).valid();
        let embedding = model.encoder.forward(self.x.all().without_autodiff());
        model.objective.renewed(embedding, self.target)
    }

    /// Tells this fit from others.
    pub(super) fn owner(&self, config: &FitConfig, start: &[f64]) -> Result<Owner> {
        let Some(identity) = self.identity else {
            return Err(Error::setting(
                "a checkpoint is asked for, but not said what to recognise it by; give `Problem::identity`",
            ));
        };
        let FitIdentity { settings, features, targets } = identity();
        // As it is displayed: its debug form holds the random names of parameters.
        let objective = self.model.objective.format(DisplaySettings::new());
        let settings = Fingerprint::new()
            .text(&settings)
            .text(&config.without_limits().to_string())
            .text(&objective)
            .finish();
        Ok(Owner {
            identity: FitIdentity { settings, features, targets },
            start: Fingerprint::new().numbers(start).finish(),
        })
    }
}
