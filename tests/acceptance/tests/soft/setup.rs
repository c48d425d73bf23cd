//! What the tests of soft matches share.

use acceptance::data::uniform;
use acceptance::oracle::embed;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::Pairs;
use burn_nca_learn::encoder::{Activation, Encoder, LinearMap};
use burn_nca_learn::fit::parameters::{assign, flatten};
use burn_nca_learn::objective::Objective;
use burn_nca_learn::objective::transfer::float_tensor;

pub use crate::objective::setup::{assert_close, assert_slopes, at_block, at_embedding};
use crate::objective::setup::{encoders, linear};

pub fn tensor(values: &[f64], columns: usize, dtype: DType) -> Tensor<2> {
    float_tensor(values.to_vec(), [values.len() / columns, columns], &Device::flex(), dtype)
}

pub fn vector(values: &[f64]) -> Tensor<1> {
    float_tensor(values.to_vec(), [values.len()], &Device::flex(), DType::F64)
}

/// Features `[n, d]`, a map A `[k, d]`, and the embedding z = A x `[n, k]`, all row-major.
pub struct Case {
    pub x: Vec<f64>,
    pub d: usize,
    pub a: Vec<f64>,
    pub k: usize,
    pub z: Vec<f64>,
}

impl Case {
    pub fn new(n: usize, d: usize, k: usize, seed: u64) -> Self {
        let x: Vec<f64> = uniform(n * d, seed).iter().map(|x| 1.5 * x).collect();
        let a = uniform(k * d, seed + 1000);
        let z = embed(&x, d, &a, k);
        Self { x, d, a, k, z }
    }

    pub fn features(&self) -> Tensor<2> {
        tensor(&self.x, self.d, DType::F64)
    }

    pub fn embedding(&self) -> Tensor<2> {
        tensor(&self.z, self.k, DType::F64)
    }

    pub fn linear<O: Objective>(&self, objective: O) -> MetricModel<LinearMap, O> {
        linear(&self.a, self.d, objective)
    }
}

/// The value by blocks of 1, 7, n and more rows, which must be one and the same, as the gradients.
pub fn at_any_block<E: Encoder, O: Objective>(
    model: &MetricModel<E, O>,
    x: &Tensor<2>,
    target: &O::Target,
) -> f64 {
    let [n, _] = x.dims();
    let (value, gradient) = at_block(model, x, target, n);
    for rows in [1, 7, n + 10] {
        let (other, other_gradient) = at_block(model, x, target, rows);
        assert_close(&[other], &[value], 1e-12);
        assert_close(&other_gradient, &gradient, 1e-11);
    }
    let whole = model.objective.total(model.forward(x.clone()), target).into_scalar::<f64>();
    assert_close(&[whole], &[value], 1e-12);
    value
}

/// Compares the gradient with central differences of the value, for a linear map and a network.
pub fn check_gradients<O: Objective>(objective: O, x: &Tensor<2>, target: &O::Target) {
    let [_, d] = x.dims();
    for encoder in encoders(d, 2, Activation::Logistic) {
        let model = MetricModel::new(encoder, objective.clone());
        let (_, gradient) = at_block(&model, x, target, 7);
        assert_slopes(&gradient, &flatten(&model), (1e-5, 1e-7), |at| {
            at_block(&assign(model.clone(), at), x, target, 7).0
        });
    }
}

/// In f32 and at every scale of the features, value and gradient of a linear map stay finite.
pub fn check_finite_at_all_scales<O: Objective>(objective: O, case: &Case, target: &O::Target) {
    for scale in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
        let x: Vec<f64> = case.x.iter().map(|x| scale * x).collect();
        let x = tensor(&x, case.d, DType::F32);
        let weight = uniform(case.d * case.k, 77);
        let device = Device::flex().autodiff();
        let map = LinearMap::from_weight(&weight, [case.d, case.k], &device, DType::F32);
        let model = MetricModel::new(map, objective.clone());
        for rows in [5, 1000] {
            let (value, gradient) = at_block(&model, &x, target, rows);
            assert!(value.is_finite(), "scale {scale}: the value is {value}");
            assert!(gradient.iter().all(|g| g.is_finite()), "scale {scale}: {gradient:?}");
        }
    }
}

/// The value is 0, and so is the gradient.
pub fn assert_nothing(z: &Tensor<2>, value: impl Fn(Tensor<2>) -> Tensor<1>) {
    let nothing = vec![0.0; z.dims().iter().product()];
    assert_eq!(at_embedding(z, value), (0.0, nothing));
}

/// Every third point with the one before, some points twice, weights from 0 to 1.
pub fn some_pairs(n: usize) -> Vec<(usize, usize, f64)> {
    let mut pairs: Vec<(usize, usize, f64)> =
        (1..n).filter(|i| i % 3 != 0).map(|i| (i, i - 1, ((i * 7) % 11) as f64 / 10.0)).collect();
    pairs.push((0, n - 1, 0.9));
    pairs.push((n - 1, 2, 0.35));
    pairs
}

pub fn pairs(n: usize) -> Pairs {
    Pairs::new(n, some_pairs(n)).unwrap()
}
