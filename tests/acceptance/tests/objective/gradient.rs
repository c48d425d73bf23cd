//! Values of other programs' own tests, recomputed independently; repulsion against the oracle, and gradients against central
//! differences for every encoder.

use acceptance::data::{overlapping, transposed, uniform};
use acceptance::oracle;
use burn::tensor::{DType, Device};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Activation, AnyEncoder, DiagonalMap, LinearMap};
use burn_nca_learn::fit::parameters::{assign, flatten};
use burn_nca_learn::objective::{Criterion, NcaLossConfig};

use crate::objective::setup::{
    assert_close, assert_slopes, at_block, classes, encoders, linear, loss, tensor,
};

#[test]
fn repulsion_agrees_with_the_formula() {
    let (d, k) = (3, 3);
    let sample = overlapping(25, d, 4, 3);
    let a: Vec<f64> = uniform(k * d, 4).iter().map(|a| 0.5 * a).collect();
    let x = tensor(&sample.x, d, &Device::flex());
    let z = oracle::embed(&sample.x, d, &a, k);
    let expected = 0.25 * oracle::repulsion(&z, k, &sample.y) - oracle::nca(&z, k, &sample.y).f;
    let objective = NcaLossConfig::new().with_repulsion(0.25).init();
    for rows in [1, 4, 100] {
        let (found, _) = at_block(&linear(&a, d, objective.clone()), &x, &classes(&sample.y), rows);
        assert_close(&[found], &[expected], 1e-10);
    }
}

#[test]
fn every_encoder_agrees_with_central_differences() {
    let d = 4;
    let sample = overlapping(30, d, 3, 8);
    let classes = classes(&sample.y);
    let x = tensor(&sample.x, d, &Device::flex());
    let device = Device::flex().autodiff();
    let expanding = LinearMap::from_weight(&uniform(d * 6, 6), [d, 6], &device, DType::F64);
    let diagonal = DiagonalMap::from_scale(&uniform(d, 7), &device, DType::F64);
    let [linear, network] = encoders(d, 2, Activation::Tanh);
    for encoder in [linear, AnyEncoder::Linear(expanding), AnyEncoder::Diagonal(diagonal), network]
    {
        for criterion in [Criterion::F, Criterion::G] {
            let objective =
                NcaLossConfig::new().with_criterion(criterion).with_repulsion(0.1).init();
            let model = MetricModel::new(encoder.clone(), objective);
            let (_, gradient) = at_block(&model, &x, &classes, 16);
            assert_slopes(&gradient, &flatten(&model), (1e-6, 1e-7), |at| {
                at_block(&assign(model.clone(), at), &x, &classes, 16).0
            });
        }
    }
}

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
