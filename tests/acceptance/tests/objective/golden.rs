//! Values of other programs' own tests, recomputed independently.

use acceptance::data::transposed;
use burn::tensor::Device;
use burn_nca_learn::objective::Criterion;

use crate::objective::setup::{assert_close, at_block, classes, linear, loss, tensor};

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 1.0];

fn check(x: &[f64], y: &[usize], criterion: Criterion, value: f64, gradient: [f64; 2]) {
    let model = linear(&IDENTITY, 2, loss(criterion));
    let x = tensor(x, 2, &Device::flex());
    let (found, grad) = at_block(&model, &x, &classes(y), 64);
    assert_close(&[-found], &[value], 1e-10);
    let grad: Vec<f64> = transposed(&grad, 2).iter().map(|g| -g).collect();
    assert_close(&grad, &[gradient[0], 0.0, 0.0, gradient[1]], 1e-9);
}

#[test]
fn mlpack_six_points() {
    let x = [-0.1, 1.0, -0.1, 0.0, -0.1, -1.0, 0.1, 1.0, 0.1, 0.0, 0.1, -1.0];
    let y = [0, 0, 0, 1, 1, 1];
    check(&x, &y, Criterion::F, 1.5114047814734728, [0.0897487892, -1.638264296]);
    check(&x, &y, Criterion::G, -8.33790171820718, [0.3590876165, -6.709442048]);
}

#[test]
fn scikit_learn_four_points() {
    let x = [0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 2.0, 1.0];
    let y = [1, 0, 1, 0];
    check(&x, &y, Criterion::F, 0.18645049031, [-1.3964985880, 0.3555190879]);
    check(&x, &y, Criterion::G, -12.263535615, [-29.9596656603, 7.6270990190]);
}

#[test]
fn mlpack_optimum_far_apart() {
    let x = tensor(&[500.0, 500.0, -500.0, -500.0], 1, &Device::flex());
    let model = linear(&[1.0], 1, loss(Criterion::F));
    let (value, gradient) = at_block(&model, &x, &classes(&[0, 0, 1, 1]), 64);
    assert_close(&[-value], &[4.0], 1e-10);
    assert_close(&gradient, &[0.0], 1e-10);
}
