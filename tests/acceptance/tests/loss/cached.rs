//! The gradient in chunks, cached or side by side, is that of the whole batch, whatever the chunk.

use acceptance::data::uniform;
use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::DType;
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Activation, cast};
use burn_nca_learn::fit::parameters::flatten_gradients;
use burn_nca_learn::fit::{cached, parallel};
use burn_nca_learn::objective::{
    BatchLoss, ClassTarget, Criterion, NcaLossConfig, ProxyNcaLossConfig, TemperatureConfig,
};

use crate::loss::setup::{
    SIMILARITIES, assert_close, autodiff, encoders, rows, sup_con, target, tensor,
};

fn check<L: BatchLoss<Target = ClassTarget>>(loss: L) {
    let (n, d, k) = (37, 5, 3);
    let rows = rows(n, k, 70);
    let x = tensor(&uniform(n * d, 71), d, &autodiff());
    let target = target(&rows);
    for encoder in encoders(d, k, Activation::Tanh) {
        let model = MetricModel::new(encoder, loss.clone());
        let whole = model.objective.batch_loss(model.forward(x.clone()), &target);
        let value = whole.clone().into_scalar::<f64>();
        let whole = GradientsParams::from_grads(whole.backward(), &model);
        let expected = flatten_gradients(&model, &whole);
        for chunk in [1, 7, 36, 37, 100] {
            for value_and_gradient in [cached::value_and_gradient, parallel::value_and_gradient] {
                let at = value_and_gradient(&model, &x, &target, chunk);
                assert_close(&[at.loss.into_scalar::<f64>()], &[value], 1e-13);
                assert_close(&flatten_gradients(&model, &at.gradients), &expected, 1e-12);
                assert_eq!(at.embedding.dims(), [n, k]);
            }
        }
    }
}

#[test]
fn the_gradient_of_chunks_is_that_of_the_whole_batch() {
    check(NcaLossConfig::new().init());
    check(NcaLossConfig::new().with_criterion(Criterion::G).with_repulsion(0.3).init());
    check(sup_con(SIMILARITIES[2], 0.1));
    let temperature = TemperatureConfig::new(0.5).with_learned(true);
    let proxies = ProxyNcaLossConfig::new(4, 3).with_temperature(temperature);
    check(cast(proxies.init(&autodiff()), DType::F64));
}

#[test]
fn frozen_parameters_have_no_gradient_in_chunks_either() {
    let rows = rows(12, 3, 70);
    let x = tensor(&uniform(12 * 5, 71), 5, &autodiff());
    let loss = cast(ProxyNcaLossConfig::new(4, 3).init(&autodiff()), DType::F64);
    for encoder in encoders(5, 3, Activation::Tanh) {
        let model = MetricModel::new(encoder.freeze(), loss.clone());
        let whole = model.objective.batch_loss(model.forward(x.clone()), &target(&rows));
        let whole = GradientsParams::from_grads(whole.backward(), &model);
        for value_and_gradient in [cached::value_and_gradient, parallel::value_and_gradient] {
            let at = value_and_gradient(&model, &x, &target(&rows), 5);
            assert_eq!(at.gradients.len(), whole.len(), "those of the proxies alone");
        }
    }
}
