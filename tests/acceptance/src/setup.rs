//! Models and embeddings of numbers.

use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::host_values;
use burn_nca_learn::encoder::{
    Activation, AnyEncoder, DiagonalMap, Encoder, LinearMap, MlpConfig, cast,
};
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::fit::parameters::flatten_gradients;
use burn_nca_learn::objective::transfer::float_tensor;
use burn_nca_learn::objective::{ClassIndex, Objective};

use crate::data::{transposed, uniform};

/// A row-major matrix with this many columns.
pub fn matrix(values: &[f64], columns: usize, (device, dtype): (&Device, DType)) -> Tensor<2> {
    float_tensor(values.to_vec(), [values.len() / columns, columns], device, dtype)
}

/// The same in f64 on the device of the tests.
pub fn tensor(values: &[f64], columns: usize) -> Tensor<2> {
    matrix(values, columns, (&Device::flex(), DType::F64))
}

/// The classes of rows, on the device of the tests.
///
/// # Panics
/// Without any row.
pub fn classes(y: &[usize]) -> ClassIndex {
    ClassIndex::new(y, &Device::flex()).unwrap()
}

/// A linear model with the transpose of `a`, row-major `[k, d]`.
pub fn linear<O: Objective>(
    a: &[f64],
    d: usize,
    objective: O,
    (device, dtype): (&Device, DType),
) -> MetricModel<LinearMap, O> {
    let shape = [d, a.len() / d];
    let device = device.clone().autodiff();
    let map = LinearMap::from_weight(&transposed(a, d), shape, &device, dtype);
    MetricModel::new(map, objective)
}

/// A linear map and a network from d features to two dimensions, a map to six, and a diagonal one; in f64.
pub fn encoders(d: usize) -> [AnyEncoder; 4] {
    let device = Device::flex().autodiff();
    let network = MlpConfig::new(d, vec![5], 2).with_activation(Activation::Tanh);
    let network = cast(network.init_seeded(4, &device), DType::F64);
    let linear = |k: usize| {
        let weight = uniform(d * k, 5);
        AnyEncoder::Linear(LinearMap::from_weight(&weight, [d, k], &device, DType::F64))
    };
    let diagonal = DiagonalMap::from_scale(&uniform(d, 7), &device, DType::F64);
    [linear(2), AnyEncoder::Mlp(network), linear(6), AnyEncoder::Diagonal(diagonal)]
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

/// A value at an embedding, and its gradient; zeros where the value is constant.
///
/// # Panics
/// If the value is no single number.
pub fn at_embedding(z: &Tensor<2>, value: impl Fn(Tensor<2>) -> Tensor<1>) -> (f64, Vec<f64>) {
    let leaf = z.clone().autodiff().require_grad();
    let value = value(leaf.clone());
    let gradients = value.is_tracked().then(|| value.clone().backward());
    let slopes = gradients.and_then(|gradients| leaf.grad(&gradients)).map(host_values);
    let nothing = || vec![0.0; z.dims().iter().product()];
    (value.into_scalar(), slopes.unwrap_or_else(nothing))
}
