//! Mini-batches: what a batch says of the whole, and batches that say nothing.

use std::ops::ControlFlow;

use acceptance::compare::assert_close;
use acceptance::data::{overlapping, select, uniform};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::{Agreements, Pairs};
use burn_nca_learn::encoder::{Encoder, LinearMap};
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::fit::parameters::{flatten, flatten_gradients};
use burn_nca_learn::fit::{
    FitConfig, FitSession, OptimizerConfig, Precision, Problem, Progress, SgdConfig,
    StochasticConfig, Termination, minimize,
};
use burn_nca_learn::objective::transfer::float_tensor;
use burn_nca_learn::objective::{
    AgreementIndex, ClassIndex, Criterion, DataTarget, MlkrLossConfig, NcaLoss, NcaLossConfig,
    Objective, PairIndex, PairLossConfig, SoftNcaLossConfig, TargetIndex,
};

const D: usize = 3;

fn matrix(values: &[f64], columns: usize) -> Tensor<2> {
    let shape = [values.len() / columns, columns];
    float_tensor(values.to_vec(), shape, &Device::flex(), DType::F64)
}

fn model<O: Objective>(objective: O) -> MetricModel<LinearMap, O> {
    let device = Device::flex().autodiff();
    let weight = uniform(2 * D, 5);
    MetricModel::new(LinearMap::from_weight(&weight, [D, 2], &device, DType::F64), objective)
}

fn settings(batch_size: usize, l2: f64) -> FitConfig {
    let adam = StochasticConfig::new().with_epochs(Some(1)).with_batch_size(Some(batch_size));
    let adam = OptimizerConfig::Adam(adam);
    FitConfig::new().with_optimizer(adam).with_l2(l2).with_precision(Precision::F64)
}

/// The first epoch of a fit.
fn first_epoch<O: Objective>(
    objective: O,
    x: &Tensor<2>,
    target: &O::Target,
    config: &FitConfig,
) -> burn_nca_learn::Result<Progress> {
    let problem = Problem::new(model(objective), x, target);
    let mut first = None;
    let mut watch = |progress: &Progress| {
        first = Some(*progress);
        ControlFlow::Continue(())
    };
    let session = FitSession::new().with_progress(&mut watch);
    minimize(&problem, config, session)?;
    Ok(first.unwrap())
}

/// A batch of all rows reports the exact value and gradient, the penalty included.
fn check_all_rows<O: Objective>(objective: O, x: &Tensor<2>, target: &O::Target) {
    let l2 = 0.01;
    let at = model(objective.clone());
    let exact = value_and_gradient(&at, x, target, &BlockConfig::new());
    let weight = l2 * target.terms() as f64;
    let norm = at.encoder.squared_norm().unwrap().into_scalar::<f64>();
    let matrix = at.encoder.matrix();
    // Weights are stored as the transpose of A.
    let slope = (0..D).flat_map(|c| [2.0 * weight * matrix[c], 2.0 * weight * matrix[D + c]]);
    let gradient = flatten_gradients(&at, &exact.gradients);
    let largest = gradient.iter().zip(slope).map(|(g, p)| (g + p).abs()).fold(0.0, f64::max);
    let [n, _] = x.dims();
    let found = first_epoch(objective, x, target, &settings(n, l2)).unwrap();
    let expected = [exact.value + weight * norm, largest];
    assert_close(&[found.value, found.gradient_max], &expected, 1e-11);
}

#[test]
fn a_batch_of_all_rows_reports_the_exact_value_and_gradient() {
    let device = Device::flex();
    let sample = overlapping(31, D, 9, 3);
    let x = matrix(&sample.x, D);
    let classes = ClassIndex::new(&sample.y, &device).unwrap();
    assert!(classes.num_with_positive() < 31);
    for criterion in [Criterion::F, Criterion::G] {
        let loss = NcaLossConfig::new().with_criterion(criterion);
        check_all_rows(loss.init(), &x, &classes);
        check_all_rows(loss.with_repulsion(0.4).init(), &x, &classes);
    }
    let weights: Vec<f64> = uniform(31, 6).iter().map(|w| 1.0 + w).collect();
    check_all_rows(NcaLossConfig::new().init(), &x, &classes.with_weights(&weights).unwrap());
    let agreements =
        Agreements::of_function(31, |i, j| if i > 4 && j % 2 == 0 { 0.5 } else { 0.0 });
    let agreements = agreements.with_unlabeled(&[7]).unwrap();
    let agreements = AgreementIndex::new(&agreements, &device).unwrap();
    check_all_rows(SoftNcaLossConfig::new().init(), &x, &agreements);
    let targets = TargetIndex::new(&uniform(31, 7), 1, &device).unwrap();
    check_all_rows(MlkrLossConfig::new().init(), &x, &targets);
    let pairs = Pairs::new(31, (1..20).map(|i| (i - 1, i, 0.1 * i as f64)).collect()).unwrap();
    check_all_rows(PairLossConfig::new().init(), &x, &PairIndex::new(&pairs, &device));
}

#[test]
fn a_fit_of_no_steps_tells_the_value_of_an_epoch_of_batches() {
    let (x, labels) = (matrix(&overlapping(31, D, 3, 3).x, D), overlapping(31, D, 3, 3).y);
    let target = ClassIndex::new(&labels, &Device::flex()).unwrap();
    let loss = || NcaLossConfig::new().init();
    let still = StochasticConfig::new().with_epochs(Some(1)).with_batch_size(Some(10));
    let still = OptimizerConfig::Adam(still.with_learning_rate(Some(1e-14)));
    let config = FitConfig::new().with_optimizer(still).with_precision(Precision::F64);
    let first = first_epoch(loss(), &x, &target, &config).unwrap();
    let problem = Problem::new(model(loss()), &x, &target);
    let none = minimize(&problem, &config.with_stop_at(Some(0)), FitSession::new()).unwrap();
    assert_eq!((none.iterations, none.evaluations), (0, 3));
    let told = [none.value, none.gradient_max];
    assert_close(&told, &[first.value, first.gradient_max], 1e-9);
    let exact = value_and_gradient(&problem.model, &x, &target, &BlockConfig::new());
    assert!((none.value - exact.value).abs() > 0.1, "{told:?}, of all pairs {}", exact.value);
}

/// Every row of the data at one place: a row with a partner among b finds it with probability 1 / (b - 1).
#[test]
fn rows_without_a_partner_in_their_batch_do_not_thin_out_the_sum() {
    let labels: Vec<usize> = (0..60).map(|i| i / 2).collect();
    let classes = ClassIndex::new(&labels, &Device::flex()).unwrap();
    let loss = NcaLossConfig::new().init();
    let estimate = |rows: &[usize]| {
        let z = matrix(&vec![0.0; 2 * rows.len()], 2);
        let batch = classes.subset(rows);
        loss.estimate(z, &batch, &classes).map(|sum| sum.into_scalar::<f64>())
    };
    // Two of six rows have a partner, then four: the mean of the terms stands for all 60 either way.
    for rows in [[0, 1, 2, 4, 6, 8], [0, 1, 2, 3, 6, 8]] {
        let found = estimate(&rows).unwrap();
        assert!((found + 60.0 / 5.0).abs() < 1e-12, "{found}");
    }
    assert_eq!(estimate(&[0, 2, 4, 6, 8, 10]), None);
}

/// The hinge is a sum over pairs, so its mean over all batches of one size is the exact one.
#[test]
fn the_hinge_of_a_batch_is_unbiased() {
    let sample = overlapping(8, 2, 3, 21);
    let classes = ClassIndex::new(&sample.y, &Device::flex()).unwrap();
    let hinge = |estimate: &dyn Fn(&NcaLoss) -> f64| {
        let with = NcaLossConfig::new().with_repulsion(0.7).init();
        estimate(&with) - estimate(&NcaLossConfig::new().init())
    };
    let exact = hinge(&|loss| loss.total(matrix(&sample.x, 2), &classes).into_scalar::<f64>());
    assert!(exact > 0.1);
    let (mut sum, mut batches) = (0.0, 0);
    for rows in (0..1usize << 8).filter(|set| set.count_ones() == 3) {
        let rows: Vec<usize> = (0..8).filter(|row| rows >> row & 1 == 1).collect();
        let z = select(&sample.x, 2, &rows);
        sum += hinge(&|loss| {
            let batch = classes.subset(&rows);
            loss.estimate(matrix(&z, 2), &batch, &classes).map_or(0.0, Tensor::into_scalar::<f64>)
        });
        batches += 1;
    }
    assert_eq!(batches, 56);
    assert!((sum / f64::from(batches) - exact).abs() < 1e-12 * exact, "{sum} {exact}");
}

/// Batches of three rows, of one class or without any partner among others.
#[test]
fn a_batch_of_one_class_takes_no_step_and_is_no_end() {
    let sample = overlapping(40, D, 2, 8);
    let classes = ClassIndex::new(&sample.y, &Device::flex()).unwrap();
    let x = matrix(&sample.x, D);
    for l2 in [0.0, 0.01] {
        let loss = NcaLossConfig::new().init();
        let progress = first_epoch(loss, &x, &classes, &settings(3, l2)).unwrap();
        assert!(progress.value.is_finite() && progress.gradient_max > 0.0);
    }
}

/// Of two rows one class or two: no batch can tell anything.
#[test]
fn a_fit_none_of_whose_batches_can_take_a_step_says_so_and_keeps_its_start() {
    let sample = overlapping(40, D, 2, 8);
    let classes = ClassIndex::new(&sample.y, &Device::flex()).unwrap();
    let x = matrix(&sample.x, D);
    for l2 in [0.0, 0.01] {
        let start = model(NcaLossConfig::new().init());
        let exact = value_and_gradient(&start, &x, &classes, &BlockConfig::new()).value;
        let norm = start.encoder.squared_norm().unwrap().into_scalar::<f64>();
        let matrix = start.encoder.matrix();
        let problem = Problem::new(start, &x, &classes);
        let solution = minimize(&problem, &settings(2, l2), FitSession::new()).unwrap();
        assert_eq!(solution.termination, Termination::NoStep);
        assert!(solution.termination.sentence().contains("raise batch_size"));
        assert!((solution.value - exact - 40.0 * l2 * norm).abs() < 1e-10);
        assert_eq!(solution.module.encoder.matrix(), matrix);
    }
}

#[test]
fn a_step_of_sgd_is_the_rate_times_the_slopes_remembered() {
    let x = matrix(&uniform(30 * D, 3), D);
    let labels: Vec<usize> = (0..30).map(|row| row * row % 4).collect();
    let classes = ClassIndex::new(&labels, &Device::flex()).unwrap();
    // Burn keeps a momentum in f32.
    let (rate, momentum) = (0.3, 0.5);
    // Two batches of all rows: the rate falls to a half, v = g₁ and μ g₁ + g₂.
    let batches = StochasticConfig::new().with_epochs(Some(2)).with_learning_rate(Some(rate));
    let sgd = SgdConfig::new().with_momentum(momentum).with_batches(batches);
    let config = settings(30, 0.0).with_optimizer(OptimizerConfig::Sgd(sgd));
    let start = model(NcaLossConfig::new().init());
    let slope = |model: &MetricModel<LinearMap, NcaLoss>| -> Vec<f64> {
        let at = value_and_gradient(model, &x, &classes, &BlockConfig::new());
        flatten_gradients(model, &at.gradients).iter().map(|slope| slope / 30.0).collect()
    };
    let mut expected = flatten(&start);
    let mut remembered = vec![0.0; expected.len()];
    for rate in [rate, rate / 2.0] {
        let at = burn_nca_learn::fit::parameters::assign(start.clone(), &expected);
        for ((v, slope), a) in remembered.iter_mut().zip(slope(&at)).zip(&mut expected) {
            *v = momentum * *v + slope;
            *a -= rate * *v;
        }
    }
    let problem = Problem::new(start, &x, &classes);
    let found = flatten(&minimize(&problem, &config, FitSession::new()).unwrap().module);
    assert_close(&found, &expected, 1e-12);
}
