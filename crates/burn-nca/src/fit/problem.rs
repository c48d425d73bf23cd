//! What to fit: a model at its start and the data, with the penalized objective that solvers see.

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
    /// What the fit is made from, for a checkpoint to recognize; a fit with a checkpoint needs it.
    pub identity: Option<&'a dyn Fn() -> FitIdentity>,
}

impl<'a, E: Encoder, O: Objective> Problem<'a, E, O> {
    /// A fit without a held-out part and without a checkpoint.
    pub fn new(model: MetricModel<E, O>, x: impl Into<Inputs<'a>>, target: &'a O::Target) -> Self {
        Self { model, x: x.into(), target, held_out: None, identity: None }
    }

    /// The penalized objective and its gradient at these parameters, with a target of the same points.
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
        let (mut at, mut magnitude) = exact::penalized(
            (&model, &self.x.all(), target),
            &config.blocks,
            (weight_of_spread > 0.0).then_some(&penalty),
        );
        let weight = config.weight_of(Penalty::Weights) * terms;
        if weight > 0.0
            && let Some(norm) = model.encoder.squared_norm()
        {
            let before = at.value;
            at.add(&model, norm.mul_scalar(weight));
            magnitude += (at.value - before).abs();
        }
        // The parts may cancel, as -f and a penalty do; their rounding errors do not.
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
                "a checkpoint is asked for, but not said what to recognize it by; give `Problem::identity`",
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

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, Tensor, TensorData};

    use super::*;
    use crate::encoder::LinearMap;
    use crate::fit::Precision;
    use crate::fit::parameters::flatten;
    use crate::objective::{ClassIndex, NcaLossConfig};

    #[test]
    fn the_magnitude_of_a_value_is_that_of_its_parts_which_may_cancel() {
        let device = Device::flex();
        let values: Vec<f64> = (0..20).map(|at| f64::from(at * at % 17) / 8.0).collect();
        let x = Tensor::from_data(TensorData::new(values, [10, 2]), (&device, DType::F64));
        let labels: Vec<usize> = (0..10).map(|row| row % 2).collect();
        let classes = ClassIndex::new(&labels, &device).unwrap();
        let at = |repulsion: f64, l2: f64, penalty: Penalty| {
            let map = LinearMap::from_weight(&[0.9, 0.1, -0.2, 0.8], [2, 2], &device, DType::F64);
            let loss = NcaLossConfig::new().with_repulsion(repulsion).init();
            let problem = Problem::new(MetricModel::new(map, loss).train(), &x, &classes);
            let config = FitConfig::new().with_precision(Precision::F64).with_l2(l2);
            let config = config.with_penalty(Some(penalty));
            problem.evaluate_on(&classes, &flatten(&problem.model), &config)
        };
        let f = -at(0.0, 0.0, Penalty::Weights).value;
        let hinge = at(1.0, 0.0, Penalty::Weights).value + f;
        assert!(f > 1.0 && hinge > 1.0, "{f} {hinge}");
        for penalty in [Penalty::Weights, Penalty::Spread] {
            let of_one = at(0.0, 1.0, penalty).value + f;
            // Parts that cancel but for rounding.
            for (repulsion, l2) in
                [(f / hinge, 0.0), (0.0, f / of_one), (0.5 * f / hinge, 0.5 * f / of_one)]
            {
                let found = at(repulsion, l2, penalty);
                assert!(found.value.abs() < 1e-12 * f, "{}", found.value);
                assert!((found.magnitude - 2.0 * f).abs() < 1e-12 * f, "{}", found.magnitude);
            }
        }
    }
}
