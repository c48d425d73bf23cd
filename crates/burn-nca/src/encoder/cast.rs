//! Parameters of a module in another float type, or times a number.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{DType, Tensor};

/// The module with its float parameters in another number type; what requires a gradient still does.
pub fn cast<M: Module>(module: M, dtype: DType) -> M {
    module.map(&mut Cast { dtype })
}

/// A new parameter with these values times a number.
pub fn times<const D: usize>(param: &Param<Tensor<D>>, factor: f64) -> Param<Tensor<D>> {
    Param::from_tensor(param.val().without_autodiff().mul_scalar(factor))
}

struct Cast {
    dtype: DType,
}

impl ModuleMapper for Cast {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let dtype = self.dtype;
        param.map(|tensor| {
            if tensor.dtype() == dtype {
                return tensor;
            }
            // A cast is an operation with a gradient of its own; a parameter must stay a leaf.
            let (tracked, on_autodiff) = (tensor.is_require_grad(), tensor.device().is_autodiff());
            let tensor = tensor.without_autodiff().cast(dtype);
            if on_autodiff { tensor.autodiff().set_require_grad(tracked) } else { tensor }
        })
    }
}
