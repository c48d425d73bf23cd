//! What `crates/burn-nca-learn/README.md` shows of Burn's `Learner`.

use burn::data::dataloader::DataLoaderBuilder;
use burn::optim::AdamConfig;
use burn::train::metric::LossMetric;
use burn::train::{Learner, SupervisedTraining};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::Labeled;
use burn_nca_learn::encoder::Mlp;
use burn_nca_learn::objective::NcaLossConfig;
use burn_nca_learn::train::metric::{EmbeddingSpread, LeaveOneOutAccuracy};
use burn_nca_learn::train::{ClassBalancedLoaderConfig, SampleBatcher, samples};

fn library(network: Mlp, train: Labeled, valid: Labeled) -> burn_nca_learn::Result<()> {
    let model = MetricModel::new(network, NcaLossConfig::new().init()); // any Encoder, any BatchLoss
    let train = ClassBalancedLoaderConfig::new(10, 12).build(samples(&train), SampleBatcher)?; // 10 classes, 12 rows each
    let valid = DataLoaderBuilder::new(SampleBatcher).batch_size(256).build(samples(&valid));
    let result = SupervisedTraining::new("runs/mine", train, valid)
        .metrics((LossMetric::new(), LeaveOneOutAccuracy::new(5), EmbeddingSpread::new()))
        .with_default_checkpointers()
        .num_epochs(20)
        .launch(Learner::new(model, AdamConfig::new().init(), 1e-2));
    Ok(())
}
