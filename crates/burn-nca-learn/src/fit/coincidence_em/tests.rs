//! EM against nested loops, the likelihood along it, its fixed point, and what the printed (11) does instead.

use crate::data::TensorFeatures;
use burn::tensor::{DType, Device};
use burn_nca_fused::coincidence::Model;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::encoder::LinearMap;
use crate::fit::parameters::flatten_gradients;
use crate::fit::{EmProblem, FitConfig, FitIdentity, FitSession, Progress, Termination, exact};
use crate::objective::{CoincidenceIndex, CoincidenceLoss};
use burn_nca::MetricModel;

/// Rows, pairs and a start. Pairs are alike where a hidden projection says so, with noise: σ² has its maximum inside.
struct Sample {
    features: Features,
    pairs: LabeledPairs,
    weights: Vec<f64>,
    latent: usize,
}

fn normal(rng: &mut impl Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

fn sample(seed: u64, offset: f64) -> Sample {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, d) = (20, 3);
    let latent = 1 + seed as usize % 2;
    let values: Vec<f64> = (0..n * d).map(|_| normal(&mut rng) + offset).collect();
    let features = Features::unnamed(values, d).unwrap();
    let hidden: Vec<f64> = (0..d).map(|_| normal(&mut rng)).collect();
    let mut pairs = Vec::new();
    for anchor in 0..n {
        for step in [1, 3, 7] {
            let other = (anchor + step) % n;
            let row = |point: usize| features.row(point).iter();
            let differences = row(anchor).zip(row(other)).map(|(a, b)| a - b);
            let apart: f64 = differences.zip(&hidden).map(|(x, w)| x * w).sum();
            let coincide = rng.random::<f64>() < (-0.3 * apart * apart).exp();
            let label = LabeledPair { coincide, ..LabeledPair::alike(anchor, other) };
            pairs.push(label);
        }
    }
    let weights = (0..latent * d).map(|_| normal(&mut rng)).collect();
    Sample { features, pairs: LabeledPairs::new(n, pairs).unwrap(), weights, latent }
}

impl Sample {
    fn model(&self, local: bool) -> CoincidenceEm<'static> {
        CoincidenceEm::new(&self.features, &self.pairs, self.latent, local).unwrap()
    }

    fn differences(&self) -> Vec<Vec<f64>> {
        let difference = |pair: &LabeledPair| {
            let (a, b) = (self.features.row(pair.anchor), self.features.row(pair.other));
            a.iter().zip(b).map(|(a, b)| b - a).collect()
        };
        self.pairs.pairs().iter().map(difference).collect()
    }

    /// L with κ = 1, pair by pair.
    fn log_likelihood(&self, weights: &[f64], sigma_sq: f64) -> f64 {
        let model = Model { k: self.latent, sigma_sq, kappa_sq: 1.0 };
        let pairs = self.differences().into_iter().zip(self.pairs.pairs());
        pairs
            .map(|(d, pair)| model.log_probability(sq_norm(&map(weights, &d)), pair.coincide))
            .sum()
    }

    /// One step of EM by nested loops, with the variance as printed in (11) or corrected.
    fn naive_step(&self, weights: &[f64], sigma_sq: f64, printed: bool) -> (Vec<f64>, f64) {
        let (d, p) = (self.features.columns(), self.latent);
        let differences = self.differences();
        let model = Model { k: p, sigma_sq, kappa_sq: 1.0 };
        let (mut cross, mut scatter) = (vec![0.0; p * d], vec![0.0; d * d]);
        let (mut shifts, mut variance) = (Vec::new(), 0.0);
        for (difference, pair) in differences.iter().zip(self.pairs.pairs()) {
            let delta = map(weights, difference);
            let found = model.posterior(sq_norm(&delta), pair.coincide);
            // ε² = p σ² (1 + ν a) = p σ² (1 - c) as printed; for y = 1 they agree.
            let as_printed = p as f64 * sigma_sq * (1.0 - found.shift);
            variance += if printed { as_printed } else { found.variance };
            shifts.push(found.shift);
            for r in 0..p {
                for c in 0..d {
                    cross[r * d + c] += (1.0 - 2.0 * found.shift) * delta[r] * difference[c];
                }
            }
            for r in 0..d {
                for c in 0..d {
                    scatter[r * d + c] += difference[r] * difference[c];
                }
            }
        }
        let inverse = pseudo_inverse(&scatter, d).unwrap();
        let new = product(&cross, &inverse, d);
        let rest: f64 = differences
            .iter()
            .zip(&shifts)
            .map(|(difference, shift)| {
                let (after, before) = (map(&new, difference), map(weights, difference));
                let apart = after.iter().zip(before).map(|(a, b)| 0.5 * a - (0.5 - shift) * b);
                apart.map(|x| x * x).sum::<f64>()
            })
            .sum();
        (new, (rest + variance) / (p * differences.len()) as f64)
    }

    /// The largest component of the gradient of L by W and log σ², by automatic differentiation.
    fn gradient_max(&self, weights: &[f64], sigma_sq: f64) -> f64 {
        let device = Device::flex().autodiff();
        let d = self.features.columns();
        let map =
            LinearMap::from_weight(&transposed(weights, d), [d, self.latent], &device, DType::F64);
        let loss = CoincidenceLoss::new(&[sigma_sq], None, &device, DType::F64);
        let x = self.features.to_tensor(&Device::flex(), DType::F64);
        let index = CoincidenceIndex::new(&self.pairs, &device);
        let model = MetricModel::new(map, loss);
        let at = exact::value_and_gradient(&model, &x, &index, &exact::BlockConfig::new());
        flatten_gradients(&model, &at.gradients).iter().fold(0.0, |max, g| max.max(g.abs()))
    }
}

fn map(weights: &[f64], difference: &[f64]) -> Vec<f64> {
    let rows = weights.chunks_exact(difference.len());
    rows.map(|row| row.iter().zip(difference).map(|(w, x)| w * x).sum()).collect()
}

fn sq_norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum()
}

/// A fit of so many steps at most, with a checkpoint that recognizes it.
fn problem(start: CoincidenceState, fit: &FitConfig, max_iterations: usize) -> EmProblem<'_> {
    let identity =
        &|| FitIdentity { settings: "lca".into(), features: String::new(), targets: String::new() };
    EmProblem { start, max_iterations, tolerance_progress: 0.0, fit, held_out: None, identity }
}

#[test]
fn a_step_is_that_of_nested_loops_wherever_the_rows_stand() {
    for offset in [0.0, 50.0] {
        let sample = sample(3, offset);
        let mut model = sample.model(false);
        let state = model.start(sample.weights.clone(), 0.7);
        let expectation = model.expect(&state);
        let value = sample.log_likelihood(&state.weights, 0.7);
        assert!((model.log_likelihood(&expectation) - value).abs() < 1e-9);
        let (found, _) = model.maximize(state.clone(), &expectation, 1).unwrap();
        let (weights, sigma_sq) = sample.naive_step(&state.weights, 0.7, false);
        assert!((found.sigma_sq[0] - sigma_sq).abs() < 1e-9, "{found:?} {sigma_sq}");
        for (found, expected) in found.weights.iter().zip(&weights) {
            assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()));
        }
    }
}

#[test]
fn no_step_lowers_the_likelihood() {
    for seed in 0..40 {
        let sample = sample(seed, 0.0);
        for local in [false, true] {
            let mut model = sample.model(local);
            let mut state = model.start(sample.weights.clone(), 1.0);
            let mut expectation = model.expect(&state);
            for iteration in 1..=40 {
                let before = model.log_likelihood(&expectation);
                (state, _) = model.maximize(state, &expectation, iteration).unwrap();
                expectation = model.expect(&state);
                let after = model.log_likelihood(&expectation);
                assert!(
                    after >= before - 1e-9,
                    "seed {seed}, step {iteration}: {before} to {after}"
                );
            }
        }
    }
}

/// Where EM converges from a sample's start, by nested loops.
fn naive_end(sample: &Sample, printed: bool) -> (Vec<f64>, f64) {
    let (mut weights, mut sigma_sq) = (sample.weights.clone(), 1.0);
    for _ in 0..1500 {
        let next = sample.naive_step(&weights, sigma_sq, printed);
        let moved = (next.1 / sigma_sq - 1.0).abs();
        (weights, sigma_sq) = next;
        if moved < 1e-13 {
            break;
        }
    }
    (weights, sigma_sq)
}

#[test]
fn the_gradient_vanishes_where_em_comes_to_rest_and_not_where_the_printed_one_does() {
    let sample = sample(2, 0.0);
    let fit = FitConfig::new();
    let mut model = sample.model(false);
    let start = model.start(sample.weights.clone(), 1.0);
    let solution = problem(start, &fit, 4000).maximize(&mut model, FitSession::new()).unwrap();
    let end = &solution.module;
    assert!(end.sigma_sq[0] > 1e-4, "the maximum lies inside: {:?}", end.sigma_sq);
    let gradient = sample.gradient_max(&end.weights, end.sigma_sq[0]);
    assert!(gradient < 1e-2, "{gradient}");
    // What EM says of the gradient is what automatic differentiation says.
    let state = model.start(sample.weights.clone(), 1.0);
    let told = model.gradient_max(&state, &model.expect(&state));
    let expected = sample.gradient_max(&sample.weights, 1.0);
    assert!((told - expected).abs() < 1e-9 * expected, "{told} {expected}");
    // The same by nested loops; and with (11) as it is printed.
    let (weights, sigma_sq) = naive_end(&sample, false);
    let corrected = sample.gradient_max(&weights, sigma_sq);
    let (weights, sigma_sq) = naive_end(&sample, true);
    let printed = sample.gradient_max(&weights, sigma_sq);
    assert!(printed > 10.0 * corrected.max(gradient), "{printed} {corrected} {gradient}");
    // From where the corrected one rests, the printed one falls.
    let (weights, sigma_sq) = sample.naive_step(&end.weights, end.sigma_sq[0], true);
    let fallen = sample.log_likelihood(&weights, sigma_sq);
    assert!(fallen < -solution.value - 1e-6, "{fallen} {}", -solution.value);
}

#[test]
fn pairs_found_on_the_way_are_kept_and_a_resumed_run_is_the_same() {
    let sample = sample(8, 0.0);
    let found = [LabeledPair::different(0, 9), LabeledPair::alike(19, 2)];
    let model = || {
        let more = move |_: &[f64]| Ok(found.to_vec());
        sample.model(true).with_refresh(3, Box::new(more))
    };
    let start = model().start(sample.weights.clone(), 1.0);
    let fit = FitConfig::new();
    let run = |session| problem(start.clone(), &fit, 12).maximize(&mut model(), session).unwrap();
    let whole = run(FitSession::new());
    assert_eq!(whole.module.added, found);
    assert_eq!(whole.module.kappa_sq.len(), 20);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lca.checkpoint");
    let mut stop = |progress: &Progress| match progress.iteration {
        7 => std::ops::ControlFlow::Break(Termination::Stopped),
        _ => std::ops::ControlFlow::Continue(()),
    };
    run(FitSession::new().with_progress(&mut stop).with_checkpoint(&path));
    let rest = run(FitSession::new().with_checkpoint(&path));
    assert_eq!(rest.module, whole.module);
}

#[test]
fn limits_end_a_run() {
    let sample = sample(2, 0.0);
    let run = |max_iterations, fit: &FitConfig| {
        let mut model = sample.model(false);
        let start = model.start(sample.weights.clone(), 1.0);
        problem(start, fit, max_iterations).maximize(&mut model, FitSession::new()).unwrap()
    };
    let few = run(3, &FitConfig::new());
    assert_eq!((few.termination, few.iterations), (Termination::MaxIterations, 3));
    let none = run(1000, &FitConfig::new().with_stop_at(Some(0)));
    assert_eq!(
        (none.termination, none.module.weights),
        (Termination::StopAt, sample.weights.clone())
    );
    let two = run(1000, &FitConfig::new().with_stop_at(Some(2)));
    assert_eq!((two.termination, two.iterations), (Termination::StopAt, 2));
}
