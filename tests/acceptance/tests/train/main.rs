//! Metric models in Burn's `Learner`: metrics, checkpoints, early stopping, schedules, accumulation, devices.

#![allow(clippy::unwrap_used)] // all of this crate is a test

mod learner;
mod losses;
mod metrics;

use std::path::Path;
use std::sync::Arc;

use acceptance::data::overlapping;
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::InMemDataset;
use burn::module::Module;
use burn::optim::{AdamConfig, ModuleOptimizer};
use burn::tensor::Device;
use burn::train::{Learner, SupervisedTraining};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Encoder, Mlp, MlpConfig};
use burn_nca_learn::fit::parameters::flatten;
use burn_nca_learn::objective::{BatchLoss, ClassTarget};
use burn_nca_learn::train::{
    ClassBalancedLoader, ClassBalancedLoaderConfig, Sample, SampleBatch, SampleBatcher,
};

const FEATURES: usize = 4;

/// n samples of three overlapping classes.
fn samples(n: usize, seed: u64) -> Vec<Sample> {
    let data = overlapping(n, FEATURES, 3, seed);
    let rows = data.x.chunks_exact(FEATURES).zip(&data.y).enumerate();
    rows.map(|(id, (x, &label))| Sample {
        id,
        features: x.iter().map(|&value| value as f32).collect(),
        label,
    })
    .collect()
}

/// The samples in order, in batches of this size.
fn in_order(samples: Vec<Sample>, batch_size: usize) -> Arc<dyn DataLoader<SampleBatch>> {
    DataLoaderBuilder::new(SampleBatcher)
        .batch_size(batch_size)
        .set_device(Device::flex())
        .build(InMemDataset::new(samples))
}

/// The samples in batches of 3 classes with 4 samples each.
fn balanced(samples: Vec<Sample>, first_epoch: usize) -> Arc<ClassBalancedLoader<SampleBatch>> {
    ClassBalancedLoaderConfig::new(3, 4)
        .with_seed(5)
        .with_first_epoch(first_epoch)
        .build(InMemDataset::new(samples), SampleBatcher)
        .unwrap()
}

/// A small network with this loss.
fn model<L: BatchLoss<Target = ClassTarget>>(loss: L) -> MetricModel<Mlp, L> {
    let network = MlpConfig::new(FEATURES, vec![6], 2);
    MetricModel::new(network.init_seeded(3, &Device::flex().autodiff()), loss)
}

/// A quiet training without Burn's log file.
fn training<E: Encoder + 'static, L: BatchLoss<Target = ClassTarget> + 'static>(
    folder: &Path,
    train: Arc<dyn DataLoader<SampleBatch>>,
    valid: Arc<dyn DataLoader<SampleBatch>>,
) -> SupervisedTraining<MetricModel<E, L>> {
    SupervisedTraining::new(folder, train, valid).with_application_logger(None)
}

/// What a training makes of a model, by Adam unless another optimizer is given.
fn launched<E: Encoder + 'static, L: BatchLoss<Target = ClassTarget> + 'static>(
    training: SupervisedTraining<MetricModel<E, L>>,
    model: MetricModel<E, L>,
    optimizer: Option<ModuleOptimizer>,
    rate: f64,
) -> MetricModel<E, L> {
    let optimizer = optimizer.unwrap_or_else(|| AdamConfig::new().init());
    let result = training.launch(Learner::new(model, optimizer, rate));
    assert!(result.error.is_none(), "{:?}", result.error.map(|error| error.to_string()));
    result.model
}

/// The bits of all parameters.
fn bits<M: Module>(module: &M) -> Vec<u64> {
    flatten(&module.clone().train()).into_iter().map(f64::to_bits).collect()
}
