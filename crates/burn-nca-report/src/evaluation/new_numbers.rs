//! Every measure of a model of numbers on rows with a target.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, RegressionData};
use burn_nca_learn::estimator::Decision;
use burn_nca_learn::evaluate::{RegressionScores, Spread};
use burn_nca_program::terminal::{Terminal, wrapped};
use burn_nca_program::{plain_table, short_name};
use serde::Serialize;

use super::numbers::r2_and_rmse;
use super::repeats::Seen;
use super::warnings::about_spread;
use crate::number::ascii;
use crate::{Warning, counted};

/// The scores of a model of numbers on rows with a target.
#[derive(Debug, Serialize)]
pub struct NewNumberScores {
    /// Number of rows.
    pub rows: usize,
    /// The name of the target.
    pub target: String,
    /// The k of k-NN.
    pub neighbors: usize,
    /// How the model predicts.
    pub decision: Decision,
    /// By the mean of the k nearest training rows.
    pub knn: NumberScores,
    /// By the kernel rule.
    pub kernel: NumberScores,
    /// What to know before trusting the numbers.
    pub warnings: Vec<Warning>,
    /// What the kernel rule predicts of each row.
    #[serde(skip)]
    pub predicted: Vec<f64>,
}

/// Errors in the units of the target.
#[derive(Debug, Serialize)]
pub struct NumberScores {
    /// R².
    pub r2: Option<f64>,
    /// The root of the mean squared error.
    pub rmse: Option<f64>,
    /// The mean absolute error.
    pub mae: Option<f64>,
}

impl From<RegressionScores> for NumberScores {
    fn from(scores: RegressionScores) -> Self {
        Self { r2: scores.r2(), rmse: scores.rmse(), mae: scores.mae() }
    }
}

impl NewNumberScores {
    /// Every measure by both rules.
    ///
    /// # Errors
    /// Columns that are not the model's, or k above the training rows.
    pub fn of(model: &Fitted, data: &RegressionData, k: usize) -> Result<Self> {
        let (features, truth) = (data.features(), data.targets().values());
        let predicted = model.predict_kernel(features)?;
        Ok(Self {
            rows: data.rows(),
            target: data.targets().names()[0].clone(),
            neighbors: k,
            decision: model.decision(),
            knn: RegressionScores::of(&model.predict_numbers(features, k)?, truth)?.into(),
            kernel: RegressionScores::of(&predicted, truth)?.into(),
            warnings: about_spread(Spread::of(model.references())?, None).into_iter().collect(),
            predicted,
        })
    }

    /// Warns of rows that are among the training rows, `train` where these are at hand, and of rows that occur more
    /// than once.
    ///
    /// # Errors
    /// As [`Seen::of_embedding`].
    pub fn warn_of_copies(
        &mut self,
        learned: (&Fitted, Option<&Features>),
        data: &RegressionData,
    ) -> Result<()> {
        let rows = (data.features(), [&self.predicted[..], data.targets().values()]);
        self.warnings.extend(Seen::warnings_of(learned, rows, r2_and_rmse)?);
        Ok(())
    }

    /// The scores for people.
    pub fn text(&self, terminal: Terminal) -> String {
        let number = |value: Option<f64>| value.map_or("-".to_string(), |value| ascii(value, 4));
        let row = |rule: String, scores: &NumberScores| {
            vec![rule, number(scores.r2), number(scores.rmse), number(scores.mae)]
        };
        let target = short_name(&self.target);
        let table = plain_table(
            ["rule", "R2", "RMSE", "MAE"].map(String::from).to_vec(),
            vec![
                row(format!("{}-NN", self.neighbors), &self.knn),
                row("kernel".to_string(), &self.kernel),
            ],
            terminal,
        );
        let decision = match self.decision {
            Decision::Soft => "kernel".to_string(),
            nearest => nearest.to_string(),
        };
        let about = format!(
            "{}, target {target}; the model predicts by the rule {decision}",
            counted(self.rows, "row")
        );
        let meaning = format!(
            "R2: 1 is best, 0 is the mean of these rows. RMSE and MAE: errors in the units of {target}."
        );
        format!("{}\n{table}\n{}", wrapped(&about, terminal), wrapped(&meaning, terminal))
    }
}
