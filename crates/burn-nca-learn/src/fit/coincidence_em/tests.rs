//! EM against nested loops, and its fixed point.

use crate::data::TensorFeatures;
use burn::tensor::{DType, Device};
use burn_nca_fused::coincidence::Model;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::encoder::LinearMap;
use crate::fit::parameters::flatten_gradients;
use crate::fit::{EmProblem, FitConfig, FitIdentity, FitSession, Termination, exact};
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
            let apart = map(&hidden, &difference(&features, anchor, other))[0];
            let coincide = rng.random::<f64>() < (-0.3 * apart * apart).exp();
            pairs.push(LabeledPair { coincide, ..LabeledPair::alike(anchor, other) });
        }
    }
    let weights = (0..latent * d).map(|_| normal(&mut rng)).collect();
    Sample { features, pairs: LabeledPairs::new(n, pairs).unwrap(), weights, latent }
}

fn difference(features: &Features, from: usize, to: usize) -> Vec<f64> {
    features.row(from).iter().zip(features.row(to)).map(|(a, b)| b - a).collect()
}

fn map(weights: &[f64], difference: &[f64]) -> Vec<f64> {
    let rows = weights.chunks_exact(difference.len());
    rows.map(|row| row.iter().zip(difference).map(|(w, x)| w * x).sum()).collect()
}

fn sq_norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum()
}

impl Sample {
    fn model(&self, local: bool) -> CoincidenceEm<'static> {
        CoincidenceEm::new(&self.features, &self.pairs, self.latent, local).unwrap()
    }

    /// L with κ = 1, and one step of EM, by nested loops.
    fn naive_step(&self, weights: &[f64], sigma_sq: f64) -> (f64, Vec<f64>, f64) {
        let (d, p) = (self.features.columns(), self.latent);
        let model = Model { k: p, sigma_sq, kappa_sq: 1.0 };
        let (mut cross, mut scatter) = (vec![0.0; p * d], vec![0.0; d * d]);
        let (mut shifts, mut variance, mut log_likelihood) = (Vec::new(), 0.0, 0.0);
        for pair in self.pairs.pairs() {
            let difference = difference(&self.features, pair.anchor, pair.other);
            let delta = map(weights, &difference);
            log_likelihood += model.log_probability(sq_norm(&delta), pair.coincide);
            let found = model.posterior(sq_norm(&delta), pair.coincide);
            variance += found.variance;
            for c in 0..d {
                for r in 0..p {
                    cross[r * d + c] += (1.0 - 2.0 * found.shift) * delta[r] * difference[c];
                }
                for r in 0..d {
                    scatter[r * d + c] += difference[r] * difference[c];
                }
            }
            shifts.push((found.shift, difference, delta));
        }
        let new = product(&cross, &pseudo_inverse(&scatter, d).unwrap(), d);
        let rest = shifts.iter().map(|(shift, difference, before)| {
            let after = map(&new, difference);
            let apart = after.iter().zip(before).map(|(a, b)| 0.5 * a - (0.5 - shift) * b);
            apart.map(|x| x * x).sum::<f64>()
        });
        let sigma_sq = (rest.sum::<f64>() + variance) / (p * shifts.len()) as f64;
        (log_likelihood, new, sigma_sq)
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

/// A fit of so many steps at most.
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
        let (value, weights, sigma_sq) = sample.naive_step(&state.weights, 0.7);
        assert!((model.log_likelihood(&expectation) - value).abs() < 1e-9);
        let (found, _) = model.maximize(state.clone(), &expectation, 1).unwrap();
        assert!((found.sigma_sq[0] - sigma_sq).abs() < 1e-9, "{found:?} {sigma_sq}");
        for (found, expected) in found.weights.iter().zip(&weights) {
            assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()));
        }
    }
}

#[test]
fn the_gradient_vanishes_where_em_comes_to_rest() {
    let sample = sample(2, 0.0);
    let run = |max_iterations, fit: &FitConfig| {
        let mut model = sample.model(false);
        let start = model.start(sample.weights.clone(), 1.0);
        problem(start, fit, max_iterations).maximize(&mut model, FitSession::new()).unwrap()
    };
    let end = run(4000, &FitConfig::new()).module;
    assert!(end.sigma_sq[0] > 1e-4, "the maximum lies inside: {:?}", end.sigma_sq);
    let gradient = sample.gradient_max(&end.weights, end.sigma_sq[0]);
    assert!(gradient < 1e-2, "{gradient}");
    // What EM says of the gradient is what automatic differentiation says.
    let model = sample.model(false);
    let state = model.start(sample.weights.clone(), 1.0);
    let told = model.gradient_max(&state, &model.expect(&state));
    let expected = sample.gradient_max(&sample.weights, 1.0);
    assert!((told - expected).abs() < 1e-9 * expected, "{told} {expected}");
    // Limits end it before.
    for (max_iterations, stop_at, expected) in [
        (3, None, (Termination::MaxIterations, 3)),
        (1000, Some(0), (Termination::StopAt, 0)),
        (1000, Some(2), (Termination::StopAt, 2)),
    ] {
        let end = run(max_iterations, &FitConfig::new().with_stop_at(stop_at));
        assert_eq!((end.termination, end.iterations), expected);
        assert_eq!(end.module.weights == sample.weights, stop_at == Some(0));
    }
}

#[test]
fn pairs_found_on_the_way_are_kept() {
    let sample = sample(8, 0.0);
    let found = [LabeledPair::different(0, 9), LabeledPair::alike(19, 2)];
    let mut model = sample.model(true).with_refresh(3, Box::new(move |_| Ok(found.to_vec())));
    let start = model.start(sample.weights.clone(), 1.0);
    let fit = FitConfig::new();
    let end = problem(start, &fit, 12).maximize(&mut model, FitSession::new()).unwrap().module;
    assert_eq!((&end.added[..], end.kappa_sq.len()), (&found[..], 20));
}
