//! Values and gradients of the equations in loops.

use burn::tensor::{DType, Device};

use super::*;
use crate::encoder::FeatureWeights;
use crate::objective::batch::testing::{
    assert_close, assert_is, assert_slopes, at_blocks, scattered, target, tensor,
};

const ROWS: usize = 17;
const FEATURES: usize = 3;

fn x() -> Vec<f64> {
    (0..ROWS * FEATURES).map(|i| ((i * i + 3 * i) % 29) as f64 / 10.0).collect()
}

/// Three classes, and a row of one of its own.
fn labels() -> Vec<usize> {
    (0..ROWS).map(|i| if i == 4 { 7 } else { (i * i) % 3 }).collect()
}

fn targets() -> Vec<f64> {
    (0..2 * ROWS).map(|i| ((5 * i) % 7) as f64).collect()
}

/// Whether two rows are of a class.
fn same(i: usize, j: usize) -> f64 {
    let labels = labels();
    f64::from(u8::from(labels[i] == labels[j]))
}

/// How far apart the targets of two rows are, negated.
fn agreement(i: usize, j: usize) -> f64 {
    let t = targets();
    (0..2).map(|m| -(t[2 * i + m] - t[2 * j + m]).abs()).sum()
}

/// -Σ_i Σ_{j≠i} p_ij a_ij of an embedding: nested loops.
fn loops(u: &[f64], agreement: fn(usize, usize) -> f64) -> f64 {
    let apart = |i: usize, j: usize| -> f64 {
        (0..FEATURES).map(|r| (u[i * FEATURES + r] - u[j * FEATURES + r]).abs()).sum()
    };
    let term = |i: usize| {
        let of = |of: &dyn Fn(usize) -> f64| -> f64 {
            (0..ROWS).filter(|&j| j != i).map(|j| (-apart(i, j)).exp() * of(j)).sum()
        };
        of(&|j| agreement(i, j)) / of(&|_| 1.0)
    };
    -(0..ROWS).map(term).sum::<f64>()
}

/// Holds value and gradient by w, in blocks of some rows, against the loops.
fn check<O: Objective>(loss: O, target: &O::Target, agreement: fn(usize, usize) -> f64) {
    let (w, x) = ([0.9, -1.3, 0.4], x());
    let expected = |w: &[f64]| {
        let u = x.iter().enumerate().map(|(at, x)| w[at % FEATURES].powi(2) * x);
        loops(&u.collect::<Vec<_>>(), agreement)
    };
    for rows in [1, 5, 100] {
        let map = FeatureWeights::from_weights(&w, &Device::flex().autodiff(), DType::F64);
        let (value, slopes) = at_blocks((map, &tensor(&x, FEATURES)), (loss.clone(), target), rows);
        assert_close(&[value], &[expected(&w)], 1e-12);
        assert_slopes(&slopes, &expected, &w, 1e-7);
    }
}

#[test]
fn value_and_gradient_are_those_of_the_equations_at_any_block_size() {
    let classes = ClassIndex::new(&labels(), &Device::flex()).unwrap();
    check(NcfsLossConfig::new().init(), &classes, same);
    let index = TargetIndex::new(&targets(), 2, &Device::flex()).unwrap();
    check(NcfsRegressionLossConfig::new().init(), &index, agreement);
}

#[test]
fn far_points_keep_finite_numbers_in_f32() {
    let device = Device::flex();
    let z = Tensor::<2>::from_floats([[0.0], [1e8], [1e8], [-3e8]], &device).autodiff();
    let z = z.require_grad();
    let classes = ClassIndex::new(&[0, 1, 1, 0], &device).unwrap();
    let loss = NcfsLossConfig::new().init().total(z.clone(), &classes);
    let slope = host_values(z.grad(&loss.backward()).unwrap());
    assert!(slope.iter().all(|slope| slope.is_finite()), "{slope:?}");
    assert!((loss.into_scalar::<f64>() + 3.0).abs() < 1e-3); // all but the first
}

#[test]
fn a_batch_is_that_of_the_equations_over_the_rows_that_have_a_partner() {
    let z = scattered(ROWS * FEATURES);
    // Row 4 is the only one of its class.
    for (reduction, counted) in [(Reduction::Mean, ROWS as f64 - 1.0), (Reduction::Sum, 1.0)] {
        let loss = NcfsLossConfig::new().with_reduction(reduction).init();
        let value = |z| loss.batch_loss(z, &target(&labels()));
        assert_is(&value, &|z| loops(z, same) / counted, (&z, FEATURES));
    }
    let loss = NcfsRegressionLossConfig::new().init();
    let value = |z| loss.batch_loss(z, &tensor(&targets(), 2));
    assert_is(&value, &|z| loops(z, agreement) / ROWS as f64, (&z, FEATURES));
}
