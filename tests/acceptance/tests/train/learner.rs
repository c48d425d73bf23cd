//! What a user does with `SupervisedTraining`, each in a tiny run; one that continues from a checkpoint takes the steps of one
//! that was not interrupted, to the bit.
//!
//! Two workers on the CPU stand for two devices: Burn's strategy treats a device that is named twice as two,
//! each with its share of the data, a fork of the model, and a thread. Distributed data parallel needs
//! collective operations, which only Burn's CUDA and remote backends have.

use std::collections::BTreeSet;
use std::path::Path;

use burn::data::dataloader::DataLoader;
use burn::data::dataloader::batcher::Batcher;
use burn::lr_scheduler::cosine::CosineAnnealingLrSchedulerConfig;
use burn::module::Module;
use burn::optim::{AdamConfig, ModuleOptimizer, SgdConfig};
use burn::tensor::{Device, Int, Tensor};
use burn::train::metric::LossMetric;
use burn::train::metric::store::{Aggregate, Direction, Split};
use burn::train::{
    ExecutionStrategy, Learner, MetricEarlyStoppingStrategy, MultiDeviceOptim, StoppingCondition,
    SupervisedTraining,
};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Encoder, Mlp};
use burn_nca_learn::objective::{
    MemoryLoss, MemoryLossConfig, NcaLoss, NcaLossConfig, SoftNearestNeighborLoss,
    SoftNearestNeighborLossConfig, SupConLossConfig, TemperatureConfig,
};
use burn_nca_learn::train::metric::{
    EmbeddingSpread, LeaveOneOutAccuracy, NeighborPerplexity, ReferenceAccuracy, SoftAccuracy,
};
use burn_nca_learn::train::{ReferencedModel, Sample, SampleBatcher};

use crate::{balanced, bits, in_order, launched, model, samples, training};

fn reads(folder: &std::path::Path, split: &str, epoch: usize, metric: &str) -> bool {
    folder.join(split).join(format!("epoch-{epoch}")).join(format!("{metric}.log")).is_file()
}

#[test]
fn metrics_schedules_and_checkpoints_work_together() {
    let folder = tempfile::tempdir().unwrap();
    let rows = samples(60, 1);
    let references = SampleBatcher.batch(rows.clone(), &Device::flex());
    let model = ReferencedModel::new(model(NcaLossConfig::new().init()), references, 7);
    let schedule = CosineAnnealingLrSchedulerConfig::new(0.05, 15).init().unwrap();
    let training: SupervisedTraining<ReferencedModel<_, _>> =
        SupervisedTraining::new(folder.path(), balanced(rows, 0), in_order(samples(20, 2), 20));
    let result = training
        .with_application_logger(None)
        .metrics((
            LossMetric::new(),
            LeaveOneOutAccuracy::new(3),
            SoftAccuracy::new(),
            NeighborPerplexity::new(),
            EmbeddingSpread::new(),
        ))
        .metric_valid_numeric(ReferenceAccuracy::new(5))
        .with_default_checkpointers()
        .num_epochs(3)
        .launch(Learner::new(model, AdamConfig::new().init(), schedule));
    assert!(result.error.is_none(), "{:?}", result.error.map(|error| error.to_string()));
    for epoch in 1..=3 {
        for metric in ["Loss", "Soft_accuracy", "Embedding_spread", "Neighbor_perplexity"] {
            assert!(reads(folder.path(), "train", epoch, metric), "train {epoch} {metric}");
            assert!(reads(folder.path(), "valid", epoch, metric), "valid {epoch} {metric}");
        }
        assert!(reads(folder.path(), "valid", epoch, "5-NN_accuracy"));
    }
    assert!(folder.path().join("checkpoint/model-3.bpk").is_file());
    assert!(folder.path().join("checkpoint/optim-3.bpk").is_file());
}

#[test]
fn a_training_that_no_longer_improves_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let stop = MetricEarlyStoppingStrategy::new(
        &LossMetric::new(),
        Aggregate::Mean,
        Direction::Lowest,
        Split::Valid,
        StoppingCondition::NoImprovementSince { n_epochs: 2 },
    );
    // Steps far below the weights' last digit: the loss cannot improve.
    training(folder.path(), in_order(samples(30, 3), 10), in_order(samples(20, 4), 20))
        .metrics((LossMetric::new(),))
        .early_stopping(stop)
        .num_epochs(9)
        .launch(Learner::new(model(NcaLossConfig::new().init()), AdamConfig::new().init(), 1e-30));
    assert!(reads(folder.path(), "valid", 3, "Loss"));
    assert!(!reads(folder.path(), "valid", 4, "Loss"));
}

#[test]
fn chunks_take_the_same_steps() {
    let trained = |chunk: Option<usize>| {
        let folder = tempfile::tempdir().unwrap();
        let model = model(SupConLossConfig::new().init(&Device::flex().autodiff()));
        let model = match chunk {
            Some(rows) => model.with_chunk(rows),
            None => model,
        };
        let rows = balanced(samples(40, 5), 0);
        let training = training(folder.path(), rows, in_order(samples(20, 6), 20));
        launched(training.num_epochs(2), model, None, 1e-3)
    };
    let (whole, chunked) = (trained(None), trained(Some(5)));
    let x =
        Tensor::<2>::from_floats([[0.1, -0.4, 0.7, 0.2], [0.9, 0.3, -0.2, 0.5]], &Device::flex());
    let difference = whole.encoder.forward(x.clone()) - chunked.encoder.forward(x);
    assert!(difference.abs().max().into_scalar::<f64>() < 1e-4);
}

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
    launched(training, model, None, 1e-2)
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

const BATCH: usize = 8;

/// Trains on these rows in order for some epochs, by an optimizer at a rate, with a changed training.
fn trained(
    rows: Vec<Sample>,
    (epochs, optimizer, rate): (usize, Option<ModuleOptimizer>, f64),
    change: impl FnOnce(
        SupervisedTraining<MetricModel<Mlp, NcaLoss>>,
    ) -> SupervisedTraining<MetricModel<Mlp, NcaLoss>>,
) -> MetricModel<Mlp, NcaLoss> {
    let folder = tempfile::tempdir().unwrap();
    let training = training(folder.path(), in_order(rows, BATCH), in_order(samples(20, 21), 20));
    let training = change(training).num_epochs(epochs);
    launched(training, model(NcaLossConfig::new().init()), optimizer, rate)
}

#[test]
fn two_devices_give_what_one_gives() {
    let rows = samples(6 * BATCH, 20);
    let adam = || (2, None, 1e-2);
    // One device accumulates two batches: first a batch of the first half, then one of the second.
    let (first, second) = rows.split_at(rows.len() / 2);
    let pairs = first.chunks(BATCH).zip(second.chunks(BATCH));
    let interleaved = pairs.flat_map(|(a, b)| [a, b].concat()).collect();
    let one = trained(interleaved, adam(), |training| training.grads_accumulation(2));
    for optim in [MultiDeviceOptim::OptimMainDevice, MultiDeviceOptim::OptimSharded] {
        let devices = vec![Device::flex().autodiff(), Device::flex().autodiff()];
        let strategy = ExecutionStrategy::multi(devices, optim);
        let two = trained(rows.clone(), adam(), |training| {
            training.with_training_strategy(strategy.into())
        });
        assert_eq!(bits(&two), bits(&one), "{optim:?}");
    }
}

#[test]
fn the_balanced_loader_gives_each_device_a_share_with_every_class() {
    let rows = samples(60, 22);
    let loader = balanced(rows, 0);
    let half = loader.num_items() / 2;
    let mut seen = BTreeSet::new();
    for share in [loader.slice(0, half), loader.slice(half, 60)] {
        for batch in share.iter() {
            let target = batch.unwrap().target;
            let read = |values: Tensor<1, Int>| values.try_into_vec_as::<i64>().unwrap();
            let classes: BTreeSet<i64> = read(target.labels).into_iter().collect();
            assert_eq!(classes.len(), 3);
            seen.extend(read(target.ids));
        }
    }
    assert!(seen.into_iter().eq(0..60));
}

#[test]
fn accumulated_gradients_are_summed() {
    // Two batches of the same rows, accumulated, are one step of plain gradient descent at twice the rate.
    let rows = samples(BATCH, 23);
    let by_sgd = |rows: Vec<Sample>, accumulation: usize, rate: f64| {
        let sgd = (1, Some(SgdConfig::new().init()), rate);
        trained(rows, sgd, |training| training.grads_accumulation(accumulation))
    };
    let twice = by_sgd([rows.clone(), rows.clone()].concat(), 2, 0.25);
    assert_eq!(bits(&twice), bits(&by_sgd(rows, 1, 0.5)));
}
