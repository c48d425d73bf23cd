//! Adds up the gradients of several backward passes.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// Adds the gradients of a module's parameters to `total`, parameter by parameter.
///
/// For a gradient that is made of several backward passes: parts of a batch, blocks of an objective.
pub(super) fn add_gradients<M: Module>(
    module: &M,
    total: &mut GradientsParams,
    part: GradientsParams,
) {
    module.visit(&mut Accumulate { total, part });
}

struct Accumulate<'a> {
    total: &'a mut GradientsParams,
    part: GradientsParams,
}

impl ModuleVisitor for Accumulate<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(part) = self.part.remove::<D>(param.id) {
            let sum = match self.total.remove::<D>(param.id) {
                Some(total) => total + part,
                None => part,
            };
            self.total.register(param.id, sum);
        }
    }
}
