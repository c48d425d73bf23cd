//! The losses of the further methods in Burn's `Learner`: each is trained, and what it asks for is found.

use burn::data::dataloader::batcher::Batcher;
use burn::module::Module;
use burn::tensor::{DType, Device};
use burn::train::metric::LossMetric;
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::{LabeledPair, LabeledPairs, Pairs};
use burn_nca_learn::encoder::{Encoder, FeatureWeights, MlpConfig};
use burn_nca_learn::neighbors::VariableKernel;
use burn_nca_learn::objective::{
    BatchLoss, ClassTarget, CoincidenceIndex, CoincidenceLossConfig, LargeMarginLossConfig,
    NcaLossConfig, NcfsLossConfig, PairIndex, PairLossConfig, ProxyNcaLossConfig, SubsetLoss,
    SumLossConfig, TargetNeighbors, VariableKernelLossConfig,
};
use burn_nca_learn::train::{Sample, SampleBatcher};

use crate::{FEATURES, balanced, bits, in_order, launched, samples, training};

/// The same in every test; also what a loss knows of by number.
fn rows() -> Vec<Sample> {
    samples(60, 7)
}

fn labels() -> Vec<usize> {
    rows().iter().map(|row| row.label).collect()
}

fn autodiff() -> Device {
    Device::flex().autodiff()
}

/// Trains this encoder by this loss on class-balanced batches, with all rows for validation, and gives both back; the loss
/// of all rows must have fallen by a tenth of what it could.
fn trained<E, L>(encoder: E, loss: L, lowest: f64) -> MetricModel<E, L>
where
    E: Encoder + 'static,
    L: BatchLoss<Target = ClassTarget> + 'static,
{
    let folder = tempfile::tempdir().unwrap();
    let model = MetricModel::new(encoder, loss);
    let before = model.clone().valid();
    let training = training(folder.path(), balanced(rows(), 0), in_order(rows(), 60));
    let training = training.metrics((LossMetric::new(),)).num_epochs(30);
    let trained = launched(training, model, None, 2e-2);
    let batch = SampleBatcher.batch(rows(), &Device::flex());
    let value = |model: &MetricModel<E, L>| {
        let z = model.encoder.forward(batch.x.clone());
        model.objective.batch_loss(z, &batch.target).into_scalar::<f64>() - lowest
    };
    let (start, end) = (value(&before), value(&trained.clone().valid()));
    assert!(end < 0.9 * start, "{start} to {end}");
    trained
}

fn network() -> impl Encoder + 'static {
    MlpConfig::new(FEATURES, vec![6], 2).init_seeded(3, &autodiff())
}

#[test]
fn proxies_are_trained_with_the_network() {
    let loss = ProxyNcaLossConfig::new(3, 2).init(&autodiff());
    let before = bits(&loss);
    assert_ne!(bits(&trained(network(), loss, 0.0).objective), before);
}

#[test]
fn the_kernel_of_vsm_is_trained_with_its_width() {
    let rule = VariableKernel::new().with_neighbors(6).with_averaged(3);
    let config = VariableKernelLossConfig::new().with_rule(rule).with_width_penalty(0.1);
    let model = trained(network(), config.init(&autodiff(), DType::F32), 0.0);
    assert_ne!(model.objective.rule().width, 1.0);
}

#[test]
fn ncfs_finds_the_feature_that_says_the_class() {
    let start = FeatureWeights::from_weights(&[1.0; FEATURES], &autodiff(), DType::F32);
    let model = trained(start, NcfsLossConfig::new().init(), -1.0);
    let weights = model.encoder.weights();
    assert!(weights[1..].iter().all(|weight| *weight < weights[0]), "{weights:?}");
}

#[test]
fn lca_is_trained_with_its_length_scales() {
    let config = CoincidenceLossConfig::new().with_local_scales(true).with_targets(2);
    let loss = config.init_for_samples(rows().len(), &autodiff(), DType::F32);
    let before = bits(&loss);
    let model = trained(network(), loss, 0.0);
    let changed = before.iter().zip(bits(&model.objective)).filter(|(a, b)| *a != b).count();
    assert!(changed > 40, "{changed} of 61 numbers");
}

#[test]
fn labels_and_pairs_are_learned_from_together() {
    // Half of the rows have partners of their class.
    let labels = labels();
    let all = (0..30).flat_map(|i| (0..i).map(move |j| (i, j, 1.0)));
    let alike: Vec<_> = all.filter(|&(i, j, _)| labels[i] == labels[j]).collect();
    let pairs = PairIndex::new(&Pairs::new(labels.len(), alike).unwrap(), &Device::flex());
    let pairs = SubsetLoss::new(PairLossConfig::new().init(), pairs);
    let loss = SumLossConfig::new().with_weight(0.1).init(NcaLossConfig::new().init(), pairs);
    // f is a row's probability, and a pair costs at least log n.
    trained(network(), loss, -1.0 + 0.1 * 60f64.ln());
}

#[test]
fn lmnn_and_objectives_of_the_data_set_are_trained_by_batches() {
    let (batch, labels) = (SampleBatcher.batch(rows(), &Device::flex()), labels());
    trained(network(), LargeMarginLossConfig::new().with_neighbors(2).init(), 0.0);
    let targets = TargetNeighbors::new(&batch.x, &labels, 3).unwrap();
    trained(network(), SubsetLoss::new(LargeMarginLossConfig::new().init(), targets), 0.0);

    let pair = |(i, j): (usize, usize)| match labels[i] == labels[j] {
        true => LabeledPair::alike(i, j),
        false => LabeledPair::different(i, j),
    };
    let all = (0..60).flat_map(|i| (0..i).map(move |j| (i, j)));
    let pairs = LabeledPairs::new(60, all.map(pair).collect()).unwrap();
    let pairs = CoincidenceIndex::new(&pairs, &Device::flex());
    let loss = CoincidenceLossConfig::new().init(&pairs, &autodiff(), DType::F32);
    trained(network(), SubsetLoss::new(loss, pairs), 0.0);
}
