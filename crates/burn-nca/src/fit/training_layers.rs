//! Layers that behave differently while they are trained: dropout, batch normalization, noise.
//!
//! Burn marks each by a flag that a module owns. On a device with autodiff such a layer draws at random, or looks
//! at the other rows and moves its running statistics; in validation it does neither.

use burn::module::{Flag, Module, ModuleMapper, ModuleVisitor, Param};

use crate::error::{Error, Result};

/// The module with every layer behaving in training as it does in validation: no dropout, batch normalization by
/// its running statistics. Its parameters are trained as before.
///
/// This is what L-BFGS and conjugate gradients need, which minimize one function: a layer that draws at random or
/// moves its statistics gives another one at each pass.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::module::Module;
/// use burn::nn::{Dropout, DropoutConfig};
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::fit::disable_training_flags;
///
/// let dropout: Dropout = disable_training_flags(DropoutConfig::new(0.5).init());
/// let x = Tensor::<2>::ones([4, 3], &Device::flex().autodiff());
/// assert_eq!(dropout.forward(x).sum().into_scalar::<f32>(), 12.0);
/// # }
/// ```
pub fn disable_training_flags<M: Module>(module: M) -> M {
    module.map(&mut Disable)
}

struct Disable;

impl ModuleMapper for Disable {
    fn map_flag(&mut self, flag: Param<Flag>) -> Param<Flag> {
        flag.with_value(false)
    }
}

/// A copy that shares no running statistics with the module, as a clone does.
pub(super) fn independent<M: Module>(module: &M) -> M {
    module.valid().train()
}

/// Refuses layers that give another function at each pass.
///
/// # Errors
/// A layer that behaves differently in training, with its place in the module.
pub(super) fn check_one_function<M: Module>(module: &M) -> Result<()> {
    let found = training_layers(module);
    if found.is_empty() {
        return Ok(());
    }
    Err(Error::setting(format!(
        "{}: such a layer gives another function at each pass in training, and L-BFGS and conjugate gradients \
         minimize one function; fit by mini-batches (Adam), or let it behave as in validation with \
         `burn_nca::fit::disable_training_flags(encoder)`",
        found.join(", ")
    )))
}

/// The layers that behave differently in training: `the layer encoder.norm (BatchNorm)`.
pub(super) fn training_layers<M: Module>(module: &M) -> Vec<String> {
    let mut visitor = TrainingLayers { path: Vec::new(), found: Vec::new() };
    module.visit(&mut visitor);
    visitor.found
}

/// Collects the layer of each flag that is set.
struct TrainingLayers {
    /// The names and types of the modules around.
    path: Vec<(String, String)>,
    found: Vec<String>,
}

impl ModuleVisitor for TrainingLayers {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.push((name.to_string(), container.to_string()));
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }

    fn visit_flag(&mut self, flag: &Param<Flag>) {
        if !flag.is_enabled() {
            return;
        }
        // The last name is that of the flag itself, in the layer whose type its container tells.
        let (layers, kind) = match self.path.split_last() {
            Some(((_, container), layers)) => (layers, container.as_str()),
            None => (&[][..], ""),
        };
        let names: Vec<&str> = layers.iter().map(|(name, _)| name.as_str()).collect();
        let kind = kind.rsplit(':').next().unwrap_or(kind);
        self.found.push(format!("the layer {} ({kind})", names.join(".")));
    }
}
