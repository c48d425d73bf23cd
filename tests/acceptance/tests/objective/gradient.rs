//! Value and gradient against the oracle, and against central differences for every encoder.

use acceptance::data::{overlapping, uniform};
use acceptance::oracle;
use burn::tensor::{DType, Device};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{
    Activation, AnyEncoder, DiagonalMap, Encoder, LinearMap, MlpConfig, cast,
};
use burn_nca_learn::fit::parameters::{assign, flatten};
use burn_nca_learn::objective::{Criterion, NcaLossConfig};

use crate::objective::setup::{assert_close, at_block, linear, loss, tensor, transposed};

#[test]
fn linear_maps_agree_with_the_paper() {
    let (d, k) = (4, 2);
    let sample = overlapping(40, d, 3, 1);
    let a = uniform(k * d, 2);
    let x = tensor(&sample.x, d, &Device::flex());
    let at = oracle::nca(&oracle::embed(&sample.x, d, &a, k), k, &sample.y);
    let (df, dg) = oracle::gradients(&sample.x, d, &a, k, &sample.y);
    for (criterion, value, gradient) in [(Criterion::F, at.f, df), (Criterion::G, at.g, dg)] {
        let (found, grad) = at_block(&linear(&a, d, loss(criterion)), &x, &sample.y, 7);
        assert_close(&[-found], &[value], 1e-10);
        let grad: Vec<f64> = transposed(&grad, d, k).iter().map(|g| -g).collect();
        assert_close(&grad, &gradient, 1e-10);
    }
}

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
        let (found, _) = at_block(&linear(&a, d, objective.clone()), &x, &sample.y, rows);
        assert_close(&[found], &[expected], 1e-10);
    }
}

fn encoders(d: usize) -> Vec<AnyEncoder> {
    let device = Device::flex().autodiff();
    let mlp = MlpConfig::new(d, vec![5], 2).with_activation(Activation::Tanh).init(&device);
    let mlp = cast(mlp, DType::F64);
    let linear = LinearMap::from_weight(&uniform(d * 2, 5), [d, 2], &device, DType::F64);
    let expanding = LinearMap::from_weight(&uniform(d * 6, 6), [d, 6], &device, DType::F64);
    let diagonal = DiagonalMap::from_scale(&uniform(d, 7), &device, DType::F64);
    vec![
        AnyEncoder::Linear(linear),
        AnyEncoder::Linear(expanding),
        AnyEncoder::Diagonal(diagonal),
        AnyEncoder::Mlp(mlp),
    ]
}

#[test]
fn every_encoder_agrees_with_central_differences() {
    let d = 4;
    let sample = overlapping(30, d, 3, 8);
    let x = tensor(&sample.x, d, &Device::flex());
    for encoder in encoders(d) {
        for criterion in [Criterion::F, Criterion::G] {
            let objective =
                NcaLossConfig::new().with_criterion(criterion).with_repulsion(0.1).init();
            let model = MetricModel::new(encoder.clone(), objective);
            let (_, gradient) = at_block(&model, &x, &sample.y, 16);
            let start = flatten(&model);
            assert_eq!(start.len(), gradient.len());
            let value = |index: usize, step: f64| {
                let mut at = start.clone();
                at[index] += step;
                at_block(&assign(model.clone(), &at), &x, &sample.y, 16).0
            };
            let h = 1e-6;
            for (index, component) in gradient.iter().enumerate() {
                let central = (value(index, h) - value(index, -h)) / (2.0 * h);
                assert_close(&[*component], &[central], 1e-7);
            }
        }
    }
}

#[test]
fn the_penalty_counts_weights_and_not_biases() {
    let device = Device::flex().autodiff();
    let mlp = MlpConfig::new(3, vec![4], 2).init(&device);
    let expected: f64 =
        mlp.layers.iter().map(|layer| layer.weight.val().square().sum().into_scalar::<f64>()).sum();
    let found = mlp.squared_norm().unwrap().into_scalar::<f64>();
    assert_close(&[found], &[expected], 1e-6);
}
