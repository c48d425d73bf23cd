//! Training as a Burn model (feature `train`): what Burn's `Learner` needs of a
//! [`MetricModel`](crate::MetricModel).
//!
//! Any [`Encoder`](crate::encoder::Encoder) with any [`BatchLoss`](crate::objective::BatchLoss) is a model that
//! `SupervisedTraining` trains, with its terminal dashboard, checkpoints, early stopping, learning-rate
//! schedules and gradient accumulation. Data come as [`Sample`]s from any Burn dataset, in batches of a few
//! classes with several samples each ([`ClassBalancedLoader`]); metrics follow the embedding.
//!
//! ```text
//! Dataset ──► Sample ──► ClassBalancedLoader ──► SampleBatch ──► MetricModel ──► EmbeddingOutput ──► metrics
//! ```
//!
//! # Several devices
//! Burn's multi-device strategies give each device a batch of its own and *sum* the gradients (distributed
//! data parallel reduces them as its settings say). A row's neighbors are those of its device's batch: the
//! devices exchange gradients, never embeddings. So D devices with batches of b rows take the step of one
//! device that accumulates the gradients of D batches of b rows, and not that of one batch of D·b rows, which
//! has D times as many neighbors a row. If the neighbors matter, make the batch of a device larger
//! ([`with_chunk`](crate::MetricModel::with_chunk) holds its memory down). As the gradients are summed, divide
//! the learning rate of an optimizer that depends on their scale by D.
//!
//! This project's tests train on two devices by Burn's multi-device strategies. Distributed data parallel takes the
//! same model, but Burn 0.22.1 has the collective operations that it needs on CUDA devices only, and it has never
//! been run here.
//!
//! ```no_run
//! use burn::tensor::Device;
//! use burn::tensor::distributed::{DistributedConfig, ReduceOperation};
//! use burn::train::{ExecutionStrategy, MultiDeviceOptim};
//!
//! // For `SupervisedTraining::with_training_strategy(strategy.into())`.
//! fn summed_on_one(devices: Vec<Device>) -> ExecutionStrategy {
//!     ExecutionStrategy::multi(devices, MultiDeviceOptim::OptimMainDevice)
//! }
//! fn distributed(devices: Vec<Device>) -> ExecutionStrategy {
//!     ExecutionStrategy::ddp(devices, DistributedConfig { all_reduce_op: ReduceOperation::Sum })
//! }
//! ```

mod batch;
mod dataset;
mod loader;
mod output;
mod references;
mod sampler;
mod step;

pub use batch::{Sample, SampleBatch, SampleBatcher};
pub use dataset::{SampleDataset, samples};
pub use loader::{ClassBalancedLoader, ClassBalancedLoaderConfig};
pub use output::{EmbeddingOutput, LabeledEmbedding};
pub use references::{ReferencedEmbedding, ReferencedModel};
pub use sampler::ClassBalancedSampler;
