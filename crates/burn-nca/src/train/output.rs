//! What a training step hands to the metrics.

use burn::tensor::{ExecutionError, Tensor};
use burn::train::ItemLazy;
use burn::train::metric::{Adaptor, LossInput};

use super::ReferencedEmbedding;
use crate::objective::{BatchTarget, ClassTarget};

/// What a step gives to the metrics: the loss, the embedding of the batch, and what was known of its rows.
#[derive(Debug)]
pub struct EmbeddingOutput<T = ClassTarget> {
    /// The loss, `[1]`.
    pub loss: Tensor<1>,
    /// The embedding of the batch, `[n, k]`.
    pub embedding: Tensor<2>,
    /// The targets of the rows.
    pub target: T,
    /// The embedded reference set, where the model knows one
    /// ([`ReferencedModel`](super::ReferencedModel)) and was asked for no gradient.
    pub references: Option<LabeledEmbedding>,
}

/// An embedding with one class per row: what the metrics look at.
#[derive(Clone, Debug)]
pub struct LabeledEmbedding {
    /// The embedding, `[n, k]`.
    pub points: Tensor<2>,
    /// What is known of the rows.
    pub target: ClassTarget,
}

impl<T: BatchTarget> ItemLazy for EmbeddingOutput<T> {
    fn sync(self) -> Result<Self, ExecutionError> {
        // The metrics read on a thread of their own; here the work is only sent off, and the graph let go.
        self.loss.device().flush()?;
        Ok(Self {
            loss: self.loss.without_autodiff(),
            embedding: self.embedding.without_autodiff(),
            target: self.target.without_autodiff(),
            references: self.references,
        })
    }
}

impl<T> Adaptor<LossInput> for EmbeddingOutput<T> {
    fn adapt(&self) -> LossInput {
        LossInput::new(self.loss.clone())
    }
}

impl<T> Adaptor<Tensor<2>> for EmbeddingOutput<T> {
    fn adapt(&self) -> Tensor<2> {
        self.embedding.clone()
    }
}

impl Adaptor<LabeledEmbedding> for EmbeddingOutput {
    fn adapt(&self) -> LabeledEmbedding {
        LabeledEmbedding { points: self.embedding.clone(), target: self.target.clone() }
    }
}

impl Adaptor<ReferencedEmbedding> for EmbeddingOutput {
    fn adapt(&self) -> ReferencedEmbedding {
        ReferencedEmbedding { queries: self.adapt(), references: self.references.clone() }
    }
}
