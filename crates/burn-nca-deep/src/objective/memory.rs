//! A queue of the embeddings of earlier batches, and a loss whose batch is compared with them too.

use std::sync::{Arc, Mutex, PoisonError};

use burn::config::Config;
use burn::module::{Module, Param, ParamId};
use burn::tensor::{Bool, Device, Int, Tensor, assert_shape};
use burn_nca::internal::{equal_pairs, in_one_type, on_host};
use burn_nca::objective::{BatchLoss, BatchTarget, CandidateLoss, Candidates, ClassTarget};
use burn_nca::shown_on_one_line;

/// The number of an empty slot; samples have numbers from 0.
const EMPTY: i64 = -1;

/// The size of a [`CrossBatchMemory`].
#[derive(Config, Debug)]
pub struct CrossBatchMemoryConfig {
    /// Number of slots.
    pub capacity: usize,
    /// Number of embedding dimensions, k.
    pub d_embedding: usize,
}

impl CrossBatchMemoryConfig {
    /// An empty memory on this device.
    ///
    /// # Panics
    /// If there is no slot or no dimension.
    pub fn init(&self, device: &Device) -> CrossBatchMemory {
        let Self { capacity, d_embedding } = *self;
        assert!(
            capacity > 0 && d_embedding > 0,
            "a memory needs at least one slot and one dimension, got {capacity} and {d_embedding}"
        );
        let embeddings = Tensor::zeros([capacity, d_embedding], device);
        CrossBatchMemory {
            embeddings: Param::from_tensor(embeddings).set_require_grad(false),
            labels: int_param(Tensor::zeros([capacity], device)),
            ids: int_param(Tensor::zeros([capacity], device).add_scalar(EMPTY)),
            batches: int_param(Tensor::zeros([1], device)),
        }
    }
}

/// The newest embeddings of earlier batches, each with its class and the number of its sample.
///
/// A queue of fixed size: the newest rows come first, the oldest fall off the end. A sample is in it once: where a newer
/// embedding comes, the older one's slot is emptied until it falls off. It is saved and loaded with the model, to the bit, and no
/// step waits for the device.
///
/// # References
/// X. Wang, H. Zhang, W. Huang, M. Scott, Cross-Batch Memory for Embedding Learning, CVPR 2020.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Int, Tensor};
/// use burn_nca::objective::ClassTarget;
/// use burn_nca_deep::objective::CrossBatchMemoryConfig;
///
/// let device = Device::flex();
/// let ints = |values: [i32; 2]| Tensor::<1, Int>::from_ints(values, &device);
/// let memory = CrossBatchMemoryConfig::new(3, 1).init(&device);
/// let first = ClassTarget { labels: ints([0, 1]), ids: ints([10, 11]) };
/// let memory = memory.push(Tensor::from_floats([[1.0], [2.0]], &device), first);
/// let second = ClassTarget { labels: ints([0, 0]), ids: ints([12, 10]) };
/// let memory = memory.push(Tensor::from_floats([[3.0], [4.0]], &device), second);
/// // 12 and 10 are the newest; the older 10 was emptied, and 11 fell off behind it.
/// assert_eq!(memory.ids(), [Some(12), Some(10), None]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct CrossBatchMemory {
    embeddings: Param<Tensor<2>>,
    labels: Param<Tensor<1, Int>>,
    ids: Param<Tensor<1, Int>>,
    batches: Param<Tensor<1, Int>>,
}

shown_on_one_line!(CrossBatchMemory, |module, content| content
    .add_debug_attribute("capacity", &module.capacity()));

impl CrossBatchMemory {
    /// Number of slots.
    pub fn capacity(&self) -> usize {
        self.ids.dims()[0]
    }

    /// The number of the sample in each slot, newest first; read from the device.
    pub fn ids(&self) -> Vec<Option<usize>> {
        on_host(self.ids.val()).into_iter().map(|id| usize::try_from(id).ok()).collect()
    }

    /// The embeddings in the slots, `[capacity, k]`, without gradient; zeros where a slot is empty.
    pub fn embeddings(&self) -> Tensor<2> {
        self.embeddings.val().without_autodiff()
    }

    /// The memory with a batch taken up; of a batch larger than the memory, its first rows.
    ///
    /// # Shapes
    /// - embeddings: `[b, k]`, target: b rows
    ///
    /// # Panics
    /// If the shapes contradict each other.
    #[must_use]
    pub fn push(self, embeddings: Tensor<2>, target: ClassTarget) -> Self {
        let (capacity, k) = (self.capacity(), self.embeddings.dims()[1]);
        let [b, width] = embeddings.dims();
        let ClassTarget { labels, ids } = target;
        assert_eq!(width, k, "the embedding has {width} dimensions, the memory {k}");
        assert_shape!(labels, [b]);
        assert_shape!(ids, [b]);
        let taken = b.min(capacity);
        let kept = capacity - taken;
        let old_ids = self.ids.val().without_autodiff();
        let device = old_ids.device();
        let here = |numbers: Tensor<1, Int>| {
            numbers.without_autodiff().to_device(&device).cast(old_ids.dtype()).slice([0..taken])
        };
        let (new_ids, new_labels) = (here(ids), here(labels));
        let renewed = equal_pairs(old_ids.clone(), new_ids.clone()).any_dim(1).reshape([capacity]);
        let old_ids = old_ids.mask_fill(renewed, EMPTY);
        let old = self.embeddings();
        let new = embeddings.without_autodiff().to_device(&device).cast(old.dtype());
        let rows = Tensor::cat(vec![new.slice([0..taken]), old.slice([0..kept])], 0);
        let queue = |new: Tensor<1, Int>, old: Tensor<1, Int>| {
            Tensor::cat(vec![new, old.slice([0..kept])], 0)
        };
        let labels = queue(new_labels, self.labels.val().without_autodiff());
        Self {
            embeddings: self.embeddings.map(|old| {
                let rows = if old.is_autodiff() { rows.autodiff() } else { rows };
                rows.set_require_grad(false)
            }),
            labels: self.labels.map(|_| labels),
            ids: self.ids.map(|_| queue(new_ids, old_ids)),
            batches: self.batches.map(|count| count.add_scalar(1)),
        }
    }

    /// What the slots hold, and which of them are candidates for a batch: those that are not empty, whose
    /// sample is not in the batch, once `warm_up` batches were taken up. `[capacity]`.
    fn candidates(
        &self,
        batch_ids: Tensor<1, Int>,
        warm_up: usize,
    ) -> (Tensor<2>, ClassTarget, Tensor<1, Bool>) {
        let capacity = self.capacity();
        let ids = self.ids.val();
        let in_batch = equal_pairs(ids.clone(), batch_ids.cast(ids.dtype())).any_dim(1);
        let empty = ids.clone().equal_elem(EMPTY);
        let cold = self.batches.val().lower_elem(warm_up as i64).expand([capacity]);
        let usable = in_batch.reshape([capacity]).bool_or(empty).bool_or(cold).bool_not();
        let target = ClassTarget { labels: self.labels.val(), ids };
        (self.embeddings.val(), target, usable)
    }
}

fn int_param(values: Tensor<1, Int>) -> Param<Tensor<1, Int>> {
    Param::initialized(ParamId::new(), values)
}

/// The settings of a [`MemoryLoss`].
#[derive(Config, Debug)]
pub struct MemoryLossConfig {
    /// Number of embeddings remembered: the candidates beyond those of the query batch.
    pub capacity: usize,
    /// Number of embedding dimensions, k.
    pub d_embedding: usize,
    /// Batches before the memory is used: embeddings change too much at first to be compared with.
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
/// A row's own sample is identified by its number, never by its place or value: a memory that holds the batch gives the same loss
/// as no memory at all. Rows of one number are one sample, so give two views of an image a number each. The remembered embeddings
/// are those of older weights: a memory pays where batches are small and the embedding changes slowly.
///
/// The memory changes after each step of the optimizer, by [`after_step`](BatchLoss::after_step), which the `train` feature calls;
/// it takes up the batches whose embedding carried gradients, in order. Without gradients (validation) the loss is that of the
/// batch alone. Use it on one device: several workers would fill it in an order that is not determined.
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

/// Batches that were embedded since the last step; clones share them, as Burn computes a step on one and continues with another.
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
