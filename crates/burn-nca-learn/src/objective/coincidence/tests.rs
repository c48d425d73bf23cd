//! Values against nested formulas in f64, gradients against central differences.

use burn::tensor::{DType, Device, Tensor};
use burn_nca_fused::coincidence::Model;

use super::*;
use crate::data::{LabeledPair, LabeledPairs};
use crate::objective::batch::testing::{
    assert_is, assert_slopes, d2, leaf, scattered, target, tensor, tensor_of,
};

/// Six points in two maps of two dimensions, with pairs of both kinds and three anchors.
fn index() -> CoincidenceIndex {
    let mut pairs = Vec::new();
    for map in 0..2 {
        for (anchor, other, coincide) in
            [(0, 1, true), (0, 2, false), (3, 4, true), (3, 5, false), (5, 1, false), (5, 2, true)]
        {
            pairs.push(LabeledPair { anchor, other, coincide, map });
        }
    }
    CoincidenceIndex::new(&LabeledPairs::new(6, pairs).unwrap(), &Device::flex())
}

const SIGMA_SQ: [f64; 2] = [0.3, 1.7];
const KAPPA_SQ: [f64; 3] = [0.5, 2.0, 1.2];

fn embedding(scale: f64) -> Vec<f64> {
    (0..24).map(|i| scale * (f64::from(i * i % 17) / 8.0 - 1.0)).collect()
}

/// Equation 14, pair by pair.
fn naive(z: &[f64], local: bool) -> f64 {
    let index = index();
    let mut value = 0.0_f64;
    for (pair, scale) in &index.pairs {
        let row = |point: usize| &z[point * 4 + pair.map * 2..][..2];
        let (a, b) = (row(pair.anchor), row(pair.other));
        let sq_distance = (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
        let kappa_sq = if local { KAPPA_SQ[*scale] } else { 1.0 };
        let v = kappa_sq + 2.0 * SIGMA_SQ[pair.map];
        // (κ² / v)^(p/2) exp(-||δ||² / 2v), p = 2
        let alike: f64 = kappa_sq / v * (-sq_distance / (2.0 * v)).exp();
        value -= if pair.coincide { alike.ln() } else { (1.0 - alike).ln() };
    }
    value
}

#[test]
fn value_and_gradient_are_those_of_the_formula_with_one_scale_and_with_one_per_anchor() {
    for local in [false, true] {
        let kappa = local.then_some(&KAPPA_SQ[..]);
        let loss = CoincidenceLoss::new(&SIGMA_SQ, kappa, &Device::flex().autodiff(), DType::F64);
        for scale in [0.01, 1.0, 6.0] {
            let value = |z| loss.total(z, &index());
            assert_is(&value, &|z| naive(z, local), (&embedding(scale), 4));
        }
    }
}

#[test]
fn blocks_add_up_and_a_subset_keeps_its_pairs() {
    let loss = CoincidenceLoss::new(&SIGMA_SQ, Some(&KAPPA_SQ), &Device::flex(), DType::F64);
    let (z, index) = (tensor(&embedding(1.0), 4), index());
    let block = |terms| loss.block(z.clone(), &index, terms).into_scalar::<f64>();
    assert!((block(0..5) + block(5..12) - block(0..12)).abs() < 1e-12);
    assert_eq!(block(3..3), 0.0);
    let part = index.subset(&[5, 2, 1]);
    let rows = z.clone().select(0, Tensor::from_ints([5, 2, 1], &Device::flex()));
    let found: f64 = loss.total(rows, &part).into_scalar();
    let expected: f64 = [4, 5, 10, 11].map(|at| block(at..at + 1)).iter().sum();
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    assert_eq!(index.subset(&[0, 3]).terms(), 0);
}

#[test]
fn pairs_that_coincide_and_pairs_far_apart_stay_finite_in_f32() {
    let device = Device::flex().autodiff();
    for scale in [0.0, 1e-6, 1e4] {
        let loss = CoincidenceLoss::new(&[1e-30, 1e-30], None, &device, DType::F32);
        let leaf = tensor_of(&embedding(scale), 4, DType::F32).autodiff().require_grad();
        let total = loss.total(leaf.clone(), &index());
        assert!(total.clone().into_scalar::<f64>().is_finite());
        let gradient = host_values(leaf.grad(&total.backward()).unwrap());
        assert!(gradient.iter().all(|g| g.is_finite()), "{scale}: {gradient:?}");
    }
    // log P0 at the floor of σ² with δ = 0: log(p 1e-8), to f32's digits.
    let model = Model { k: 2, sigma_sq: 1e-8, kappa_sq: 1.0 };
    let x = Tensor::from_floats([model.log_alike(0.0) as f32], &Device::flex());
    let found: f64 = log_complement(x).into_scalar();
    assert!((found - model.log_probability(0.0, false)).abs() < 1e-5, "{found}");
}

#[test]
fn the_batch_form_is_the_mean_of_the_terms() {
    let device = Device::flex();
    let loss = CoincidenceLoss::new(&[0.3], None, &device, DType::F64);
    let (first, second) = (tensor(&[0.0, 0.0, 1.0, 0.5], 2), tensor(&[0.1, -0.4, 0.0, 0.0], 2));
    let coincide = Tensor::<1, Bool>::from_data([true, false], &device);
    let found: f64 = loss.forward(first, second, coincide).into_scalar();
    let model = Model { k: 2, sigma_sq: 0.3, kappa_sq: 1.0 };
    let expected = -0.5 * (model.log_probability(0.17, true) + model.log_probability(1.25, false));
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

const ROWS: usize = 21;

/// Three classes, the last of a single row.
fn labels() -> Vec<usize> {
    (0..ROWS).map(|row| if row == 8 { 5 } else { row % 2 }).collect()
}

/// A length scale for each of 60 samples, of which a batch has some.
fn scales() -> Vec<f64> {
    (0..60).map(|sample| 0.6 + f64::from(sample % 7) / 5.0).collect()
}

/// The samples of a batch.
fn samples() -> ClassTarget {
    let ids: Vec<i32> = (0..ROWS as i32).map(|row| 59 - 2 * row).collect();
    let ids = Tensor::from_ints(ids.as_slice(), &Device::flex());
    ClassTarget { ids, ..target(&labels()) }
}

/// The likelihood of the neighborhoods of a batch, `[ROWS, 2]`, of the length scales of all samples: nested loops.
fn batch(z: &[f64], sigma_sq: f64, kappa_sq: &[f64]) -> f64 {
    let labels = labels();
    let square = |i: usize, j: usize| d2(z, 2, i, j);
    let mut value = 0.0;
    for i in 0..ROWS {
        let own = (0..ROWS).filter(|&j| j != i && labels[j] == labels[i]);
        let mut targets: Vec<f64> = own.map(|j| square(i, j)).collect();
        targets.sort_by(f64::total_cmp);
        targets.truncate(3);
        let others = (0..ROWS).filter(|&j| labels[j] != labels[i]).map(|j| square(i, j));
        let reach = targets.last().copied().unwrap_or(-1.0);
        let impostors: Vec<f64> = others.filter(|d2| *d2 <= reach).collect();
        if impostors.is_empty() {
            continue;
        }
        let kappa_sq = kappa_sq[59 - 2 * i];
        let v = kappa_sq + 2.0 * sigma_sq;
        let alike = |d2: &f64| kappa_sq / v * (-d2 / (2.0 * v)).exp();
        value -= targets.iter().map(|d2| alike(d2).ln()).sum::<f64>();
        value -= impostors.iter().map(|d2| (1.0 - alike(d2)).ln()).sum::<f64>();
    }
    // All but the row of the last class have targets.
    value / (ROWS as f64 - 1.0)
}

#[test]
fn a_batch_is_that_of_the_likelihood_of_its_neighborhoods() {
    let (device, z) = (Device::flex().autodiff(), scattered(2 * ROWS));
    for kappa_sq in [None, Some(scales())] {
        let loss = CoincidenceLoss::new(&[0.3], kappa_sq.as_deref(), &device, DType::F64);
        let kappa_sq = kappa_sq.unwrap_or(vec![1.0; 60]);
        let value = |z| loss.batch_loss(z, &samples());
        assert_is(&value, &|z| batch(z, 0.3, &kappa_sq), (&z, 2));
        let grads = value(leaf(&z, 2)).backward();
        let slope = |values: &Param<Tensor<1>>| host_values(values.val().grad(&grads).unwrap());
        let of_sigma = |log: &[f64]| batch(&z, 0.3 * log[0].exp(), &kappa_sq);
        assert_slopes(&slope(&loss.log_sigma_sq), &of_sigma, &[0.0], 1e-9);
        let of_scales = |logs: &[f64]| {
            let kappa_sq = kappa_sq.iter().zip(logs).map(|(scale, log)| scale * log.exp());
            batch(&z, 0.3, &kappa_sq.collect::<Vec<_>>())
        };
        if let Some(scales) = &loss.log_kappa_sq {
            assert_slopes(&slope(scales), &of_scales, &[0.0; 60], 1e-9);
        }
    }
}
