//! A reference set that validation points are classified by.

use std::sync::{Arc, Mutex, PoisonError};

use burn::lr_scheduler::module_lr_scheduler::ModuleLearningRate;
use burn::module::Module;
use burn::optim::{GradientsParams, ModuleOptimizer, MultiGradientsParams};
use burn::tensor::Tensor;
use burn::train::{InferenceStep, TrainOutput, TrainStep};

use super::{EmbeddingOutput, LabeledEmbedding, SampleBatch};
use crate::encoder::Encoder;
use crate::fit::chunks::embed;
use crate::model::MetricModel;
use crate::objective::{BatchLoss, ClassTarget};

/// Query points and the reference set they are classified by.
#[derive(Clone, Debug)]
pub struct ReferencedEmbedding {
    /// The points of a batch.
    pub queries: LabeledEmbedding,
    /// The reference set; `None` in training, where it is not embedded.
    pub references: Option<LabeledEmbedding>,
}

/// A model that knows the reference set its validation points are compared with.
///
/// It trains as the model within. In validation it also embeds the references, once an epoch and with the
/// encoder as it then is, for the metric `ReferenceAccuracy`. The references are data and no parameters: they are
/// not saved.
#[derive(Module, Debug)]
pub struct ReferencedModel<E: Encoder, L: BatchLoss<Target = ClassTarget>> {
    /// The model.
    pub model: MetricModel<E, L>,
    #[module(skip)]
    references: References,
}

impl<E: Encoder, L: BatchLoss<Target = ClassTarget>> ReferencedModel<E, L> {
    /// The model with these reference rows, which pass through the encoder `chunk` at a time.
    ///
    /// # Panics
    /// If `chunk` is 0.
    pub fn new(model: MetricModel<E, L>, references: SampleBatch, chunk: usize) -> Self {
        assert!(chunk > 0, "a chunk has at least one row, got 0");
        let rows = Arc::new(references);
        Self { model, references: References { rows, chunk, embedded: Mutex::new(None) } }
    }
}

struct References {
    rows: Arc<SampleBatch>,
    chunk: usize,
    /// The references embedded by this very copy of the model.
    embedded: Mutex<Option<Tensor<2>>>,
}

impl core::fmt::Debug for References {
    /// The size alone: a model that is printed should not print its data.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let [rows, features] = self.rows.x.dims();
        write!(f, "References {{ rows: {rows}, features: {features} }}")
    }
}

impl Clone for References {
    /// A copy that has embedded nothing yet: its encoder may be another one.
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone(), chunk: self.chunk, embedded: Mutex::new(None) }
    }
}

impl References {
    fn embedded_by<E: Encoder>(&self, encoder: &E) -> LabeledEmbedding {
        let mut embedded = self.embedded.lock().unwrap_or_else(PoisonError::into_inner);
        let points = embedded.get_or_insert_with(|| {
            let device = encoder.devices().first().cloned().unwrap_or_default();
            let x = self.rows.x.clone().without_autodiff().to_device(&device.inner());
            embed(encoder, &x, self.chunk)
        });
        LabeledEmbedding { points: points.clone(), target: self.rows.target.clone() }
    }
}

impl<E: Encoder, L: BatchLoss<Target = ClassTarget> + 'static> TrainStep for ReferencedModel<E, L> {
    type Input = SampleBatch;
    type Output = EmbeddingOutput;

    fn step(&self, batch: SampleBatch) -> TrainOutput<EmbeddingOutput> {
        TrainStep::step(&self.model, batch)
    }

    fn optimize(
        mut self,
        optim: &mut ModuleOptimizer,
        learning_rate: ModuleLearningRate,
        grads: GradientsParams,
    ) -> Self {
        self.model = self.model.optimize(optim, learning_rate, grads);
        self
    }

    fn optimize_multi(
        mut self,
        optim: &mut ModuleOptimizer,
        learning_rate: ModuleLearningRate,
        grads: MultiGradientsParams,
    ) -> Self {
        self.model = self.model.optimize_multi(optim, learning_rate, grads);
        self
    }
}

impl<E: Encoder, L: BatchLoss<Target = ClassTarget> + 'static> InferenceStep
    for ReferencedModel<E, L>
{
    type Input = SampleBatch;
    type Output = EmbeddingOutput;

    fn step(&self, batch: SampleBatch) -> EmbeddingOutput {
        let mut output = InferenceStep::step(&self.model, batch);
        output.references = Some(self.references.embedded_by(&self.model.encoder));
        output
    }
}
