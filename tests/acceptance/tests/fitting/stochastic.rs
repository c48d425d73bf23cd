//! Mini-batches: what a batch says of the whole, and batches that say nothing.

use acceptance::catalog::{Value, Visit, every_objective};
use acceptance::compare::{assert_close, assert_each};
use acceptance::data::{overlapping, select, transposed, uniform};
use acceptance::setup::{at_block, classes, linear, tensor};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Encoder, LinearMap};
use burn_nca_learn::fit::parameters::{assign, flatten};
use burn_nca_learn::fit::{
    FitConfig, FitSession, OptimizerConfig, Precision, Problem, Progress, SgdConfig,
    StochasticConfig, Termination, minimize,
};
use burn_nca_learn::objective::{DataTarget, NcaLoss, NcaLossConfig, Objective};

const D: usize = 3;

fn model<O: Objective>(objective: O) -> MetricModel<LinearMap, O> {
    linear(&uniform(2 * D, 5), D, objective, (&Device::flex(), DType::F64))
}

fn nca() -> NcaLoss {
    NcaLossConfig::new().init()
}

fn adam() -> StochasticConfig {
    StochasticConfig::new().with_epochs(Some(1))
}

fn settings(batches: StochasticConfig, l2: f64) -> FitConfig {
    let adam = OptimizerConfig::Adam(batches);
    FitConfig::new().with_optimizer(adam).with_l2(l2).with_precision(Precision::F64)
}

/// The first epoch of a fit.
fn first_epoch<O: Objective>(
    objective: O,
    x: &Tensor<2>,
    target: &O::Target,
    config: &FitConfig,
) -> Progress {
    let problem = Problem::new(model(objective), x, target);
    minimize(&problem, config, FitSession::new()).unwrap().history[0]
}

/// A batch of all rows reports the exact value and gradient, the penalty included.
struct OfAllRows;

impl Visit for OfAllRows {
    fn see<O: Objective>(&mut self, name: &str, objective: O, target: &O::Target, _: Value) {
        let x = tensor(&overlapping(31, D, 9, 3).x, D);
        let at = model(objective.clone());
        let (value, gradient) = at_block(&at, &x, target, 31);
        if gradient.iter().all(|slope| *slope == 0.0) {
            return;
        }
        let weight = 0.01 * target.terms() as f64;
        let norm = at.encoder.squared_norm().unwrap().into_scalar::<f64>();
        let penalty = transposed(&at.encoder.matrix(), D).into_iter().map(|a| 2.0 * weight * a);
        let slopes = gradient.iter().zip(penalty).map(|(g, p)| (g + p).abs());
        let expected = [value + weight * norm, slopes.fold(0.0, f64::max)];
        let config = settings(adam().with_batch_size(Some(31)), 0.01);
        let found = first_epoch(objective, &x, target, &config);
        assert_each(&[found.value, found.gradient_max], &expected, 1e-11, name);
    }
}

#[test]
fn a_batch_of_all_rows_reports_the_exact_value_and_gradient() {
    every_objective(31, &Device::flex(), &mut OfAllRows);
}

#[test]
fn a_fit_of_no_steps_tells_the_value_of_an_epoch_of_batches() {
    let sample = overlapping(31, D, 3, 3);
    let (x, target) = (tensor(&sample.x, D), classes(&sample.y));
    let still = adam().with_batch_size(Some(10)).with_learning_rate(Some(1e-14));
    let config = settings(still, 0.0);
    let first = first_epoch(nca(), &x, &target, &config);
    let problem = Problem::new(model(nca()), &x, &target);
    let none = minimize(&problem, &config.with_stop_at(Some(0)), FitSession::new()).unwrap();
    assert_eq!((none.iterations, none.evaluations), (0, 3));
    let told = [none.value, none.gradient_max];
    assert_close(&told, &[first.value, first.gradient_max], 1e-9);
    let (exact, _) = at_block(&problem.model, &x, &target, 31);
    assert!((none.value - exact).abs() > 0.1, "{told:?}, of all pairs {exact}");
}

/// Every row of the data at one place: a row with a partner among b finds it with probability 1 / (b - 1).
#[test]
fn rows_without_a_partner_in_their_batch_do_not_thin_out_the_sum() {
    let classes = classes(&(0..60).map(|i| i / 2).collect::<Vec<_>>());
    let estimate = |rows: &[usize]| {
        let z = tensor(&vec![0.0; 2 * rows.len()], 2);
        nca().estimate(z, &classes.subset(rows), &classes).map(Tensor::into_scalar::<f64>)
    };
    // Two of six rows have a partner, then four: the mean of the terms stands for all 60 either way.
    for rows in [[0, 1, 2, 4, 6, 8], [0, 1, 2, 3, 6, 8]] {
        assert_close(&[estimate(&rows).unwrap()], &[-60.0 / 5.0], 1e-12);
    }
    assert_eq!(estimate(&[0, 2, 4, 6, 8, 10]), None);
}

/// The hinge is a sum over pairs, so its mean over all batches of one size is the exact one.
#[test]
fn the_hinge_of_a_batch_is_unbiased() {
    let sample = overlapping(8, 2, 3, 21);
    let classes = classes(&sample.y);
    let hinge = |rows: &[usize]| {
        let (z, batch) = (tensor(&select(&sample.x, 2, rows), 2), classes.subset(rows));
        let [with, without] = [0.7, 0.0].map(|repulsion| {
            let loss = NcaLossConfig::new().with_repulsion(repulsion).init();
            loss.estimate(z.clone(), &batch, &classes).map_or(0.0, Tensor::into_scalar::<f64>)
        });
        with - without
    };
    let exact = hinge(&[0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(exact > 0.1);
    let batches = (0..1usize << 8).filter(|set| set.count_ones() == 3);
    let rows = |set: usize| (0..8).filter(|row| set >> row & 1 == 1).collect::<Vec<_>>();
    let each: Vec<f64> = batches.map(|set| hinge(&rows(set))).collect();
    assert_eq!(each.len(), 56);
    assert_close(&[each.iter().sum::<f64>() / 56.0], &[exact], 1e-12);
}

/// Batches of three rows, of one class or without any partner among others; then of two: no batch can tell anything.
#[test]
fn a_batch_of_one_class_takes_no_step_and_a_fit_of_such_says_so_and_keeps_its_start() {
    let sample = overlapping(40, D, 2, 8);
    let (x, classes) = (tensor(&sample.x, D), classes(&sample.y));
    for l2 in [0.0, 0.01] {
        let config = |rows| settings(adam().with_batch_size(Some(rows)), l2);
        let progress = first_epoch(nca(), &x, &classes, &config(3));
        assert!(progress.value.is_finite() && progress.gradient_max > 0.0);
        let start = model(nca());
        let (exact, _) = at_block(&start, &x, &classes, 40);
        let norm = start.encoder.squared_norm().unwrap().into_scalar::<f64>();
        let matrix = start.encoder.matrix();
        let problem = Problem::new(start, &x, &classes);
        let solution = minimize(&problem, &config(2), FitSession::new()).unwrap();
        assert_eq!(solution.termination, Termination::NoStep);
        assert!(solution.termination.sentence().contains("raise batch_size"));
        assert_close(&[solution.value], &[exact + 40.0 * l2 * norm], 1e-10);
        assert_eq!(solution.module.encoder.matrix(), matrix);
    }
}

#[test]
fn a_step_of_sgd_is_the_rate_times_the_slopes_remembered() {
    let x = tensor(&uniform(30 * D, 3), D);
    let classes = classes(&(0..30).map(|row| row * row % 4).collect::<Vec<_>>());
    // Burn keeps a momentum in f32.
    let (rate, momentum) = (0.3, 0.5);
    // Two batches of all rows: the rate falls to a half, v = g₁ and μ g₁ + g₂.
    let batches = adam().with_epochs(Some(2)).with_learning_rate(Some(rate));
    let sgd = SgdConfig::new().with_momentum(momentum).with_batches(batches.clone());
    let config = settings(batches, 0.0).with_optimizer(OptimizerConfig::Sgd(sgd));
    let start = model(nca());
    let mut expected = flatten(&start);
    let mut remembered = vec![0.0; expected.len()];
    for rate in [rate, rate / 2.0] {
        let (_, slopes) = at_block(&assign(start.clone(), &expected), &x, &classes, 30);
        for ((v, slope), a) in remembered.iter_mut().zip(slopes).zip(&mut expected) {
            *v = momentum * *v + slope / 30.0;
            *a -= rate * *v;
        }
    }
    let problem = Problem::new(start, &x, &classes);
    let found = flatten(&minimize(&problem, &config, FitSession::new()).unwrap().module);
    assert_close(&found, &expected, 1e-12);
}
