//! The rows of a fit, and which of them are measured.

use burn_nca_learn::data::{Split, TrainingData, WithoutClass};

use super::sample::Sample;
use crate::Data;

/// All rows, which of them were learned from and which are measured, and the k of k-NN.
pub struct SampledRows<'a, D> {
    pub data: &'a D,
    pub split: &'a Split,
    /// The rows that were learned from.
    pub train: &'a D,
    pub sample: &'a Sample,
    /// The rows without a class, which are drawn alone.
    pub without_class: Option<&'a WithoutClass>,
    pub neighbors: usize,
}

impl<D: TrainingData> SampledRows<'_, D> {
    /// What is said of any data.
    pub fn about(&self) -> Data {
        Data {
            rows: self.data.features().rows(),
            columns: self.data.features().columns(),
            train: self.split.train.len(),
            test: self.split.test.len(),
            measured: self.sample.measured(),
            ..Data::default()
        }
    }

    /// Those of some rows held out, by their places among these, that are in the sample: predicted and true.
    pub fn of_test<T: Copy>(
        &self,
        some: &[usize],
        [predicted, truth]: [&[T]; 2],
    ) -> (Vec<T>, Vec<T>) {
        let places = self.sample.test_places(self.split);
        let measured = places.zip(predicted.iter().copied().zip(truth.iter().copied()));
        measured
            .filter(|(place, _)| some.binary_search(place).is_ok())
            .map(|(_, pair)| pair)
            .unzip()
    }
}
