//! Stage 2: encoders. Maps from feature rows to embedding rows, `z = f(x)`.
//!
//! Any Burn module becomes an encoder with one small `impl`; [`LinearMap`], [`DiagonalMap`] and [`Mlp`]
//! come with the crate; `AnyEncoder` of `burn-nca-learn` chooses among them at run time.

pub(crate) mod cast;
mod diagonal;
pub(crate) mod layers;
mod linear;
pub(crate) mod mlp;
pub(crate) mod record;
pub(crate) mod seeded;
#[cfg(test)]
mod tests;
pub(crate) mod unit;

pub use cast::cast;
pub use diagonal::DiagonalMap;
pub use linear::{LinearMap, LinearMapConfig};
pub use mlp::{Activation, HiddenLayers, Mlp, MlpConfig};
pub(crate) use record::load_record;
pub(crate) use unit::unit_rows;

use burn::module::{Module, ModuleDisplay, ModuleVisitor, Param};
use burn::tensor::Tensor;

/// A map from feature rows to embedding rows.
///
/// # Examples
/// Any module becomes an encoder with one `impl`:
/// ```
/// use burn::module::Module;
/// use burn::nn::Linear;
/// use burn::tensor::{Tensor, activation::relu};
/// use burn_nca::encoder::Encoder;
///
/// #[derive(Module, Debug)]
/// struct TwoLayers { hidden: Linear, output: Linear }
///
/// impl Encoder for TwoLayers {
///     fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///         self.output.forward(relu(self.hidden.forward(x)))
///     }
/// }
/// ```
pub trait Encoder: Module + ModuleDisplay + 'static {
    /// Embeds the rows of `x`.
    ///
    /// # Shapes
    /// - x: `[n, d]`
    /// - output: `[n, k]`
    fn forward(&self, x: Tensor<2>) -> Tensor<2>;

    /// The embedding in training with all that is random drawn from this seed, on the host. `None` for an encoder that draws from the
    /// generator of its device, which all fits of a process share: they then embed one at a time.
    fn forward_seeded(&self, _x: Tensor<2>, _seed: u64) -> Option<Tensor<2>> {
        None
    }

    /// Number of features that the encoder takes, where it says so.
    ///
    /// A fit holds it against the data. An encoder that does not say is asked for the embedding of two rows first; where
    /// Burn panics there, as its first layer takes another number, the fit is refused.
    fn d_input(&self) -> Option<usize> {
        None
    }

    /// Whether the embedding is linear in the features and a fit is to learn in units of their spread.
    fn is_linear(&self) -> bool {
        false
    }

    /// The sum of squares that an L2 penalty weighs, shape `[1]`, differentiable; `None` without weights.
    ///
    /// By default every float parameter of two or more dimensions counts: weights, not biases. For a linear
    /// map this is the squared Frobenius norm of A.
    fn squared_norm(&self) -> Option<Tensor<1>> {
        let mut visitor = SquaredWeights { total: None };
        self.visit(&mut visitor);
        visitor.total
    }
}

struct SquaredWeights {
    total: Option<Tensor<1>>,
}

impl ModuleVisitor for SquaredWeights {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if D >= 2 {
            let squares = param.val().square().sum();
            self.total = Some(match self.total.take() {
                Some(total) => total + squares,
                None => squares,
            });
        }
    }
}
