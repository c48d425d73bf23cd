//! What the tests of the batch losses share.

use acceptance::data::uniform;
use burn::module::Param;
use burn::tensor::{Device, Tensor};
pub use burn_nca_learn::data::host_values as numbers;
use burn_nca_learn::objective::transfer::int_tensor;
use burn_nca_learn::objective::{
    BatchLoss, ClassTarget, ProxyNcaLoss, ProxyNcaLossConfig, Similarity, SoftNearestNeighborLoss,
    SoftNearestNeighborLossConfig, SupConLoss, SupConLossConfig, TemperatureConfig,
};

use crate::loss::oracle::Rows;
pub use crate::objective::setup::{assert_close, encoders, tensor};

pub const SIMILARITIES: [Similarity; 3] =
    [Similarity::SqEuclidean, Similarity::Euclidean, Similarity::Cosine];

pub fn autodiff() -> Device {
    Device::flex().autodiff()
}

/// The embedding and target of rows, the embedding as a leaf of a graph.
pub fn leaf(rows: &Rows) -> (Tensor<2>, ClassTarget) {
    let z = tensor(&rows.z, rows.k, &autodiff()).require_grad();
    (z, target(rows))
}

pub fn target(rows: &Rows) -> ClassTarget {
    let device = autodiff();
    ClassTarget { labels: int_tensor(&rows.labels, &device), ids: int_tensor(&rows.ids, &device) }
}

/// Random rows of a few classes, with a class of one row and two equal rows.
pub fn rows(n: usize, k: usize, seed: u64) -> Rows {
    let mut z = uniform(n * k, seed);
    for c in 0..k {
        z[(n - 1) * k + c] = z[(n - 2) * k + c];
    }
    let mut labels: Vec<usize> = (0..n).map(|i| (i * 7 + i / 3) % 3).collect();
    labels[n / 2] = 3;
    Rows { z, k, labels, ids: (0..n).collect() }
}

pub fn snn(similarity: Similarity, temperature: f64) -> SoftNearestNeighborLoss {
    SoftNearestNeighborLossConfig::new()
        .with_similarity(similarity)
        .with_temperature(TemperatureConfig::new(temperature))
        .init(&autodiff())
}

pub fn sup_con(similarity: Similarity, temperature: f64) -> SupConLoss {
    SupConLossConfig::new()
        .with_similarity(similarity)
        .with_temperature(TemperatureConfig::new(temperature))
        .init(&autodiff())
}

pub fn proxy_nca(
    (similarity, temperature): (Similarity, f64),
    proxies: &[f64],
    k: usize,
) -> ProxyNcaLoss {
    let mut loss = ProxyNcaLossConfig::new(proxies.len() / k, k)
        .with_similarity(similarity)
        .with_temperature(TemperatureConfig::new(temperature))
        .init(&autodiff());
    loss.proxies = Param::from_tensor(tensor(proxies, k, &autodiff()));
    loss
}

/// The value of a loss and its gradient in the embedding.
pub fn value_and_slope<L: BatchLoss<Target = ClassTarget>>(
    loss: &L,
    rows: &Rows,
) -> (f64, Vec<f64>) {
    let (z, target) = leaf(rows);
    let value = loss.batch_loss(z.clone(), &target);
    let slope = z.grad(&value.backward()).unwrap();
    (value.into_scalar::<f64>(), numbers(slope))
}
