//! Gradients of encoder and loss together against central differences, learned temperature and proxies
//! included.

use acceptance::data::uniform;
use burn::tensor::DType;
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::cast;
use burn_nca_learn::fit::cached::value_and_gradient;
use burn_nca_learn::fit::parameters::{assign, flatten, flatten_gradients};
use burn_nca_learn::objective::{
    BatchLoss, ClassTarget, ProxyNcaLossConfig, SoftNearestNeighborLossConfig, SupConLossConfig,
    TemperatureConfig,
};

use crate::loss::setup::{SIMILARITIES, assert_close, autodiff, encoders, matrix, rows, target};

fn check<L: BatchLoss<Target = ClassTarget>>(loss: L) {
    let (n, d, k) = (18, 4, 2);
    let rows = rows(n, k, 30);
    let x = matrix(&uniform(n * d, 31), d, &autodiff());
    let target = target(&rows);
    for encoder in encoders(d, k) {
        let model = MetricModel::new(encoder, cast(loss.clone(), DType::F64));
        let at = value_and_gradient(&model, &x, &target, n);
        let gradient = flatten_gradients(&model, &at.gradients);
        let start = flatten(&model);
        assert_eq!(gradient.len(), start.len());
        let value = |index: usize, step: f64| {
            let mut at = start.clone();
            at[index] += step;
            let model = assign(model.clone(), &at);
            value_and_gradient(&model, &x, &target, n).loss.into_scalar::<f64>()
        };
        let h = 1e-5;
        for (index, &slope) in gradient.iter().enumerate() {
            let central = (value(index, h) - value(index, -h)) / (2.0 * h);
            assert_close(&[slope], &[central], 1e-7);
        }
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
