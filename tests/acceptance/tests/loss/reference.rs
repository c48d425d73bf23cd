//! Values and gradients of `losses.py`, which computes them by numpy and the complex step. `losses_torch.py` holds
//! them against PyTorch's automatic differentiation and pytorch-metric-learning: the same to 2e-15.

use burn::tensor::DType;
use burn_nca_learn::encoder::cast;
use burn_nca_learn::fit::parameters::{assign, flatten, flatten_gradients};
use burn_nca_learn::objective::{
    BatchLoss, ClassTarget, ProxyNcaLossConfig, Similarity, SoftNearestNeighborLossConfig,
    SupConLossConfig, TemperatureConfig,
};
use serde::Deserialize;

use crate::loss::oracle::Rows;
use crate::loss::setup::{assert_close, autodiff, leaf, numbers};

#[derive(Deserialize)]
struct Fixture {
    columns: usize,
    embedding: Vec<f64>,
    labels: Vec<usize>,
    proxies: Vec<f64>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    loss: String,
    similarity: String,
    temperature: f64,
    value: f64,
    gradient: Vec<f64>,
    proxy_gradient: Vec<f64>,
    log_temperature_gradient: f64,
}

impl Case {
    fn similarity(&self) -> Similarity {
        match self.similarity.as_str() {
            "sq_euclidean" => Similarity::SqEuclidean,
            "euclidean" => Similarity::Euclidean,
            "cosine" => Similarity::Cosine,
            other => panic!("unknown similarity {other}"),
        }
    }

    /// Compares value and gradients in embedding, proxies and log temperature.
    fn check<L: BatchLoss<Target = ClassTarget>>(&self, loss: L, rows: &Rows, proxies: &[f64]) {
        let start = [proxies.to_vec(), vec![self.temperature.ln()]].concat();
        let loss = assign(cast(loss, DType::F64), &start);
        assert_eq!(flatten(&loss), start);
        let (z, target) = leaf(rows);
        let value = loss.batch_loss(z.clone(), &target);
        assert_close(&[value.clone().into_scalar::<f64>()], &[self.value], 1e-12);
        let grads = value.backward();
        assert_close(&numbers(z.grad(&grads).unwrap()), &self.gradient, 1e-11);
        let gradients = burn::optim::GradientsParams::from_grads(grads, &loss);
        let expected = [self.proxy_gradient.clone(), vec![self.log_temperature_gradient]].concat();
        assert_close(&flatten_gradients(&loss, &gradients), &expected, 1e-11);
    }
}

#[test]
fn values_and_gradients_are_those_of_numpy() {
    let text = include_str!("../../../../crates/burn-nca/tests/reference/losses.json");
    let fixture: Fixture = serde_json::from_str(text).unwrap();
    let ids = (0..fixture.labels.len()).collect();
    let rows = Rows { z: fixture.embedding, k: fixture.columns, labels: fixture.labels, ids };
    let device = autodiff();
    assert_eq!(fixture.cases.len(), 9);
    for case in &fixture.cases {
        let temperature = TemperatureConfig::new(case.temperature).with_learned(true);
        let similarity = case.similarity();
        match case.loss.as_str() {
            "soft_nearest_neighbor" => {
                let loss = SoftNearestNeighborLossConfig::new()
                    .with_similarity(similarity)
                    .with_temperature(temperature);
                case.check(loss.init(&device), &rows, &[]);
            }
            "sup_con" => {
                let loss = SupConLossConfig::new()
                    .with_similarity(similarity)
                    .with_temperature(temperature);
                case.check(loss.init(&device), &rows, &[]);
            }
            "proxy_nca" => {
                let classes = fixture.proxies.len() / rows.k;
                let loss = ProxyNcaLossConfig::new(classes, rows.k)
                    .with_similarity(similarity)
                    .with_temperature(temperature);
                case.check(loss.init(&device), &rows, &fixture.proxies);
            }
            other => panic!("unknown loss {other}"),
        }
    }
}
