//! The rows of a fit, whatever was learned from: those learned from, those held out, and what is measured of them.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{
    Coincidences, Labeled, RegressionData, Scaling, Split, TrainingData, WithoutClass,
};

use super::pairs::{self, PairParts};
use super::replay::{self, ReplayRows, Step};
use super::sample::Sample;
use super::sampled_rows::SampledRows;
use super::{Evaluation, Stages, classes, numbers};
use crate::{Replay, Warning};

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

impl<D: ReportData> Rows<D> {
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

    /// What is measured; all of a table that is not large.
    fn sample(&self) -> Result<Sample> {
        let features = self.data.features().columns();
        Sample::of(&self.split, [D::references(self), features], self.seed)
    }

    /// The rows with what is measured of them.
    pub(super) fn sampled<'a>(&'a self, sample: &'a Sample) -> SampledRows<'a, D> {
        let Self { data, split, train, without_class, neighbors, .. } = self;
        let (without_class, neighbors) = (without_class.as_ref(), *neighbors);
        SampledRows { data, split, train, sample, without_class, neighbors }
    }

    /// Says that what is measured is a sample, if it is.
    ///
    /// # Errors
    /// None that a split leads to.
    pub fn remark(&self) -> Result<Option<Warning>> {
        Ok(self.sample()?.remark(D::FIGURES, D::NOUN))
    }
}

/// Data that a metric is learned from and measured on.
pub trait ReportData: TrainingData {
    /// What is measured on a sample of a large table.
    const FIGURES: &str;

    /// What is split.
    const NOUN: &str = "row";

    /// How many rows each that is measured is compared with.
    fn references(rows: &Rows<Self>) -> usize {
        rows.split.train.len()
    }

    /// A model compared with the baselines.
    ///
    /// # Errors
    /// k above the training rows, or an embedding that is not finite.
    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation>;

    /// The rows of a replay; `None` where nothing tells the fit once more.
    ///
    /// # Errors
    /// None that a split leads to.
    fn replay_rows<'a>(model: &'a Fitted, rows: &'a Rows<Self>) -> Result<Option<ReplayRows<'a>>>;

    /// The fit once more, from some of its steps; `None` where these do not tell it, or where the stages end before.
    ///
    /// # Errors
    /// An embedding that is not finite.
    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        (steps, stages): (&[Step], &dyn Stages),
    ) -> Result<Option<Replay>> {
        match Self::replay_rows(model, rows)? {
            Some(rows) => replay::replay(model, rows, steps, stages),
            None => Ok(None),
        }
    }
}

impl ReportData for Labeled {
    const FIGURES: &str = "accuracies, f, g, perplexity and the points of the picture";

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation> {
        let sample = rows.sample()?;
        classes::evaluate(model, &rows.sampled(&sample), stages)
    }

    fn replay_rows<'a>(model: &'a Fitted, rows: &'a Rows<Self>) -> Result<Option<ReplayRows<'a>>> {
        let sample = rows.sample()?;
        Ok(Some(ReplayRows::of_classes(model, &rows.sampled(&sample))))
    }
}

impl ReportData for RegressionData {
    const FIGURES: &str = "R², errors, perplexity and the picture";

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation> {
        let sample = rows.sample()?;
        numbers::evaluate(model, &rows.sampled(&sample), stages)
    }

    fn replay_rows<'a>(model: &'a Fitted, rows: &'a Rows<Self>) -> Result<Option<ReplayRows<'a>>> {
        let sample = rows.sample()?;
        Ok(Some(ReplayRows::of_numbers(model, &rows.sampled(&sample))))
    }
}

impl ReportData for Coincidences {
    const FIGURES: &str = "ranks, perplexity and the picture";
    const NOUN: &str = "pair";

    /// Each end of a pair is compared with all rows.
    fn references(rows: &Rows<Self>) -> usize {
        2 * rows.data.features().rows()
    }

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation> {
        pairs::evaluate(model, &rows.data, &pair_parts(rows)?, stages)
    }

    fn replay_rows<'a>(model: &'a Fitted, rows: &'a Rows<Self>) -> Result<Option<ReplayRows<'a>>> {
        Ok(ReplayRows::of_pairs(model, &rows.data, pair_parts(rows)?))
    }
}

/// The pairs that were learned from, and those that are measured.
///
/// # Errors
/// None that a split leads to.
fn pair_parts(rows: &Rows<Coincidences>) -> Result<PairParts> {
    let sample = rows.sample()?;
    let of_sample: Vec<usize> = sample.train.iter().map(|&at| rows.split.train[at]).collect();
    let (asked, all) = match sample.test.is_empty() {
        true => (&of_sample, &rows.split.train),
        false => (&sample.test, &rows.split.test),
    };
    // Pairs of weight 0 do not ask; should a sample hold no others, all do.
    let asked = rows.data.part(asked).or_else(|_| rows.data.part(all))?;
    Ok(PairParts {
        train: rows.train.pairs().clone(),
        test: rows.split.test.len(),
        asked: asked.pairs().clone(),
        measured: sample.measured(),
        seed: rows.seed,
    })
}
