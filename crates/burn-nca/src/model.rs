use burn::module::Module;
use burn::tensor::{Int, Tensor};

use crate::encoder::{AnyEncoder, Encoder};
use crate::objective::{NcaLoss, Objective};

/// An encoder and the objective it is trained for: the Burn module that is fitted.
///
/// Any [`Encoder`] and any [`Objective`] go together. [`Nca`] is the paper's pair, made by
/// [`NcaConfig::init`](crate::NcaConfig::init).
#[derive(Module, Debug)]
pub struct MetricModel<E: Encoder, O: Objective> {
    /// Maps features to the embedding.
    pub encoder: E,
    /// What the embedding should achieve.
    pub objective: O,
}

/// Neighbourhood components analysis as a Burn module: a map A (linear, diagonal or a network) and the
/// loss over the distances it makes.
pub type Nca = MetricModel<AnyEncoder, NcaLoss>;

impl<E: Encoder, O: Objective> MetricModel<E, O> {
    /// A model of this encoder and objective.
    pub fn new(encoder: E, objective: O) -> Self {
        Self { encoder, objective }
    }

    /// The embedding of the rows of `x`: `[n, d]` to `[n, k]`.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.encoder.forward(x)
    }
}

impl<E: Encoder> MetricModel<E, NcaLoss> {
    /// The loss of a labelled batch, shape `[1]`.
    ///
    /// # Shapes
    /// - x: `[n, d]`
    /// - labels: `[n]`
    pub fn loss(&self, x: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        self.objective.forward(self.encoder.forward(x), labels)
    }
}
