//! What `crates/burn-nca/README.md`, the guide and `examples/train-with-burn/README.md` show of Burn's `Learner`.

use burn::data::dataloader::DataLoader;
use burn::data::dataloader::DataLoaderBuilder;
use burn::optim::AdamConfig;
use burn::tensor::Device;
use burn::train::metric::LossMetric;
use burn::train::{Learner, SupervisedTraining};
use burn_nca::MetricModel;
use burn_nca::data::Labeled;
use burn_nca::encoder::Mlp;
use burn_nca::objective::NcaLossConfig;
use burn_nca::train::metric::{EmbeddingSpread, LeaveOneOutAccuracy};
use burn_nca::train::{ClassBalancedLoaderConfig, SampleBatch, SampleBatcher, samples};
use std::sync::Arc;

fn library(
    network: Mlp,
    train: Labeled,
    valid: Arc<dyn DataLoader<SampleBatch>>,
) -> burn_nca::Result<()> {
    let model = MetricModel::new(network, NcaLossConfig::new().init()); // any Encoder, any BatchLoss
    let train = ClassBalancedLoaderConfig::new(10, 12).build(samples(&train), SampleBatcher)?; // 10 classes, 12 rows each
    let result = SupervisedTraining::new("runs/mine", train, valid)
        .metrics((LossMetric::new(), LeaveOneOutAccuracy::new(5), EmbeddingSpread::new()))
        .num_epochs(20)
        .launch(Learner::new(model, AdamConfig::new().init(), 1e-2));
    Ok(())
}

fn example(network: Mlp, train: Labeled, valid: Labeled) -> burn_nca::Result<()> {
    let model = MetricModel::new(network, NcaLossConfig::new().init());
    let train = ClassBalancedLoaderConfig::new(10, 12).build(samples(&train), SampleBatcher)?;
    let valid = DataLoaderBuilder::new(SampleBatcher).batch_size(256).build(samples(&valid));
    let result = SupervisedTraining::new("runs/mine", train, valid)
        .metrics((LossMetric::new(), LeaveOneOutAccuracy::new(5), EmbeddingSpread::new()))
        .with_default_checkpointers()
        .num_epochs(20)
        .launch(Learner::new(model, AdamConfig::new().init(), 1e-2));
    Ok(())
}

fn balanced_batches(train: Labeled) -> burn_nca::Result<()> {
    use burn_nca::train::{ClassBalancedLoaderConfig, SampleBatcher, samples};

    // 20 classes with 8 rows each: batches of 160 rows, each with 7 partners.
    let loader = ClassBalancedLoaderConfig::new(20, 8).build(samples(&train), SampleBatcher)?;
    Ok(())
}

fn chunks(network: Mlp) {
    use burn_nca::MetricModel;
    use burn_nca::objective::NcaLossConfig;

    let model = MetricModel::new(network, NcaLossConfig::new().init()).with_chunk(64);
}

mod memory {
    use super::*;
    use burn_nca::objective::{MemoryLoss, NcaLoss};

    fn step(mut model: MetricModel<Mlp, MemoryLoss<NcaLoss>>, device: Device) {
        use burn_nca::objective::{BatchLoss, MemoryLossConfig, NcaLossConfig};

        let loss = MemoryLossConfig::new(2000, 8)
            .with_warm_up(50)
            .init(NcaLossConfig::new().init(), &device);
        // in a loop of your own, after each step of the optimizer (Burn's Learner does it by itself):
        model.objective = model.objective.after_step();
    }
}
