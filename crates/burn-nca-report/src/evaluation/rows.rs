//! The rows of a fit, whatever was learned from: those learned from and those held out.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Scaling, Split, TrainingData, WithoutClass};

use super::repeats::Seen;
use super::sample::Sample;
use crate::{Data, Warning};

/// The k of k-NN where none is given.
const NEIGHBORS: usize = 5;

/// All rows of a fit on one scale, and which of them (or of their pairs) are learned from.
pub struct Rows<D> {
    /// All rows.
    pub data: D,
    /// Which of them are learned from, and which are held out.
    pub split: Split,
    /// The part that is learned from. What is computed of it once, its copies share.
    pub train: D,
    /// The rows without a class, to be drawn.
    pub without_class: Option<WithoutClass>,
    /// The k of k-NN; of no use to pairs.
    pub neighbors: usize,
    /// The seed of everything random.
    pub seed: u64,
}

impl<D: TrainingData> Rows<D> {
    /// The rows of a split on the scale of a model of its training rows, without those of weight 0; k is 5, or the number of
    /// training rows where they are fewer.
    ///
    /// # Errors
    /// Other columns than the model's.
    pub fn of(model: &Fitted, data: D, mut split: Split) -> Result<Self> {
        if let Some(counting) = data.counting() {
            let counts = |row: &usize| counting.binary_search(row).is_ok();
            split.train.retain(counts);
            split.test.retain(counts);
        }
        let neighbors = split.train.len().min(NEIGHBORS);
        let train = data.part(&split.train)?;
        let rows = Self::new(data, (split, train), 0).scaled(model.scaling())?;
        Ok(Self { neighbors, ..rows })
    }

    /// All rows of a split, whose training part is `train`, under a seed.
    pub fn new(data: D, (split, train): (Split, D), seed: u64) -> Self {
        Self { data, split, train, without_class: None, neighbors: 0, seed }
    }

    /// The rows on one scale, in the place of those that were read.
    ///
    /// # Errors
    /// Other columns than those of the scaling.
    pub fn scaled(self, scaling: &Scaling) -> Result<Self> {
        let Self { mut data, split, train, without_class, neighbors, seed } = self;
        // From here on there is one table, the scaled one.
        drop(train);
        data.scale(scaling)?;
        let train = data.part(&split.train)?;
        Ok(Self { data, split, train, without_class, neighbors, seed })
    }

    /// How many of the rows held out are training rows, too, and what to know of it; `score` is that of what is predicted
    /// and true of the others.
    pub(super) fn seen<T: Copy>(
        &self,
        (sample, of_test): (&Sample, [&[T]; 2]),
        score: impl Fn(&[T], &[T]) -> Option<String>,
    ) -> (usize, Vec<Warning>) {
        let seen = Seen::of_test(self.data.features(), &self.split, self.train.features());
        let warning = seen.warning(|others| {
            let (predicted, truth) = sample.of_test(&self.split, others, of_test);
            score(&predicted, &truth)
        });
        (seen.count(), warning.into_iter().collect())
    }

    pub(super) fn about(&self, sample: &Sample) -> Data {
        Data {
            rows: self.data.features().rows(),
            columns: self.data.features().columns(),
            train: self.split.train.len(),
            test: self.split.test.len(),
            measured: sample.measured(),
            ..Data::default()
        }
    }
}
