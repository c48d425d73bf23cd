//! Burn's multi-device strategy: what two devices give, one gives that accumulates two batches.
//!
//! Two workers on the CPU stand for two devices: Burn's strategy treats a device that is named twice as two,
//! each with its share of the data, a fork of the model, and a thread. Distributed data parallel needs
//! collective operations, which only Burn's CUDA and remote backends have.

use burn::data::dataloader::DataLoader;
use burn::optim::{AdamConfig, ModuleOptimizer, SgdConfig};
use burn::tensor::Device;
use burn::train::{ExecutionStrategy, Learner, MultiDeviceOptim, SupervisedTraining};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::Mlp;
use burn_nca_learn::objective::{NcaLoss, NcaLossConfig};
use burn_nca_learn::train::Sample;

use crate::setup::{balanced, bits, in_order, model, samples, training};

const BATCH: usize = 8;

type Model = MetricModel<Mlp, NcaLoss>;

/// Trains on these rows in order for some epochs, by an optimizer at a rate, with a changed training.
fn trained(
    rows: Vec<Sample>,
    (epochs, optimizer, rate): (usize, ModuleOptimizer, f64),
    change: impl FnOnce(SupervisedTraining<Model>) -> SupervisedTraining<Model>,
) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let training = training(folder.path(), in_order(rows, BATCH), in_order(samples(20, 21), 20));
    let learner = Learner::new(model(NcaLossConfig::new().init()), optimizer, rate);
    let result = change(training).num_epochs(epochs).launch(learner);
    assert!(result.error.is_none(), "{:?}", result.error.map(|error| error.to_string()));
    result.model
}

#[test]
fn two_devices_give_what_one_gives() {
    let rows = samples(6 * BATCH, 20);
    let adam = || (2, AdamConfig::new().init(), 1e-2);
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
    let loader = balanced(rows.clone(), 0);
    let half = loader.num_items() / 2;
    let shares = [loader.slice(0, half), loader.slice(half, 60)];
    let mut seen = vec![0; 60];
    for share in &shares {
        for batch in share.iter() {
            let target = batch.unwrap().target;
            let read = |values: burn::tensor::Tensor<1, burn::tensor::Int>| {
                values.try_into_vec_as::<i64>().unwrap()
            };
            let mut labels = read(target.labels);
            labels.dedup();
            assert_eq!(labels.len(), 3);
            read(target.ids).iter().for_each(|&id| seen[id as usize] += 1);
        }
    }
    assert!(seen.iter().all(|&times| times > 0));
}

#[test]
fn accumulated_gradients_are_summed() {
    // Two batches of the same rows, accumulated, are one step of plain gradient descent at twice the rate.
    let rows = samples(BATCH, 23);
    let by_sgd = |rows: Vec<Sample>, accumulation: usize, rate: f64| {
        let sgd = (1, SgdConfig::new().init(), rate);
        trained(rows, sgd, |training| training.grads_accumulation(accumulation))
    };
    let twice = by_sgd([rows.clone(), rows.clone()].concat(), 2, 0.25);
    assert_eq!(bits(&twice), bits(&by_sgd(rows, 1, 0.5)));
}
