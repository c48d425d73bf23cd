//! What a user does with `SupervisedTraining`, each in a tiny run.

use burn::data::dataloader::batcher::Batcher;
use burn::lr_scheduler::cosine::CosineAnnealingLrSchedulerConfig;
use burn::module::Module;
use burn::optim::AdamConfig;
use burn::tensor::{Device, Tensor};
use burn::train::metric::LossMetric;
use burn::train::metric::store::{Aggregate, Direction, Split};
use burn::train::{Learner, MetricEarlyStoppingStrategy, StoppingCondition, SupervisedTraining};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Encoder, Mlp};
use burn_nca_learn::objective::{
    BatchLoss, NcaLossConfig, ProxyNcaLoss, ProxyNcaLossConfig, SupConLossConfig,
};
use burn_nca_learn::train::metric::{
    EmbeddingSpread, LeaveOneOutAccuracy, NeighborPerplexity, ReferenceAccuracy, SoftAccuracy,
};
use burn_nca_learn::train::{ReferencedModel, SampleBatcher};

use crate::setup::{balanced, bits, in_order, model, samples, training};

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
        training(folder.path(), balanced(samples(40, 5), 0), in_order(samples(20, 6), 20))
            .num_epochs(2)
            .launch(Learner::new(model, AdamConfig::new().init(), 1e-3))
            .model
    };
    let (whole, chunked) = (trained(None), trained(Some(5)));
    let x =
        Tensor::<2>::from_floats([[0.1, -0.4, 0.7, 0.2], [0.9, 0.3, -0.2, 0.5]], &Device::flex());
    let difference = whole.encoder.forward(x.clone()) - chunked.encoder.forward(x);
    assert!(difference.abs().max().into_scalar::<f64>() < 1e-4);
}

#[test]
fn proxies_are_trained_with_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(ProxyNcaLossConfig::new(3, 2).init(&Device::flex().autodiff()));
    let (before, rows) = (model.clone(), samples(60, 7));
    let result = training(folder.path(), balanced(rows.clone(), 0), in_order(rows.clone(), 60))
        .num_epochs(3)
        .launch(Learner::new(model, AdamConfig::new().init(), 1e-2));
    let after = result.model;
    assert_ne!(bits(&before.objective), bits(&after.objective));
    let batch = SampleBatcher.batch(rows, &Device::flex());
    let loss = |model: &MetricModel<Mlp, ProxyNcaLoss>| {
        let embeddings = model.encoder.forward(batch.x.clone());
        model.objective.batch_loss(embeddings, &batch.target).into_scalar::<f64>()
    };
    assert!(loss(&after) < loss(&before.valid()));
}
