//! Repulsion against the oracle, and gradients against central differences for every encoder.

use acceptance::data::{overlapping, uniform};
use acceptance::oracle;
use burn::tensor::{DType, Device};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Activation, AnyEncoder, DiagonalMap, LinearMap};
use burn_nca_learn::fit::parameters::{assign, flatten};
use burn_nca_learn::objective::{Criterion, NcaLossConfig};

use crate::objective::setup::{
    assert_close, assert_slopes, at_block, classes, encoders, linear, tensor,
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
