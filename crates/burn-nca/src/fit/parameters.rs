//! A module's parameters as one flat vector on the host, for the full-batch minimizers.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData};

use crate::data::host_values;

/// The values of all parameters that require a gradient, in the order in which the module visits them.
pub fn flatten<M: Module>(module: &M) -> Vec<f64> {
    flattened(module, None)
}

/// The gradient of all parameters that require one, in the order of [`flatten`]; 0 where none was computed.
pub fn flatten_gradients<M: Module>(module: &M, gradients: &GradientsParams) -> Vec<f64> {
    flattened(module, Some(gradients))
}

fn flattened<M: Module>(module: &M, gradients: Option<&GradientsParams>) -> Vec<f64> {
    let mut visitor = Flatten { gradients, values: Vec::new() };
    module.visit(&mut visitor);
    visitor.values
}

/// The module with its parameters (those that require a gradient) taken from `values`.
///
/// # Panics
/// If the number of values is not that of [`flatten`].
pub fn assign<M: Module>(module: M, values: &[f64]) -> M {
    let mut mapper = Assign { values, at: 0 };
    let module = module.map(&mut mapper);
    assert_eq!(mapper.at, values.len(), "the module has {} parameter values", mapper.at);
    module
}

/// Collects parameters, or their gradients where these are given.
struct Flatten<'a> {
    gradients: Option<&'a GradientsParams>,
    values: Vec<f64>,
}

impl ModuleVisitor for Flatten<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if !param.is_require_grad() {
            return;
        }
        match self.gradients.map(|gradients| gradients.get::<D>(param.id)) {
            None => self.values.extend(host_values(param.val().without_autodiff())),
            Some(Some(gradient)) => self.values.extend(host_values(gradient)),
            Some(None) => self.values.extend(vec![0.0; param.shape().num_elements()]),
        }
    }
}

struct Assign<'a> {
    values: &'a [f64],
    at: usize,
}

impl ModuleMapper for Assign<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if !param.is_require_grad() {
            return param;
        }
        param.map(|tensor| {
            let size = tensor.shape().num_elements();
            let part = self.values[self.at..self.at + size].to_vec();
            self.at += size;
            let dtype = tensor.dtype();
            let data = TensorData::new(part, tensor.shape()).convert_dtype(dtype);
            Tensor::from_data(data, (&tensor.device(), dtype)).require_grad()
        })
    }
}
