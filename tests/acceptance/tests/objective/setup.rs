//! What the tests of the objectives share.

use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Encoder, LinearMap};
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::fit::parameters::flatten_gradients;
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLoss, NcaLossConfig, Objective};

pub fn tensor(values: &[f64], columns: usize, device: &Device) -> Tensor<2> {
    let shape = [values.len() / columns, columns];
    Tensor::from_data(TensorData::new(values.to_vec(), shape), (device, DType::F64))
}

pub fn loss(criterion: Criterion) -> NcaLoss {
    NcaLossConfig::new().with_criterion(criterion).init()
}

/// A linear model with the transpose of `a`, row-major `[k, d]`.
pub fn linear(a: &[f64], d: usize, objective: NcaLoss) -> MetricModel<LinearMap, NcaLoss> {
    let k = a.len() / d;
    let transposed: Vec<f64> =
        (0..d).flat_map(|c| (0..k).map(move |r| (r, c))).map(|(r, c)| a[r * d + c]).collect();
    let device = Device::flex().autodiff();
    MetricModel::new(LinearMap::from_weight(&transposed, [d, k], &device, DType::F64), objective)
}

/// Value and flat gradient at a block size.
pub fn at_block<E: Encoder, O: Objective<Target = ClassIndex>>(
    model: &MetricModel<E, O>,
    x: &Tensor<2>,
    y: &[usize],
    rows: usize,
) -> (f64, Vec<f64>) {
    let classes = ClassIndex::new(y, &x.device()).unwrap();
    let blocks = BlockConfig::new().with_rows(Some(rows));
    let at = value_and_gradient(model, x, &classes, &blocks);
    (at.value, flatten_gradients(model, &at.gradients))
}

/// Row-major `[d, k]` (how weights are stored) to row-major `[k, d]` (how the paper writes A).
pub fn transposed(values: &[f64], d: usize, k: usize) -> Vec<f64> {
    (0..k).flat_map(|r| (0..d).map(move |c| values[c * k + r])).collect()
}

pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        let scale = 1.0 + b.abs();
        assert!((a - b).abs() <= tolerance * scale, "entry {at}: {a} against {b}");
    }
}
