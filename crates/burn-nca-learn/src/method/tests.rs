//! What the methods of the family do on made-up tables: what they find, what they give, how they continue.

use std::cell::RefCell;
use std::ops::ControlFlow;

use burn::tensor::Device;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::Fitted;
use crate::data::{Features, Labeled, RegressionData, ScalingKind, TensorFeatures, host_values};
use crate::encoder::{AnyEncoder, Encoder};
use crate::estimator::Estimator;
use crate::fit::{FitConfig, FitState, Progress, Start, Termination};
use crate::neighbors::Rule;

/// A table of random rows, `[n, d]`, and the class that `class` gives each.
fn table(seed: u64, [n, d]: [usize; 2], class: impl Fn(&[f64]) -> usize) -> Labeled {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x: Vec<f64> = (0..n * d).map(|_| rng.random::<f64>()).collect();
    let labels = x.chunks(d).map(class).collect();
    Labeled::from_labels(Features::unnamed(x, d).unwrap(), labels).unwrap()
}

/// The exclusive-or of the first two of four features, with a third that says nothing of large spread.
fn xor(seed: u64) -> Labeled {
    let data = table(seed, [60, 4], |row| usize::from((row[0] > 0.5) != (row[1] > 0.5)));
    let wide =
        data.features().values().chunks(4).flat_map(|row| [row[0], row[1], 5.0 * row[2], row[3]]);
    let features = Features::unnamed(wide.collect(), 4).unwrap();
    data.with_features(features).unwrap()
}

fn estimator(method: impl Into<AnyMethod>, d: usize) -> Estimator {
    Estimator::new(d, d, method.into())
}

fn fit(estimator: &Estimator, data: &Labeled) -> Fitted {
    estimator.fit(data, &Device::flex()).unwrap()
}

/// The features whose weights are the largest, in order of their numbers.
fn largest(fitted: &Fitted, count: usize) -> Vec<usize> {
    let weights = fitted.feature_norms().unwrap();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    order.truncate(count);
    order.sort_unstable();
    order
}

/// Two features of 102: the exclusive-or of four clusters, and 100 of noise.
#[test]
fn ncfs_finds_two_features_of_102() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let (mut x, mut labels) = (Vec::new(), Vec::new());
    for row in 0..200 {
        let [a, b] = [row % 2, row / 2 % 2];
        x.extend([2.0 * a as f64 + 0.25 * normal(), 2.0 * b as f64 + 0.25 * normal()]);
        x.extend((0..100).map(|_| normal()));
        labels.push(a ^ b);
    }
    let data = Labeled::from_labels(Features::unnamed(x, 102).unwrap(), labels).unwrap();
    assert_eq!(largest(&fit(&estimator(Ncfs::new(), 102), &data), 2), [0, 1]);
}

#[test]
fn ncfs_takes_its_penalty_from_the_settings() {
    let data = xor(1);
    let weights = |l2: f64| {
        let fitted = fit(&estimator(Ncfs::new(), 4).with_fit(FitConfig::new().with_l2(l2)), &data);
        assert_eq!(fitted.rule(), &Rule::Manhattan);
        fitted.feature_norms().unwrap()
    };
    // 0 stands for 1/n; the more it is, the smaller the weights.
    assert_eq!(weights(0.0), weights(1.0 / 60.0));
    assert!(weights(0.1).iter().sum::<f64>() < weights(0.0).iter().sum());
}

#[test]
fn ncfs_of_numbers_finds_what_the_target_follows_from() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let x: Vec<f64> = (0..60 * 6).map(|_| rng.random::<f64>()).collect();
    let targets = x.chunks(6).map(|row| 20.0 * row[1] + 5.0 * (6.0 * row[4]).sin()).collect();
    let data = RegressionData::new(Features::unnamed(x, 6).unwrap(), "t", targets).unwrap();
    let fitted = estimator(NcfsRegression::new(), 6).fit(&data, &Device::flex()).unwrap();
    assert_eq!(largest(&fitted, 2), [1, 4]);
    let predicted = fitted.predict_kernel(data.features()).unwrap();
    let error = |predicted: &[f64]| -> f64 {
        let truth = data.targets().values();
        predicted.iter().zip(truth).map(|(p, t)| (p - t).abs()).sum::<f64>() / 60.0
    };
    assert!(error(&predicted) < 2.0, "{}", error(&predicted));
    assert!(error(&fitted.leave_one_out_kernel().unwrap()) < 3.0);
    assert!(error(&fitted.predict_numbers(data.features(), 3).unwrap()) < 3.0);
}

/// The methods of this family that learn from classes.
fn family() -> Vec<AnyMethod> {
    vec![Ncfs::new().into(), Lmnn::new().into(), Vsm::new().into(), Gvsm::new().into()]
}

#[test]
fn a_fit_in_slices_takes_the_same_steps_bit_for_bit() {
    let data = xor(2);
    for method in family() {
        let estimator = estimator(method.clone(), 4);
        let whole = fit(&estimator, &data);
        let mut state = FitState::default();
        let sliced = loop {
            let mut one_step = |_: &Progress| ControlFlow::Break(Termination::Stopped);
            let session = FitSession::new().with_progress(&mut one_step).with_state(&mut state);
            let fitted = estimator.fit_session(&data, &Device::flex(), session).unwrap();
            // At the limit of steps the state stays, for whoever raises it.
            if state.is_empty() || fitted.summary().termination == Termination::MaxIterations {
                break fitted;
            }
        };
        assert_eq!(sliced.matrix(), whole.matrix(), "{method:?}");
        assert_eq!(sliced.rule(), whole.rule());
        let figures = |fitted: &Fitted| {
            let of = fitted.summary();
            (of.value, of.iterations, of.evaluations, of.termination)
        };
        assert_eq!(figures(&sliced), figures(&whole), "{method:?}");
        assert!(whole.summary().iterations > 3, "{method:?}: {:?}", whole.summary());
    }
}

#[test]
fn the_fitted_map_is_that_of_a_step() {
    let data = xor(5);
    for method in family().into_iter().chain([AnyMethod::named("nca").unwrap()]) {
        let estimator = estimator(method.clone(), 4);
        let steps = RefCell::new(Vec::new());
        let mut begin = |start: &[f64]| steps.borrow_mut().push(start.to_vec());
        let mut note = |_: &Progress, step: &[f64]| {
            steps.borrow_mut().push(step.to_vec());
            ControlFlow::Continue(())
        };
        let session = FitSession::new().with_start(&mut begin).with_parameters(&mut note);
        let fitted = estimator.fit_session(&data, &Device::flex(), session).unwrap();
        let rows = data.features().to_tensor(&Device::flex(), burn::tensor::DType::F32);
        let place = |encoder: &AnyEncoder| host_values(encoder.forward(rows.clone()));
        let end = place(&fitted.encoder);
        let gap = |step: &Vec<f64>| {
            let there = place(&fitted.encoder_at(step).unwrap());
            there.iter().zip(&end).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let least = steps.borrow().iter().map(gap).fold(f64::INFINITY, f64::min);
        assert!(least < 1e-4 && gap(&steps.borrow()[0]) > 1e-2, "{method:?}: {least}");
        assert_eq!(steps.borrow().len(), fitted.summary().iterations + 1);
    }
}

#[test]
fn each_learns_the_exclusive_or_better_than_no_method() {
    let (data, test) = (xor(3), xor(4));
    let accuracy = |fitted: &Fitted| fitted.accuracy(&test, 3).unwrap().value().unwrap();
    // The third feature is as wide as it is.
    let config = FitConfig::new().with_scaling(ScalingKind::None);
    let learn = |method: AnyMethod| fit(&estimator(method, 4).with_fit(config.clone()), &data);
    let unlearned = accuracy(&learn(Euclidean::new().into()));
    // NCFS looks for features; what it finds is tested in tests of its own.
    for method in family().into_iter().filter(|method| !matches!(method, AnyMethod::Ncfs(_))) {
        let fitted = learn(method.clone());
        assert!(accuracy(&fitted) > unlearned, "{method:?}: {} {unlearned}", accuracy(&fitted));
        let probabilities = fitted.class_probabilities(test.features()).unwrap();
        assert_eq!((probabilities.rows(), probabilities.classes()), (60, 2));
    }
}

#[test]
fn a_penalty_off_the_diagonal_brings_gvsm_toward_vsm() {
    let data = xor(6);
    let off_diagonal = |l2: f64| -> f64 {
        let config = FitConfig::new().with_l2(l2);
        let l = fit(&estimator(Gvsm::new(), 4).with_fit(config), &data).matrix().unwrap();
        assert!((0..16).all(|at| at % 4 >= at / 4 || l[at] == 0.0), "{l:?}");
        (0..16).filter(|at| at % 5 != 0).map(|at| l[at] * l[at]).sum()
    };
    let (free, held) = (off_diagonal(0.0), off_diagonal(10.0));
    assert!(held < 1e-3 && held < free, "{held} {free}");
}

#[test]
fn gvsm_starts_from_the_distances_of_a_given_transform() {
    let data = xor(7);
    let hadamard = [1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1];
    let transform: Vec<f64> =
        hadamard.iter().enumerate().map(|(at, h)| f64::from(*h) * (1 + at / 4) as f64).collect();
    let at_start = |method: AnyMethod| {
        let start = Start::Given { weight: transform.clone() };
        let config = FitConfig::new().with_start(start).with_stop_at(Some(0));
        fit(&estimator(method, 4).with_fit(config), &data)
    };
    let metric = at_start(Gvsm::new().into()).metric().unwrap();
    let given = at_start(Nca::new().into()).metric().unwrap();
    // The same up to the scale, which is fixed.
    for (found, expected) in metric.iter().zip(&given) {
        assert!((found - expected * metric[0] / given[0]).abs() < 1e-4, "{metric:?} {given:?}");
    }
}

#[test]
fn a_map_continues_from_one_that_was_fitted() {
    let data = xor(1);
    for method in family() {
        let estimator = estimator(method.clone(), 4);
        let first = fit(&estimator, &data);
        let again =
            estimator.fit_from(first.encoder.clone(), &data, &Device::flex(), FitSession::new());
        let again = again.unwrap();
        let (first, again) = (first.summary().value, again.summary().value);
        assert!(again <= first + 0.1 * first.abs(), "{method:?}: {again} {first}");
    }
}
