//! The bundled digits as Burn datasets: pixels from 0 to 1, 30 % of each class for validation.

use burn::data::dataset::InMemDataset;
use burn_nca_data::bundled;
use burn_nca_learn::data::{Features, Labeled, stratified_split};
use burn_nca_learn::train::{Sample, samples};

pub struct Digits {
    pub train: Labeled,
    pub valid: Labeled,
}

impl Digits {
    pub fn load() -> burn_nca_learn::Result<Self> {
        let all = bundled::digits();
        let pixels = all.features().values().iter().map(|pixel| pixel / 16.0).collect();
        let names = all.features().names().to_vec();
        let all = all.with_features(Features::new(pixels, names)?)?;
        let split = stratified_split(all.labels(), 0.3, 0)?;
        Ok(Self { train: all.select(&split.train), valid: all.select(&split.test) })
    }

    pub fn training_samples(&self) -> InMemDataset<Sample> {
        samples(&self.train)
    }

    pub fn validation_samples(&self) -> InMemDataset<Sample> {
        samples(&self.valid)
    }
}
