//! The training with Burn's `Learner`.

use anyhow::{Context, bail};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::Dataset;
use burn::lr_scheduler::cosine::CosineAnnealingLrSchedulerConfig;
use burn::optim::AdamConfig;
use burn::tensor::Device;
use burn::train::metric::store::{Aggregate, Direction, Split};
use burn::train::metric::{LearningRateMetric, LossMetric};
use burn::train::{Learner, MetricEarlyStoppingStrategy, StoppingCondition, SupervisedTraining};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::{Mlp, save_safetensors};
use burn_nca_learn::objective::{BatchLoss, ClassTarget};
use burn_nca_learn::train::metric::{
    EmbeddingSpread, LeaveOneOutAccuracy, NeighborPerplexity, ReferenceAccuracy, SoftAccuracy,
};
use burn_nca_learn::train::{ClassBalancedLoaderConfig, ReferencedModel, SampleBatcher};

use crate::arguments::Arguments;
use crate::data::Digits;
use crate::lines::Lines;

/// Trains a network with this loss and writes its weights.
pub fn learn<L: BatchLoss<Target = ClassTarget> + 'static>(
    network: Mlp,
    loss: L,
    digits: &Digits,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let model = MetricModel::new(network, loss);
    let model = match arguments.chunk {
        Some(rows) => model.with_chunk(rows),
        None => model,
    };
    let training_samples = digits.training_samples();
    let all = (0..training_samples.len()).map(|row| training_samples.get(row));
    let references = SampleBatcher.batch(all.collect::<Result<_, _>>()?, &Device::flex());
    let train = ClassBalancedLoaderConfig::new(arguments.classes, arguments.samples)
        .with_first_epoch(arguments.resume.unwrap_or(0))
        .build(training_samples, SampleBatcher)?;
    let batches = train.batches_per_epoch();
    let valid = DataLoaderBuilder::new(SampleBatcher)
        .batch_size(256)
        .set_device(Device::flex())
        .build(digits.validation_samples());
    let accuracy = ReferenceAccuracy::new(5);
    let stop = MetricEarlyStoppingStrategy::new(
        &accuracy,
        Aggregate::Mean,
        Direction::Highest,
        Split::Valid,
        StoppingCondition::NoImprovementSince { n_epochs: 8 },
    );
    let mut training = SupervisedTraining::new(&arguments.out, train, valid)
        .metrics((
            LossMetric::new(),
            LeaveOneOutAccuracy::new(5),
            SoftAccuracy::new(),
            NeighborPerplexity::new(),
            EmbeddingSpread::new(),
        ))
        .metric_valid_numeric(accuracy)
        .metric_train_numeric(LearningRateMetric::new())
        .early_stopping(stop)
        .with_default_checkpointers()
        .num_epochs(arguments.epochs)
        .summary();
    if !arguments.dashboard {
        training = training.renderer(Box::new(Lines::default()));
    }
    if let Some(epoch) = arguments.resume {
        training = training.checkpoint(epoch);
    }
    let schedule = CosineAnnealingLrSchedulerConfig::new(1e-2, batches * arguments.epochs)
        .init()
        .map_err(anyhow::Error::msg)?;
    let model = ReferencedModel::new(model, references, 1024);
    let result = training.launch(Learner::new(model, AdamConfig::new().init(), schedule));
    // The dashboard leaves the terminal.
    drop(result.renderer);
    if let Some(error) = result.error {
        bail!("the training ended early: {error}");
    }
    let weights = arguments.out.join("encoder.safetensors");
    save_safetensors(&result.model.model.encoder, &weights).context("the weights")?;
    println!("weights: {}", weights.display());
    Ok(())
}
