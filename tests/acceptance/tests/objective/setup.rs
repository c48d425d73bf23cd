//! What the tests of the objectives share.

pub use acceptance::compare::{assert_close, assert_slopes};
use acceptance::data::{transposed, uniform};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::host_values;
use burn_nca_learn::encoder::{Activation, AnyEncoder, Encoder, LinearMap, MlpConfig, cast};
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::fit::parameters::flatten_gradients;
use burn_nca_learn::objective::transfer::float_tensor;
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLoss, NcaLossConfig, Objective};

pub fn tensor(values: &[f64], columns: usize, device: &Device) -> Tensor<2> {
    float_tensor(values.to_vec(), [values.len() / columns, columns], device, DType::F64)
}

pub fn loss(criterion: Criterion) -> NcaLoss {
    NcaLossConfig::new().with_criterion(criterion).init()
}

/// The objectives f and g.
pub fn criteria() -> [NcaLoss; 2] {
    [Criterion::F, Criterion::G].map(loss)
}

/// A linear model with the transpose of `a`, row-major `[k, d]`.
pub fn linear<O: Objective>(a: &[f64], d: usize, objective: O) -> MetricModel<LinearMap, O> {
    let k = a.len() / d;
    let device = Device::flex().autodiff();
    let map = LinearMap::from_weight(&transposed(a, d), [d, k], &device, DType::F64);
    MetricModel::new(map, objective)
}

/// A linear map and a network from d features to k dimensions, in f64.
pub fn encoders(d: usize, k: usize, activation: Activation) -> [AnyEncoder; 2] {
    let device = Device::flex().autodiff();
    let mlp = MlpConfig::new(d, vec![5], k).with_activation(activation);
    let mlp = cast(mlp.init_seeded(4, &device), DType::F64);
    let linear = LinearMap::from_weight(&uniform(d * k, 5), [d, k], &device, DType::F64);
    [AnyEncoder::Linear(linear), AnyEncoder::Mlp(mlp)]
}

/// Value and flat gradient at a block size.
pub fn at_block<E: Encoder, O: Objective>(
    model: &MetricModel<E, O>,
    x: &Tensor<2>,
    target: &O::Target,
    rows: usize,
) -> (f64, Vec<f64>) {
    let at = value_and_gradient(model, x, target, &BlockConfig::new().with_rows(Some(rows)));
    (at.value, flatten_gradients(model, &at.gradients))
}

/// A value at an embedding, and its gradient.
pub fn at_embedding(z: &Tensor<2>, value: impl Fn(Tensor<2>) -> Tensor<1>) -> (f64, Vec<f64>) {
    let leaf = z.clone().autodiff().require_grad();
    let value = value(leaf.clone());
    let slopes = host_values(leaf.grad(&value.backward()).unwrap());
    (value.into_scalar(), slopes)
}

/// The classes of rows, on the device of the tests.
pub fn classes(y: &[usize]) -> ClassIndex {
    ClassIndex::new(y, &Device::flex()).unwrap()
}
