//! Values worked by hand, and the value and gradient of the equations in loops.

use burn::optim::decay::WeightDecayConfig;
use burn::optim::{GradientsParams, SgdConfig};
use burn::tensor::{DType, Device};

use super::*;
use crate::encoder::{Encoder, FeatureWeights};
use crate::objective::batch::testing::{
    assert_both, assert_costs_nothing, assert_is, at_blocks, leaf, scattered, target, tensor,
};

const ROWS: usize = 17;
const FEATURES: usize = 3;

fn x() -> Vec<f64> {
    (0..ROWS * FEATURES).map(|i| ((i * i + 3 * i) % 29) as f64 / 10.0).collect()
}

fn labels() -> Vec<usize> {
    (0..ROWS).map(|i| if i == 4 { 7 } else { (i * i) % 3 }).collect()
}

fn targets() -> Vec<f64> {
    (0..2 * ROWS).map(|i| ((5 * i) % 7) as f64).collect()
}

/// F of the slides, less its penalty and times -n, and its gradient by hand: nested loops in f64.
///
/// ```text
/// ∂F/∂w_r = 2 w_r Σ_i ( p_i Σ_j p_ij |x_ir - x_jr| - Σ_{j∈C_i} p_ij |x_ir - x_jr| )
/// ```
/// With a loss l_ij instead of the agreement of classes both halves carry it: the agreement is -l_ij.
fn oracle(w: &[f64], agreement: &dyn Fn(usize, usize) -> f64) -> (f64, Vec<f64>) {
    let x = x();
    let apart = |i: usize, j: usize, r: usize| (x[i * FEATURES + r] - x[j * FEATURES + r]).abs();
    let mut value = 0.0;
    let mut gradient = vec![0.0; FEATURES];
    for i in 0..ROWS {
        let kernel = |j: usize| {
            let distance: f64 = (0..FEATURES).map(|r| w[r] * w[r] * apart(i, j, r)).sum();
            if i == j { 0.0 } else { (-distance).exp() }
        };
        let sum: f64 = (0..ROWS).map(kernel).sum();
        let p: Vec<f64> = (0..ROWS).map(|j| kernel(j) / sum).collect();
        let p_i: f64 = (0..ROWS).map(|j| p[j] * agreement(i, j)).sum();
        value -= p_i;
        for (r, slope) in gradient.iter_mut().enumerate() {
            let all: f64 = (0..ROWS).map(|j| p[j] * apart(i, j, r)).sum();
            let same: f64 = (0..ROWS).map(|j| p[j] * agreement(i, j) * apart(i, j, r)).sum();
            *slope -= 2.0 * w[r] * (p_i * all - same);
        }
    }
    (value, gradient)
}

/// Value and gradient by w through the library, in blocks of some rows.
fn found<O: Objective>(w: &[f64], loss: O, target: &O::Target, rows: usize) -> (f64, Vec<f64>) {
    let map = FeatureWeights::from_weights(w, &Device::flex().autodiff(), DType::F64);
    at_blocks((map, &tensor(&x(), FEATURES)), (loss, target), rows)
}

#[test]
fn value_and_gradient_are_those_of_the_equations_at_any_block_size() {
    let (labels, targets) = (labels(), targets());
    let w = [0.9, -1.3, 0.4];
    let same = |i: usize, j: usize| f64::from(u8::from(labels[i] == labels[j]));
    let classes = ClassIndex::new(&labels, &Device::flex()).unwrap();
    let loss = || NcfsLossConfig::new().init();
    for rows in [1, 5, 100] {
        assert_both(&found(&w, loss(), &classes, rows), &oracle(&w, &same), 1e-12);
    }
    let error = |i: usize, j: usize| -> f64 {
        (0..2).map(|m| -(targets[2 * i + m] - targets[2 * j + m]).abs()).sum()
    };
    let index = TargetIndex::new(&targets, 2, &Device::flex()).unwrap();
    for rows in [4, 100] {
        let found = found(&w, NcfsRegressionLossConfig::new().init(), &index, rows);
        assert_both(&found, &oracle(&w, &error), 1e-12);
    }
}

#[test]
fn at_weights_of_0_no_gradient_tells_where_to_go() {
    let classes = ClassIndex::new(&labels(), &Device::flex()).unwrap();
    let (_, gradient) = found(&[0.0; FEATURES], NcfsLossConfig::new().init(), &classes, 6);
    assert_eq!(gradient, [0.0; FEATURES]);
}

#[test]
fn far_points_keep_finite_numbers_in_f32() {
    let device = Device::flex();
    let z = Tensor::<2>::from_floats([[0.0], [1e8], [1e8], [-3e8]], &device).autodiff();
    let z = z.require_grad();
    let classes = ClassIndex::new(&[0, 1, 1, 0], &device).unwrap();
    let loss = NcfsLossConfig::new().init().total(z.clone(), &classes);
    let slope = z.grad(&loss.backward()).unwrap();
    let slope = slope.into_data().try_to_vec::<f32>().unwrap();
    assert!(slope.iter().all(|slope| slope.is_finite()), "{slope:?}");
    assert!((loss.into_scalar::<f64>() + 3.0).abs() < 1e-3); // all but the first
}

/// Rows of the embedding, and what of their p_i or errors is the loss of the batch: nested loops.
fn batch(agreement: &dyn Fn(usize, usize) -> f64, counted: f64) -> impl Fn(&[f64]) -> f64 + '_ {
    move |z: &[f64]| {
        let apart = |i: usize, j: usize| -> f64 {
            (0..FEATURES).map(|r| (z[i * FEATURES + r] - z[j * FEATURES + r]).abs()).sum()
        };
        let term = |i: usize| {
            let of = |of: &dyn Fn(usize) -> f64| -> f64 {
                (0..ROWS).filter(|&j| j != i).map(|j| (-apart(i, j)).exp() * of(j)).sum()
            };
            of(&|j| agreement(i, j)) / of(&|_| 1.0)
        };
        -(0..ROWS).map(term).sum::<f64>() / counted
    }
}

#[test]
fn a_batch_is_that_of_the_equations_over_the_rows_that_have_a_partner() {
    let labels = labels();
    let same = |i: usize, j: usize| f64::from(u8::from(labels[i] == labels[j]));
    // Row 4 is the only one of its class.
    for (reduction, counted) in [(Reduction::Mean, ROWS as f64 - 1.0), (Reduction::Sum, 1.0)] {
        let loss = NcfsLossConfig::new().with_reduction(reduction).init();
        let value = |z| loss.batch_loss(z, &target(&labels));
        assert_is(&value, &batch(&same, counted), (&scattered(ROWS * FEATURES), FEATURES));
    }
    let targets = targets();
    let error = |i: usize, j: usize| -> f64 {
        (0..2).map(|m| -(targets[2 * i + m] - targets[2 * j + m]).abs()).sum()
    };
    let loss = NcfsRegressionLossConfig::new().init();
    let value = |z| loss.batch_loss(z, &leaf(&targets, 2));
    assert_is(&value, &batch(&error, ROWS as f64), (&scattered(ROWS * FEATURES), FEATURES));
}

#[test]
fn rows_without_a_partner_cost_nothing() {
    for labels in [&[0][..], &[0, 1, 2]] {
        assert_costs_nothing(&NcfsLossConfig::new().init(), labels);
    }
}

#[test]
fn weight_decay_is_the_penalty() {
    // One step of gradient descent on -1/n Σ p_i + λ Σ w_r², with every row of a class of several.
    let (w, lambda, device) = ([0.9, -1.3, 0.4], 0.05, Device::flex().autodiff());
    let labels: Vec<usize> = (0..ROWS).map(|i| i % 3).collect();
    let same = |i: usize, j: usize| f64::from(u8::from(labels[i] == labels[j]));
    let x = tensor(&x(), FEATURES).autodiff();
    let map = FeatureWeights::from_weights(&w, &device, DType::F64);
    let value = NcfsLossConfig::new().init().batch_loss(map.forward(x), &target(&labels));
    let gradients = GradientsParams::from_grads(value.backward(), &map);
    let decay = WeightDecayConfig::new(2.0 * lambda as f32);
    let mut descent = SgdConfig::new().with_weight_decay(Some(decay)).init();
    let stepped = host_values(descent.step(1.0, map, gradients).weight.val());
    let (_, slopes) = oracle(&w, &same);
    for r in 0..FEATURES {
        let expected = w[r] - slopes[r] / ROWS as f64 - 2.0 * lambda * w[r];
        assert!((stepped[r] - expected).abs() < 1e-8, "{} {expected}", stepped[r]);
    }
}

#[test]
#[should_panic(expected = "the target of row 2 is NaN")]
fn a_target_that_is_not_finite_is_refused() {
    NcfsRegressionLossConfig::new().init().forward(leaf(&[0.0; 2], 1), leaf(&[1.0, f64::NAN], 1));
}

#[test]
fn display() {
    assert_eq!(NcfsLossConfig::new().init().to_string(), "NcfsLoss {distance: \"L1\"}");
    let regression = NcfsRegressionLossConfig::new().init();
    assert_eq!(regression.to_string(), "NcfsRegressionLoss {distance: \"L1\"}");
}
