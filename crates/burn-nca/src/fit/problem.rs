//! What to fit: a model at its start and the data, with the penalized objective that solvers see.

use burn::module::{DisplaySettings, Module};

use super::checkpoint::FitKey;
use super::parameters::assign;
use super::{Fingerprint, FitConfig, FitIdentity, Inputs};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::{DataTarget, Objective};

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
    /// What the fit is made from, for a checkpoint to recognize; a fit with a checkpoint needs it.
    pub identity: Option<&'a dyn Fn() -> FitIdentity>,
}

impl<'a, E: Encoder, O: Objective> Problem<'a, E, O> {
    /// A fit without a held-out part and without a checkpoint.
    pub fn new(model: MetricModel<E, O>, x: impl Into<Inputs<'a>>, target: &'a O::Target) -> Self {
        Self { model, x: x.into(), target, held_out: None, identity: None }
    }

    pub(super) fn terms(&self) -> usize {
        self.target.terms()
    }

    /// The target at these parameters, where it depends on them.
    pub(super) fn updated_target(&self, position: &[f64]) -> Option<O::Target> {
        if !O::MOVING_TARGET {
            return None;
        }
        let model = assign(self.model.clone(), position).valid();
        let embedding = model.encoder.forward(self.x.all().without_autodiff());
        model.objective.updated_target(embedding, self.target)
    }

    /// Distinguishes this fit from others.
    pub(super) fn fit_key(&self, config: &FitConfig, start: &[f64]) -> Result<FitKey> {
        let Some(identity) = self.identity else {
            return Err(Error::setting(
                "a checkpoint is asked for, but not said what to recognize it by; give `Problem::identity`",
            ));
        };
        // As it is displayed: its debug form holds the random names of parameters.
        let objective = self.model.objective.format(DisplaySettings::new());
        let start = Fingerprint::new().numbers(start);
        Ok(FitKey::new(identity(), config, &objective, start))
    }
}
