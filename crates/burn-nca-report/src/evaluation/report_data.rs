//! Data that a metric is learned from: what is measured of them, how, and in which stages.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::TrainingData;

use super::replay::Step;
use super::rows::Rows;
use super::sample::Sample;
use crate::{Data, MeasureTable, Replay, Results, Warning};

/// The evaluation of a model.
pub struct Evaluation {
    /// The data, without a name.
    pub data: Data,
    /// The model compared with the baselines.
    pub comparison: MeasureTable,
    /// What the model loses against them, if it does.
    pub shortfall: Option<String>,
    /// What to know before trusting the scores.
    pub warnings: Vec<Warning>,
    /// What depends on what was learned from.
    pub results: Results,
    /// The embedding of the training rows, of those that were measured at least, `[n, k]`; in f64 where there is a CPU
    /// backend.
    pub embedding: Tensor<2>,
    /// The perplexity of each of them.
    pub perplexity: Vec<f64>,
}

/// What a caller shows of an evaluation, and what it leaves out; by default nothing.
pub trait Stages {
    /// Names the stage that begins.
    fn announce(&self, _stage: &str) {}

    /// Whether the comparison with a baseline takes place.
    fn admits(&self, _method: &str) -> bool {
        true
    }

    /// Whether the replay of a fit continues with `step`, from 1, of so many; without one of them there is none.
    fn admits_replay(&self, _step: usize, _steps: usize) -> bool {
        true
    }
}

/// All stages, without a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllStages;

impl Stages for AllStages {}

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

    /// The fit once more, from some of its steps; `None` where these do not tell it, or where the stages end before.
    ///
    /// # Errors
    /// An embedding that is not finite.
    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        steps: (&[Step], &dyn Stages),
    ) -> Result<Option<Replay>>;
}

impl<D: ReportData> Rows<D> {
    /// What is measured; all of a table that is not large.
    pub(super) fn sample(&self) -> Result<Sample> {
        let features = self.data.features().columns();
        Sample::of(&self.split, [D::references(self), features], self.seed)
    }

    /// Says that what is measured is a sample, if it is.
    ///
    /// # Errors
    /// None that a split leads to.
    pub fn remark(&self) -> Result<Option<Warning>> {
        Ok(self.sample()?.remark(D::FIGURES, D::NOUN))
    }
}
