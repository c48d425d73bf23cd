//! The objectives against the equations: golden numbers of other programs, recomputed independently, nested loops, central
//! differences, and fits by them, of weighted rows and among rows without a class, too.

use std::panic::{AssertUnwindSafe, catch_unwind};

use acceptance::catalog::{CRITERIA, Value, Visit, every_objective};
use acceptance::compare::{assert_close, assert_near, assert_slopes};
use acceptance::data::{overlapping, select, transposed, uniform};
use acceptance::oracle::{criterion, log_matches, nca_loss};
use acceptance::setup::{at_block, at_embedding, classes, encoders, linear, tensor};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::data::{
    AgreementWidth, Agreements, Features, Labeled, Pairs, RegressionData, ScalingKind, host_values,
};
use burn_nca_learn::fit::exact::{BlockConfig, value, value_and_gradient};
use burn_nca_learn::fit::parameters::{assign, flatten};
use burn_nca_learn::fit::{FitConfig, FitSession, Precision, Problem, minimize};
use burn_nca_learn::method::Mlkr;
use burn_nca_learn::objective::{
    AgreementIndex, ClassIndex, Criterion, DataTarget, MlkrLossConfig, NcaLossConfig, Objective,
    PairIndex, PairLossConfig, SampledTerms, SoftNcaLossConfig, TargetIndex,
};
use burn_nca_learn::{Estimator, Fitted, MetricModel, NcaConfig};

const N: usize = 19;
const D: usize = 3;

fn features() -> Vec<f64> {
    uniform(N * D, 1).iter().map(|x| 1.5 * x).collect()
}

/// At blocks of any size, far apart, and of some of the rows.
struct AgreesWithNestedLoops;

impl Visit for AgreesWithNestedLoops {
    fn see<O: Objective>(&mut self, name: &str, objective: O, target: &O::Target, by_loops: Value) {
        let x = tensor(&features(), D);
        let all: Vec<usize> = (0..N).collect();
        for encoder in encoders(D) {
            let what = format!("{name}, {encoder:?}");
            let model = MetricModel::new(encoder, objective.clone());
            let z = host_values(model.forward(x.clone()));
            let (found, gradient) = at_block(&model, &x, target, N);
            assert_near(&[found], &[by_loops(&z, &all)], 1e-10, &what);
            for rows in [1, 7, N + 10] {
                let (other, slopes) = at_block(&model, &x, target, rows);
                assert_near(&[other], &[found], 1e-12, &what);
                assert_near(&slopes, &gradient, 1e-11, &what);
            }
            assert_slopes(&gradient, &flatten(&model), (1e-5, 1e-7), &what, |at| {
                value(&assign(model.clone(), at), &x, target, &BlockConfig::new())
            });
        }
        let some = [18, 2, 7, 8, 15, 16, 17, 4, 11];
        let part = target.subset(&some);
        for scale in [1.0, 30.0] {
            let z: Vec<f64> = uniform(2 * N, 3).iter().map(|z| scale * z).collect();
            let total =
                |z: &[f64], target| -> f64 { objective.total(tensor(z, 2), target).into_scalar() };
            let of_some = select(&z, 2, &some);
            let found = [total(&z, target), total(&of_some, &part)];
            let expected = [by_loops(&z, &all), by_loops(&of_some, &some)];
            assert_near(&found, &expected, 1e-10, &format!("{name}, {scale}"));
        }
        // Batches of all kinds of rows, each among all rows, say together what the sum is.
        let z = uniform(2 * N, 3);
        let estimate = |batch: usize| {
            let (rows, others): (Vec<usize>, Vec<usize>) = (0..N).partition(|row| row % 3 == batch);
            let terms = SampledTerms::of(target, &rows, &others)?;
            let sum = terms.estimate(&objective, tensor(&select(&z, 2, terms.points()), 2))?;
            Some(sum.into_scalar::<f64>() * rows.len() as f64 / N as f64)
        };
        if let Some(parts) = (0..3).map(estimate).collect::<Option<Vec<f64>>>() {
            assert_near(&[parts.iter().sum()], &[by_loops(&z, &all)], 1e-10, name);
        }
    }
}

#[test]
fn every_objective_agrees_with_nested_loops_and_central_differences() {
    every_objective(N, &Device::flex(), &mut AgreesWithNestedLoops);
}

struct StaysFinite;

impl Visit for StaysFinite {
    fn see<O: Objective>(&mut self, name: &str, objective: O, target: &O::Target, _: Value) {
        for scale in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
            let x: Vec<f64> = features().iter().map(|x| scale * x).collect();
            let x = tensor(&x, D).cast(DType::F32);
            let device = (&Device::flex(), DType::F32);
            let model = linear(&uniform(2 * D, 77), D, objective.clone(), device);
            for rows in [5, 1000] {
                let (value, gradient) = at_block(&model, &x, target, rows);
                let is_finite = value.is_finite() && gradient.iter().all(|slope| slope.is_finite());
                assert!(is_finite, "{name} at {scale}: {value}, {gradient:?}");
            }
        }
    }
}

#[test]
fn values_and_gradients_are_finite_in_f32_at_all_scales() {
    every_objective(N, &Device::flex(), &mut StaysFinite);
}

/// A target of N rows for 125.
struct IsRefused;

impl Visit for IsRefused {
    fn see<O: Objective>(&mut self, name: &str, objective: O, target: &O::Target, _: Value) {
        let expected = "the target is about 19 points, but there are 125 rows";
        let panics = |work: &dyn Fn()| {
            let payload = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
            let message = payload.downcast_ref::<String>().unwrap();
            assert!(message.contains(expected), "{name}: {message}");
        };
        let (x, blocks) = (tensor(&uniform(125 * D, 1), D), BlockConfig::new());
        let model = linear(&uniform(6, 2), D, objective, (&Device::flex(), DType::F64));
        panics(&|| drop(value_and_gradient(&model, &x, target, &blocks)));
        panics(&|| assert!(value(&model, &x, target, &blocks).is_finite()));
        panics(&|| drop(model.objective.total(model.forward(x.clone()), target)));
        let problem = Problem::new(model, &x, target);
        let config = FitConfig::new().with_precision(Precision::F64);
        let error = minimize(&problem, &config, FitSession::new()).err().unwrap().to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
}

#[test]
fn a_target_of_another_number_of_points_is_refused_by_every_objective() {
    every_objective(N, &Device::flex(), &mut IsRefused);
}

fn golden(x: &[f64], y: &[usize], criterion: Criterion, value: f64, gradient: [f64; 2]) {
    let loss = NcaLossConfig::new().with_criterion(criterion).init();
    let model = linear(&[1.0, 0.0, 0.0, 1.0], 2, loss, (&Device::flex(), DType::F64));
    let (found, slopes) = at_block(&model, &tensor(x, 2), &classes(y), 64);
    assert_close(&[-found], &[value], 1e-10);
    let slopes: Vec<f64> = transposed(&slopes, 2).iter().map(|slope| -slope).collect();
    assert_close(&slopes, &[gradient[0], 0.0, 0.0, gradient[1]], 1e-9);
}

#[test]
fn mlpack_six_points() {
    let x = [-0.1, 1.0, -0.1, 0.0, -0.1, -1.0, 0.1, 1.0, 0.1, 0.0, 0.1, -1.0];
    let y = [0, 0, 0, 1, 1, 1];
    golden(&x, &y, Criterion::F, 1.5114047814734728, [0.0897487892, -1.638264296]);
    golden(&x, &y, Criterion::G, -8.33790171820718, [0.3590876165, -6.709442048]);
    // Its optimum far apart.
    let x = [500.0, 0.0, 500.0, 0.0, -500.0, 0.0, -500.0, 0.0];
    golden(&x, &[0, 0, 1, 1], Criterion::F, 4.0, [0.0, 0.0]);
}

#[test]
fn scikit_learn_four_points() {
    let (x, y) = ([0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 2.0, 1.0], [1, 0, 1, 0]);
    golden(&x, &y, Criterion::F, 0.18645049031, [-1.3964985880, 0.3555190879]);
    golden(&x, &y, Criterion::G, -12.263535615, [-29.9596656603, 7.6270990190]);
}

#[test]
fn agreements_that_underflow_keep_their_terms() {
    // In f32 each w_ij is 0 (its logarithm is -450 or less), and each p_i too.
    let targets: Vec<f64> = (0..8).map(|t| 30.0 * f64::from(t)).collect();
    let agreements = Agreements::of_targets(&targets, 1, AgreementWidth::Given(1.0)).unwrap();
    let index = AgreementIndex::new(&agreements, &Device::flex()).unwrap();
    let z: Vec<f64> = (0..8).map(|i| f64::from((i * 3) % 8)).collect();
    let loss = SoftNcaLossConfig::new().with_criterion(Criterion::G).init();
    let [single, double] = [DType::F32, DType::F64]
        .map(|dtype| at_embedding(&tensor(&z, 1).cast(dtype), |z| loss.total(z, &index)));
    let log_p = log_matches(&z, 1, &[true; 8], false, |i, j| agreements.log_agreement(i, j));
    let expected = criterion(Criterion::G, &log_p, |_| 1.0);
    assert_close(&[single.0, double.0], &[expected; 2], 1e-5);
    // f32 knows a logarithm of -450 to 3e-5, one of -1800 to 1e-4.
    assert!(double.1.iter().all(|slope| slope.abs() > 1e-3));
    assert_near(&single.1, &double.1, 1e-3, "slopes");
}

#[test]
fn a_batch_that_says_nothing_gives_0_and_no_nan() {
    let nothing = |rows: usize, value: &dyn Fn(Tensor<2>) -> Tensor<1>| {
        let z = tensor(&uniform(2 * rows, 34), 2);
        assert_eq!(at_embedding(&z, value), (0.0, vec![0.0; 2 * rows]));
    };
    let device = Device::flex();
    let targets = [1.0, f64::NAN, f64::NAN, 2.0];
    let agreements = Agreements::of_targets(&targets, 1, AgreementWidth::Given(1.0)).unwrap();
    let batch = AgreementIndex::new(&agreements, &device).unwrap().subset(&[1, 2]);
    for which in CRITERIA {
        for neighbors in [false, true] {
            let config = SoftNcaLossConfig::new().with_criterion(which);
            let loss = config.with_unlabeled_neighbors(neighbors).init();
            nothing(5, &|z| loss.forward(z, tensor(&[0.0; 25], 5)));
            nothing(5, &|z| loss.forward_targets(z, tensor(&[f64::NAN; 5], 1), 1.0));
            nothing(2, &|z| loss.total(z, &batch));
        }
    }
    let pairs = Pairs::new(4, vec![(0, 3, 1.0)]).unwrap();
    let batch = PairIndex::new(&pairs, &device).subset(&[0, 1, 2]);
    nothing(3, &|z| PairLossConfig::new().init().total(z, &batch));
    let mlkr = MlkrLossConfig::new().init();
    nothing(1, &|z| mlkr.forward(z, tensor(&[7.0], 1)));
    // Two points predict each other, whatever the metric.
    let two: f64 = mlkr.forward(tensor(&[0.0, 1e4], 1), tensor(&[1.0, 4.0], 1)).into_scalar();
    assert_close(&[two], &[9.0], 1e-12);
    let whole = ClassIndex::partly(&[None, Some(0), None, Some(0)], &device).unwrap();
    let estimate = NcaLossConfig::new().init().estimate(
        tensor(&uniform(4, 5), 2),
        &whole.subset(&[0, 2]),
        &whole,
    );
    assert!(estimate.is_none());
}

fn fit_config() -> FitConfig {
    FitConfig::new().with_precision(Precision::F64)
}

fn embedding(fitted: &Fitted) -> Vec<f64> {
    host_values(fitted.references().clone())
}

/// A fit minimizes the weighted sum, its value; weights of 1 change nothing.
fn check(
    fit: impl Fn(Option<Vec<f64>>) -> Fitted,
    value: impl Fn(&Fitted, &[f64]) -> f64,
    tolerance: f64,
) {
    let weights: Vec<f64> = uniform(40, 71).iter().map(|w| 1.1 + w).collect();
    let (plain, fitted) = (fit(None), fit(Some(weights.clone())));
    let value = |fitted| value(fitted, &weights);
    assert_eq!(plain.matrix(), fit(Some(vec![1.0; 40])).matrix());
    assert_close(&[value(&fitted)], &[fitted.summary().value], tolerance);
    assert!(value(&fitted) < value(&plain), "{} {}", value(&fitted), value(&plain));
}

#[test]
fn a_fit_of_weighted_numbers_minimizes_the_weighted_sum() {
    let x = uniform(3 * 40, 50);
    let prices = x.chunks_exact(3).map(|row| row[0] + 0.1 * row[2]).collect();
    let features = Features::unnamed(x, 3).unwrap();
    let data = RegressionData::new(features, "price", prices).unwrap();
    let with = |weights| data.clone().with_weights(weights).unwrap();
    let config = Estimator::new(3, 2, Mlkr::new()).with_fit(fit_config());
    let value = |fitted: &Fitted, weights: &[f64]| {
        let target = TargetIndex::of(&with(weights.to_vec()), &Device::flex()).unwrap();
        MlkrLossConfig::new().init().total(fitted.references().clone(), &target).into_scalar()
    };
    let fit = |weights: Option<_>| {
        config.fit(&weights.map_or(data.clone(), with), &Device::flex()).unwrap()
    };
    check(fit, value, 1e-8);
}

#[test]
fn a_fit_of_weighted_rows_minimizes_the_weighted_sum() {
    let sample = overlapping(40, 3, 2, 46);
    let (data, y) = (sample.labeled(), sample.y.iter().copied().map(Some).collect::<Vec<_>>());
    let with = |weights| data.clone().with_weights(weights).unwrap();
    let fit = fit_config().with_l2(0.01);
    let config = NcaConfig::new(3, 2).with_criterion(Criterion::G).with_fit(fit);
    let value = |fitted: &Fitted, weights: &[f64]| {
        let norm: f64 = fitted.matrix().unwrap().iter().map(|a| a * a).sum();
        let sum = nca_loss(&embedding(fitted), 2, &y, (Criterion::G, 0.0), |row| weights[row]);
        sum + 0.01 * 40.0 * norm
    };
    let fit = |weights: Option<_>| {
        config.fit(&weights.map_or(data.clone(), with), &Device::flex()).unwrap()
    };
    check(fit, value, 1e-10);
}

#[test]
fn the_best_that_weighted_rows_could_have_is_no_saturated_start() {
    // f is at its best, which is not the number of rows.
    let features = Features::unnamed(vec![0.0, 0.1, 900.0, 900.1], 1).unwrap();
    let data = Labeled::from_labels(features, vec![0, 0, 1, 1]).unwrap();
    let data = data.with_weights(vec![0.5, 0.5, 1.0, 0.25]).unwrap();
    let fit = FitConfig::new().with_scaling(ScalingKind::None);
    let fitted = NcaConfig::new(1, 1).with_fit(fit).fit(&data, &Device::flex()).unwrap();
    assert_close(&[fitted.summary().value], &[-2.25], 1e-5);
    assert!(fitted.summary().termination.converged(), "{}", fitted.summary().termination);
}

#[test]
fn a_fit_among_rows_without_a_class_ends_lower_than_one_without_them() {
    let sample = overlapping(60, 2, 3, 53);
    let (hidden, rows): (Vec<usize>, Vec<usize>) = (0..60).partition(|row| row * row % 5 == 1);
    let data = sample.labeled();
    let (data, others) = (data.select(&rows), data.features().select(&hidden));
    let partly = data.clone().with_unlabeled(others.clone()).unwrap();
    let config = NcaConfig::new(2, 2).with_criterion(Criterion::G).with_fit(fit_config());
    let labels = data.labels().iter().copied().map(Some).chain(hidden.iter().map(|_| None));
    let labels: Vec<Option<usize>> = labels.collect();
    let value = |fitted: &Fitted| {
        let z = [data.features(), &others].map(|x| host_values(fitted.transform(x).unwrap()));
        nca_loss(&z.concat(), 2, &labels, (Criterion::G, 0.0), |_| 1.0)
    };
    let [plain, fitted] = [&data, &partly].map(|data| config.fit(data, &Device::flex()).unwrap());
    assert_close(&[value(&fitted)], &[fitted.summary().value], 1e-8);
    assert!(value(&fitted) < value(&plain), "{} {}", value(&fitted), value(&plain));
    // References and votes are of the rows with a class.
    assert_eq!(fitted.references().dims(), plain.references().dims());
    assert_eq!(fitted.predict(&others, 3).unwrap().len(), others.rows());
}
