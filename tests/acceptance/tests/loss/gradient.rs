//! Gradients of encoder and loss together against central differences, learned temperature and proxies
//! included.

use acceptance::data::uniform;
use burn::tensor::DType;
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Activation, cast};
use burn_nca_learn::fit::cached::value_and_gradient;
use burn_nca_learn::fit::parameters::{assign, flatten, flatten_gradients};
use burn_nca_learn::objective::{
    BatchLoss, ClassTarget, ProxyNcaLossConfig, SoftNearestNeighborLossConfig, SupConLossConfig,
    TemperatureConfig,
};

use crate::loss::setup::{SIMILARITIES, assert_slopes, autodiff, encoders, rows, target, tensor};

fn check<L: BatchLoss<Target = ClassTarget>>(loss: L) {
    let (n, d, k) = (18, 4, 2);
    let rows = rows(n, k, 30);
    let x = tensor(&uniform(n * d, 31), d, &autodiff());
    let target = target(&rows);
    for encoder in encoders(d, k, Activation::Tanh) {
        let model = MetricModel::new(encoder, cast(loss.clone(), DType::F64));
        let at = value_and_gradient(&model, &x, &target, n);
        let gradient = flatten_gradients(&model, &at.gradients);
        assert_slopes(&gradient, &flatten(&model), (1e-5, 1e-7), |at| {
            let model = assign(model.clone(), at);
            value_and_gradient(&model, &x, &target, n).loss.into_scalar::<f64>()
        });
    }
}

#[test]
fn the_optimizer_sees_every_parameter_and_its_true_slope() {
    let device = autodiff();
    let learned = TemperatureConfig::new(0.7).with_learned(true);
    for similarity in SIMILARITIES {
        let snn = SoftNearestNeighborLossConfig::new()
            .with_similarity(similarity)
            .with_temperature(learned.clone());
        check(snn.init(&device));
        let sup_con =
            SupConLossConfig::new().with_similarity(similarity).with_temperature(learned.clone());
        check(sup_con.init(&device));
        let proxies = ProxyNcaLossConfig::new(4, 2)
            .with_similarity(similarity)
            .with_temperature(learned.clone());
        check(proxies.init(&device));
    }
}
