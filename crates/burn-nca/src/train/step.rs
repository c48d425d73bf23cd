//! Training and validation steps for Burn's `Learner`.

use burn::lr_scheduler::module_lr_scheduler::ModuleLearningRate;
use burn::optim::{GradientsParams, ModuleOptimizer, MultiGradientsParams};
use burn::train::{InferenceStep, TrainOutput, TrainStep};

use super::{EmbeddingOutput, SampleBatch};
use crate::encoder::Encoder;
use crate::fit::cached::value_and_gradient;
use crate::model::MetricModel;
use crate::objective::BatchLoss;

/// A step of training: the loss of a batch, and its gradient in one pass or in chunks
/// ([`MetricModel::with_chunk`]).
impl<E: Encoder + 'static, L: BatchLoss + 'static> TrainStep for MetricModel<E, L> {
    type Input = SampleBatch<L::Target>;
    type Output = EmbeddingOutput<L::Target>;

    fn step(&self, batch: Self::Input) -> TrainOutput<Self::Output> {
        let SampleBatch { x, target } = batch;
        if let Some(chunk) = self.chunk() {
            let at = value_and_gradient(self, &x, &target, chunk);
            let item = EmbeddingOutput {
                loss: at.loss,
                embedding: at.embedding,
                target,
                references: None,
            };
            return TrainOutput { grads: at.gradients, item };
        }
        let item = self.embed_batch(SampleBatch { x, target });
        TrainOutput::new(self, item.loss.backward(), item)
    }

    fn optimize(
        self,
        optim: &mut ModuleOptimizer,
        learning_rate: ModuleLearningRate,
        grads: GradientsParams,
    ) -> Self {
        optim.step(learning_rate, self, grads).after_step()
    }

    fn optimize_multi(
        self,
        optim: &mut ModuleOptimizer,
        learning_rate: ModuleLearningRate,
        grads: MultiGradientsParams,
    ) -> Self {
        optim.step_multi(learning_rate, self, grads).after_step()
    }
}

impl<E: Encoder + 'static, L: BatchLoss + 'static> InferenceStep for MetricModel<E, L> {
    type Input = SampleBatch<L::Target>;
    type Output = EmbeddingOutput<L::Target>;

    fn step(&self, batch: Self::Input) -> Self::Output {
        self.embed_batch(batch)
    }
}

impl<E: Encoder, L: BatchLoss> MetricModel<E, L> {
    fn embed_batch(&self, batch: SampleBatch<L::Target>) -> EmbeddingOutput<L::Target> {
        let SampleBatch { x, target } = batch;
        let embedding = self.encoder.forward(x);
        let loss = self.objective.batch_loss(embedding.clone(), &target);
        EmbeddingOutput { loss, embedding, target, references: None }
    }

    /// The model after a step of its optimizer: the loss takes up what it remembers.
    #[must_use]
    pub fn after_step(mut self) -> Self {
        self.objective = self.objective.after_step();
        self
    }
}
