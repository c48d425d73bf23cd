//! Data for the blocks that run.

use acceptance::data::lbfgs;
use burn::tensor::Device;
use burn_nca_learn::data::{Labeled, RegressionData, stratified_split};
use burn_nca_learn::fit::FitConfig;
use burn_nca_learn::{Fitted, NcaConfig};

/// Wine: 70 % to train on, the rest to test on.
pub fn train_and_test() -> (Labeled, Labeled) {
    let data = burn_nca_data::bundled::wine();
    let split = stratified_split(data.labels(), 0.3, 0).unwrap();
    (data.select(&split.train), data.select(&split.test))
}

/// Wine with its first column as the number to predict.
pub fn measured() -> RegressionData {
    let (train, _) = train_and_test();
    let alcohol = (0..train.rows()).map(|row| train.features().row(row)[0]).collect();
    RegressionData::new(train.features().clone(), "alcohol", alcohol).unwrap()
}

/// A few steps of a fit in two dimensions.
pub fn fitted(train: &Labeled, device: &Device) -> Fitted {
    let fit = FitConfig::new().with_optimizer(lbfgs(5));
    NcaConfig::new(13, 2).with_fit(fit).fit(train, device).unwrap()
}
