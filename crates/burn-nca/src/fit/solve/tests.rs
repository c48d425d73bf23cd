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
use crate::objective::{DataTarget, Objective};

/// `(z - 3)² + t` of one point z, where t is 10 for z between 2.2 and an end, and else 0.
#[derive(Module, Debug)]
struct Trap {
    end: f64,
}

/// t
#[derive(Clone)]
struct Height(f64);

impl DataTarget for Height {
    fn points(&self) -> usize {
        1
    }

    fn subset(&self, _rows: &[usize]) -> Self {
        self.clone()
    }
}

impl Objective for Trap {
    const MOVING_TARGET: bool = true;

    type Target = Height;

    fn updated_target(&self, embedding: Tensor<2>, _target: &Height) -> Option<Height> {
        let z = embedding.into_scalar::<f64>();
        Some(Height(if z > 2.2 && z < self.end { 10.0 } else { 0.0 }))
    }

    fn block(&self, embedding: Tensor<2>, target: &Height, _terms: Range<usize>) -> Tensor<1> {
        (embedding - 3.0).square().sum() + target.0
    }
}

fn fit(end: f64, session: FitSession<'_>) -> Solution<f64> {
    let device = Device::flex();
    let x = Tensor::<2>::from_data(TensorData::from([[1.0]]), (&device, DType::F64));
    let map = DiagonalMap::from_scale(&[0.0], &device.autodiff(), DType::F64);
    let identity = || FitIdentity { settings: "".into(), features: "".into(), targets: "".into() };
    let mut problem = Problem::new(MetricModel::new(map, Trap { end }).train(), &x, &Height(0.0));
    problem.identity = Some(&identity);
    let config = FitConfig::new()
        .with_precision(Precision::F64)
        .with_scaling(crate::data::ScalingKind::Standardize);
    minimize(&problem, &config, session).unwrap().map(|model| model.encoder.diagonal()[0])
}

/// The solution, after a check that no step raised the value and that all that it says is of its last step.
fn checked(end: f64) -> Solution<f64> {
    let solution = fit(end, FitSession::new());
    let values: Vec<f64> = solution.history.iter().map(|step| step.value).collect();
    assert!(values.windows(2).all(|pair| pair[1] < pair[0]), "{values:?}");
    let from_center = solution.module - 3.0;
    assert!((solution.value - from_center * from_center).abs() < 1e-12, "{solution:?}");
    assert!((solution.gradient_max - 2.0 * from_center.abs()).abs() < 1e-12, "{solution:?}");
    assert_eq!(values.last(), Some(&solution.value));
    solution
}

#[test]
fn no_step_is_taken_up_a_jump() {
    // From 0 a step of length 1; the next would be to 3, where the value is 10.
    let solution = checked(f64::INFINITY);
    assert!(solution.module > 1.5 && solution.module <= 2.2, "{solution:?}");
    assert_ne!(solution.termination, Termination::GradientSmall);
}

#[test]
fn a_step_with_the_target_held_crosses_a_jump() {
    let solution = checked(3.1);
    assert!(solution.module >= 3.1 && solution.value <= 0.05, "{solution:?}");
}

#[test]
fn a_resumed_fit_takes_the_same_steps() {
    let whole = fit(3.1, FitSession::new());
    let mut state = FitState::default();
    let sliced = loop {
        let mut one_step = |_: &Progress| ControlFlow::Break(Termination::Stopped);
        let sliced =
            fit(3.1, FitSession::new().with_progress(&mut one_step).with_state(&mut state));
        if state.is_empty() {
            break sliced;
        }
    };
    assert_eq!((sliced.module, sliced.value), (whole.module, whole.value));
    assert_eq!((sliced.evaluations, sliced.termination), (whole.evaluations, whole.termination));
}
