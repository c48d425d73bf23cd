//! A training that continues from a checkpoint takes the steps of one that was not interrupted, to the bit.

use std::path::Path;

use burn::module::Module;
use burn::optim::AdamConfig;
use burn::tensor::Device;
use burn::train::Learner;
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::Mlp;
use burn_nca_learn::objective::{
    MemoryLoss, MemoryLossConfig, SoftNearestNeighborLoss, SoftNearestNeighborLossConfig,
    TemperatureConfig,
};

use crate::setup::{balanced, bits, in_order, model, samples, training};

type Model = MetricModel<Mlp, MemoryLoss<SoftNearestNeighborLoss>>;

/// Trains up to `epochs`, from a checkpoint if one is given.
fn run(folder: &Path, from: Option<usize>, epochs: usize) -> Model {
    let device = Device::flex().autodiff();
    let temperature = TemperatureConfig::new(1.0).with_learned(true);
    let loss = SoftNearestNeighborLossConfig::new().with_temperature(temperature).init(&device);
    let model = model(MemoryLossConfig::new(30, 2).with_warm_up(2).init(loss, &device));
    let train = balanced(samples(50, 10), from.unwrap_or(0));
    let mut training = training(folder, train, in_order(samples(20, 11), 20))
        .with_default_checkpointers()
        .num_epochs(epochs);
    if let Some(epoch) = from {
        training = training.checkpoint(epoch);
    }
    let result = training.launch(Learner::new(model, AdamConfig::new().init(), 1e-2));
    assert!(result.error.is_none());
    result.model
}

#[test]
fn network_temperature_and_memory_go_on_to_the_bit() {
    let (straight, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let whole = run(straight.path(), None, 4);
    let half = run(stopped.path(), None, 2);
    assert_ne!(bits(&half), bits(&whole));
    let resumed = run(stopped.path(), Some(2), 4);
    assert_eq!(bits(&resumed), bits(&whole));
    assert_eq!(resumed.objective.memory.ids(), whole.objective.memory.ids());
    let held = |model: &Model| model.clone().valid().objective.memory.embeddings().into_data();
    assert_eq!(held(&resumed), held(&whole));
    assert!(whole.objective.memory.ids().iter().flatten().count() > 12);
}
