//! What the tests of the batch losses share.

use acceptance::data::uniform;
use burn::module::Param;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca_learn::encoder::{Activation, AnyEncoder, LinearMap, MlpConfig, cast};
use burn_nca_learn::objective::{
    BatchLoss, ClassTarget, ProxyNcaLoss, ProxyNcaLossConfig, Similarity, SoftNearestNeighborLoss,
    SoftNearestNeighborLossConfig, SupConLoss, SupConLossConfig, TemperatureConfig,
};

use crate::loss::oracle::Rows;

pub const SIMILARITIES: [Similarity; 3] =
    [Similarity::SqEuclidean, Similarity::Euclidean, Similarity::Cosine];

pub fn autodiff() -> Device {
    Device::flex().autodiff()
}

pub fn matrix(values: &[f64], columns: usize, device: &Device) -> Tensor<2> {
    let shape = [values.len() / columns, columns];
    Tensor::from_data(TensorData::new(values.to_vec(), shape), (device, DType::F64))
}

pub fn ints(values: &[usize], device: &Device) -> Tensor<1, Int> {
    let values: Vec<i32> = values.iter().map(|&value| value as i32).collect();
    Tensor::from_data(TensorData::new(values.clone(), [values.len()]), device)
}

/// The embedding and target of rows, the embedding as a leaf of a graph.
pub fn leaf(rows: &Rows) -> (Tensor<2>, ClassTarget) {
    let z = matrix(&rows.z, rows.k, &autodiff()).require_grad();
    (z, target(rows))
}

pub fn target(rows: &Rows) -> ClassTarget {
    let device = autodiff();
    ClassTarget { labels: ints(&rows.labels, &device), ids: ints(&rows.ids, &device) }
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
    loss.proxies = Param::from_tensor(matrix(proxies, k, &autodiff()));
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

pub fn numbers(tensor: Tensor<2>) -> Vec<f64> {
    tensor.into_data().convert::<f64>().try_to_vec::<f64>().unwrap()
}

/// A linear map and a network from d features to k dimensions, in f64.
pub fn encoders(d: usize, k: usize) -> [AnyEncoder; 2] {
    let mlp = MlpConfig::new(d, vec![5], k).with_activation(Activation::Tanh);
    let mlp = cast(mlp.init_seeded(4, &autodiff()), DType::F64);
    let linear = LinearMap::from_weight(&uniform(d * k, 5), [d, k], &autodiff(), DType::F64);
    [AnyEncoder::Linear(linear), AnyEncoder::Mlp(mlp)]
}

pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        let scale = 1.0 + b.abs();
        assert!((a - b).abs() <= tolerance * scale, "entry {at}: {a} against {b}");
    }
}
