//! Data that a metric is learned from: what is measured of them, and how.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Coincidences, Labeled, Pairs, RegressionData, TrainingData};

use super::replay::{self, ReplayRows, Step};
use super::rows::Rows;
use super::sample::Sample;
use super::{Evaluation, Stages, classes, numbers, pairs};
use crate::{Replay, Warning};

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
