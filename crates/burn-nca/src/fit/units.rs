//! The parameters of a map in units of the spread of its features, as the minimizers see them.

use burn::tensor::Tensor;

use super::parameters::{assign, flatten, flatten_gradients};
use super::penalty::{Penalty, spread};
use super::{Evaluation, FitConfig, Inputs, Problem, exact};
use crate::data::{ScalingKind, mean_and_variance};
use crate::encoder::Encoder;
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
        flatten(&self.problem.model).into_iter().map(|value| value * self.unit).collect()
    }

    /// The model at a position.
    pub fn model(&self, position: &[f64]) -> MetricModel<E, O> {
        assign(self.problem.model.clone(), &self.parameters(position))
    }

    /// The target at a position, where it depends on that.
    pub fn updated_target(&self, position: &[f64]) -> Option<O::Target> {
        self.problem.updated_target(&self.parameters(position))
    }

    /// The penalized objective and its gradient at a position, by a target that is held or by that which belongs there.
    pub fn evaluate(&self, held: Option<&O::Target>, position: &[f64]) -> Evaluation {
        if self.ended() {
            // No minimizer continues from here.
            return Evaluation::new(f64::NAN, vec![f64::NAN; position.len()]);
        }
        let own = if held.is_none() { self.updated_target(position) } else { None };
        let target = held.or(own.as_ref()).unwrap_or(self.problem.target);
        let Self { problem, config, .. } = self;
        let model = self.model(position);
        let terms = problem.terms() as f64;
        let weight_of_spread = config.weight_of(Penalty::Spread) * terms;
        let penalty = |z| spread(z).mul_scalar(weight_of_spread);
        let (mut at, mut magnitude) = exact::penalized(
            (&model, &problem.x.all(), target),
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
        let slopes = flatten_gradients(&model, &at.gradients).into_iter();
        let gradient = slopes.map(|slope| slope / self.unit).collect();
        // The parts may cancel, as -f and a penalty do; their rounding errors do not.
        Evaluation { value: at.value, gradient, magnitude }
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
    let of_encoder_alone = || flatten(&model.encoder).len() == flatten(model).len();
    if config.scaling == ScalingKind::Standardize
        || !model.encoder.is_linear()
        || !of_encoder_alone()
    {
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

#[cfg(test)]
mod tests {
    use burn::module::Module;
    use burn::tensor::{DType, Device, Tensor, TensorData};

    use super::*;
    use crate::encoder::LinearMap;
    use crate::fit::Precision;
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
            let units = Units::new(&problem, &config);
            units.evaluate(None, &units.start())
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
