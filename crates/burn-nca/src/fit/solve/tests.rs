//! A descent whose value jumps up when its target is updated.

use core::ops::Range;
use std::ops::ControlFlow;

use burn::module::Module;
use burn::tensor::{DType, Device, Tensor, TensorData};

use crate::encoder::DiagonalMap;
use crate::fit::{
    FitConfig, FitIdentity, FitSession, FitState, Precision, Problem, Progress, Solution,
    Termination, minimize,
};
use crate::model::MetricModel;
use crate::objective::Objective;

/// `(z - 3)² + t` of one point z, where t is 10 once z is above 2 and 0 before.
#[derive(Module, Debug)]
struct Trap {
    center: f64,
}

impl Objective for Trap {
    const MOVING_TARGET: bool = true;

    type Target = f64;
    type Shared = ();

    fn num_points(&self, _target: &f64) -> usize {
        1
    }

    fn num_terms(&self, _target: &f64) -> usize {
        1
    }

    fn shared(&self, _embedding: Tensor<2>, _target: &f64) {}

    fn updated_target(&self, embedding: Tensor<2>, _target: &f64) -> Option<f64> {
        Some(if embedding.into_scalar::<f64>() > 2.0 { 10.0 } else { 0.0 })
    }

    fn subset(&self, target: &f64, _rows: &[usize]) -> f64 {
        *target
    }

    fn block(
        &self,
        embedding: Tensor<2>,
        target: &f64,
        _shared: &(),
        _terms: Range<usize>,
    ) -> Tensor<1> {
        (embedding - self.center).square().sum() + *target
    }
}

fn fit(session: FitSession<'_>) -> Solution<f64> {
    let device = Device::flex();
    let x = Tensor::<2>::from_data(TensorData::from([[1.0]]), (&device, DType::F64));
    let map = DiagonalMap::from_scale(&[0.0], &device.autodiff(), DType::F64);
    let identity = || FitIdentity { settings: "".into(), features: "".into(), targets: "".into() };
    let mut problem = Problem::new(MetricModel::new(map, Trap { center: 3.0 }).train(), &x, &0.0);
    problem.identity = Some(&identity);
    let config = FitConfig::new()
        .with_precision(Precision::F64)
        .with_scaling(crate::data::ScalingKind::Standardize);
    minimize(&problem, &config, session).unwrap().map(|model| model.encoder.diagonal()[0])
}

#[test]
fn the_fit_ends_at_the_least_value_of_updated_targets() {
    let solution = fit(FitSession::new());
    // From 0 (value 9) a step of length 1 (value 4), then to 3, where the new target makes 10 of 0.
    let values: Vec<f64> = solution.history.iter().map(|step| step.value).collect();
    assert_eq!((values[0], values.last().unwrap()), (4.0, &0.0), "{values:?}");
    assert_eq!((solution.module, solution.value, solution.gradient_max), (1.0, 4.0, 4.0));
}

#[test]
fn a_resumed_fit_remembers_it() {
    let whole = fit(FitSession::new());
    let mut state = FitState::default();
    let sliced = loop {
        let mut one_step = |_: &Progress| ControlFlow::Break(Termination::Stopped);
        let sliced = fit(FitSession::new().with_progress(&mut one_step).with_state(&mut state));
        if state.is_empty() {
            break sliced;
        }
    };
    assert_eq!((sliced.module, sliced.value), (whole.module, whole.value));
    assert_eq!((sliced.evaluations, sliced.termination), (whole.evaluations, whole.termination));
}
