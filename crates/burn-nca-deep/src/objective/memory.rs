//! A queue of the embeddings of earlier batches.

use burn::config::Config;
use burn::module::{Module, Param, ParamId};
use burn::tensor::{Bool, Device, Int, Tensor, assert_shape};
use burn_nca::internal::{equal_pairs, on_host};
use burn_nca::objective::ClassTarget;
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
/// A queue of fixed size: the newest rows come first, the oldest fall off the end. A sample is in it once:
/// where a newer embedding comes, the older one's slot is emptied (and stays empty until it falls off). All
/// of it is tensors of a module: it is saved and loaded with the model, to the bit, and no step waits for the
/// device.
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
            embeddings: replaced(self.embeddings, rows),
            labels: self.labels.map(|_| labels),
            ids: self.ids.map(|_| queue(new_ids, old_ids)),
            batches: self.batches.map(|count| count.add_scalar(1)),
        }
    }

    /// What the slots hold, and which of them are candidates for a batch: those that are not empty, whose
    /// sample is not in the batch, once `warm_up` batches were taken up. `[capacity]`.
    pub(super) fn candidates(
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

/// The parameter with another value, on its own device and without gradient.
fn replaced(param: Param<Tensor<2>>, value: Tensor<2>) -> Param<Tensor<2>> {
    param.map(|old| {
        let value = if old.is_autodiff() { value.autodiff() } else { value };
        value.set_require_grad(false)
    })
}
