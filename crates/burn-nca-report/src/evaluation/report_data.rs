//! Data that a metric is learned from: what is measured of them, how, and in which stages.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Coincidences, Labeled, Pairs, RegressionData, TrainingData};

use super::replay::{self, ReplayRows, Step};
use super::rows::Rows;
use super::sample::Sample;
use super::{classes, numbers, pairs};
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
        let rows = Self::replay_rows(model, rows)?;
        rows.map_or(Ok(None), |rows| replay::replay(model, rows, steps, stages))
    }
}

impl<D: ReportData> Rows<D> {
    /// What is measured; all of a table that is not large.
    fn sample(&self) -> Result<Sample> {
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

impl ReportData for Labeled {
    const FIGURES: &str = "accuracies, f, g, perplexity and the points of the picture";

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation> {
        classes::evaluate(model, rows, &rows.sample()?, stages)
    }

    fn replay_rows<'a>(model: &'a Fitted, rows: &'a Rows<Self>) -> Result<Option<ReplayRows<'a>>> {
        Ok(Some(ReplayRows::of_classes(model, rows, &rows.sample()?)))
    }
}

impl ReportData for RegressionData {
    const FIGURES: &str = "R², errors, perplexity and the picture";

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation> {
        numbers::evaluate(model, rows, &rows.sample()?, stages)
    }

    fn replay_rows<'a>(model: &'a Fitted, rows: &'a Rows<Self>) -> Result<Option<ReplayRows<'a>>> {
        Ok(Some(ReplayRows::of_numbers(model, rows, &rows.sample()?)))
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
        let sample = rows.sample()?;
        pairs::evaluate(model, (rows, &asked(rows, &sample)?), &sample, stages)
    }

    fn replay_rows<'a>(model: &'a Fitted, rows: &'a Rows<Self>) -> Result<Option<ReplayRows<'a>>> {
        Ok(ReplayRows::of_pairs(model, rows, asked(rows, &rows.sample()?)?))
    }
}

/// The pairs that ask for their partners: those of the sample that are held out, or else those learned from.
fn asked(rows: &Rows<Coincidences>, sample: &Sample) -> Result<Pairs> {
    let of_sample: Vec<usize> = sample.train.iter().map(|&at| rows.split.train[at]).collect();
    let (asked, all) = match sample.test.is_empty() {
        true => (&of_sample, &rows.split.train),
        false => (&sample.test, &rows.split.test),
    };
    // Pairs of weight 0 do not ask; should a sample hold no others, all do.
    let asked = rows.data.part(asked).or_else(|_| rows.data.part(all))?;
    Ok(asked.pairs().clone())
}
