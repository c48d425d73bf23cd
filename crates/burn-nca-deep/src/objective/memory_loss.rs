//! A loss whose batch is compared with a memory of earlier batches too.

use std::sync::{Arc, Mutex, PoisonError};

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Int, Tensor};
use burn_nca::internal::in_one_type;
use burn_nca::objective::{BatchLoss, BatchTarget, CandidateLoss, Candidates, ClassTarget};
use burn_nca::shown_on_one_line;

use super::{CrossBatchMemory, CrossBatchMemoryConfig};

/// The settings of a [`MemoryLoss`].
#[derive(Config, Debug)]
pub struct MemoryLossConfig {
    /// Number of embeddings remembered: the candidates beyond those of the query batch.
    pub capacity: usize,
    /// Number of embedding dimensions, k.
    pub d_embedding: usize,
    /// Batches before the memory is used: the embeddings of a network that has just begun change too much
    /// from step to step to be compared with.
    #[config(default = 0)]
    pub warm_up: usize,
}

impl MemoryLossConfig {
    /// The loss with a memory, which lives on this device.
    ///
    /// # Panics
    /// If the capacity or the number of dimensions is 0.
    pub fn init<L: CandidateLoss>(&self, loss: L, device: &Device) -> MemoryLoss<L> {
        let memory = CrossBatchMemoryConfig::new(self.capacity, self.d_embedding).init(device);
        MemoryLoss { loss, memory, warm_up: self.warm_up, pending: Pending::default() }
    }
}

/// A loss that compares the query batch with a memory of earlier batches too.
///
/// ```text
/// queries     the b rows of the batch
/// candidates  those rows, and the rows of the memory whose sample is not in the batch     (gradient: batch only)
/// ```
/// A row's own sample is identified by its number, never by its place or value: a memory that holds the batch
/// gives the same loss as no memory at all. (Where the memory is compared by position, each row finds its own
/// copy at distance 0, and the loss falls to 0 with nothing learned.) Rows of one number are one sample, so
/// give two views of an image a number each.
///
/// The remembered embeddings are those of older weights: a memory pays where batches are small and the
/// embedding changes slowly, and costs accuracy where it does not.
///
/// The memory changes after each step of the optimizer, by [`after_step`](BatchLoss::after_step), which the
/// `train` feature calls; it takes up the batches whose embedding carried gradients, in order. It is part of
/// the module: saved, loaded and resumed with the model. Without gradients (validation) the loss is that of
/// the batch alone. With Burn's multi-device strategies, several workers would fill one memory in an order
/// that is not determined: use it on one device.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Int, Tensor};
/// use burn_nca::objective::{BatchLoss, ClassTarget, NcaLossConfig};
/// use burn_nca_deep::objective::MemoryLossConfig;
///
/// let device = Device::flex().autodiff();
/// let loss = MemoryLossConfig::new(100, 1).init(NcaLossConfig::new().init(), &device);
/// let z = Tensor::<2>::from_floats([[0.0], [0.5], [1.5]], &device).require_grad();
/// let labels = Tensor::<1, Int>::from_ints([0, 0, 1], &device);
/// let target = ClassTarget::of_labels(labels);
/// let before: f32 = loss.batch_loss(z.clone(), &target).into_scalar();
/// let loss = loss.after_step(); // the memory now holds these very rows
/// assert_eq!(loss.memory.ids()[..4], [Some(0), Some(1), Some(2), None]);
/// let after: f32 = loss.batch_loss(z, &target).into_scalar();
/// assert!((before - after).abs() < 1e-6);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct MemoryLoss<L: CandidateLoss> {
    /// The loss of queries among candidates.
    pub loss: L,
    /// What is remembered.
    pub memory: CrossBatchMemory,
    #[module(skip)]
    warm_up: usize,
    #[module(skip)]
    pending: Pending,
}

/// Batches that were embedded since the last step. Clones of a model share them: Burn computes a step on one
/// clone and continues with another.
type Pending = Arc<Mutex<Vec<(Tensor<2>, ClassTarget)>>>;

shown_on_one_line!([L: CandidateLoss] MemoryLoss<L>, |module, content| content
    .add("loss", &module.loss)
    .add("memory", &module.memory)
    .add_debug_attribute("warm_up", &module.warm_up));

impl<L: CandidateLoss> MemoryLoss<L> {
    /// The batch and what the memory holds in addition.
    fn candidates(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Candidates {
        let [b, _] = embeddings.dims();
        let ClassTarget { labels, ids } = target.clone();
        let (remembered, memory, usable) = self.memory.candidates(ids.clone(), self.warm_up);
        let remembered = remembered.cast(embeddings.dtype());
        let (labels, memory_labels) = in_one_type(labels, memory.labels);
        let (batch_ids, memory_ids) = in_one_type(ids.clone(), memory.ids);
        let in_batch = Tensor::<1, Int>::zeros([b], &ids.device()).equal_elem(0);
        let target = ClassTarget {
            labels: Tensor::cat(vec![labels, memory_labels], 0),
            ids: Tensor::cat(vec![batch_ids, memory_ids], 0),
        };
        Candidates::of_samples(Tensor::cat(vec![embeddings, remembered], 0), target, ids)
            .only(Tensor::cat(vec![in_batch, usable], 0))
    }
}

impl<L: CandidateLoss> BatchLoss for MemoryLoss<L> {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        if !embeddings.is_tracked() {
            return self.loss.batch_loss(embeddings, target);
        }
        let batch = (embeddings.clone().without_autodiff(), target.clone().without_autodiff());
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
        let candidates = self.candidates(embeddings.clone(), target);
        self.loss.forward_among(embeddings, target.labels.clone(), &candidates)
    }

    fn after_step(mut self) -> Self {
        let pending =
            core::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        for (embeddings, target) in pending {
            self.memory = self.memory.push(embeddings, target);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use burn_nca::objective::NcaLossConfig;

    use super::*;

    #[test]
    fn labels_may_be_of_other_integer_types_from_batch_to_batch() {
        let device = Device::flex().autodiff();
        let mut loss = MemoryLossConfig::new(9, 1).init(NcaLossConfig::new().init(), &device);
        let mut values = Vec::new();
        for dtype in [burn::tensor::DType::I64, burn::tensor::DType::U8, burn::tensor::DType::I32] {
            let z = Tensor::<2>::from_floats([[0.0], [0.5], [1.5]], &device).require_grad();
            let labels = Tensor::<1, Int>::from_ints([0, 0, 1], &device).cast(dtype);
            let target = ClassTarget::of_labels(labels);
            values.push(loss.batch_loss(z, &target).into_scalar::<f64>());
            loss = loss.after_step();
        }
        assert_eq!(values, [values[0]; 3]);
    }
}
