//! The report of a fit: what every model tells, around what was found out by what it was learned from.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::evaluate::{Quantiles, Spread};

use super::model_facts;
use super::stages::Stages;
use super::warnings::{about_spread, about_termination};
use crate::process;
use burn_nca_report::{Data, FORMAT, Header, MeasureTable, Report, Results, Tuning, Warning};

/// A fit that ended, and what it was made from.
pub struct FinishedFit<'a> {
    /// The name of the data.
    pub name: &'a str,
    /// The model.
    pub model: &'a Fitted,
    /// The device's name, as the user gave it.
    pub device: &'a str,
    /// The seed of the split and the fit.
    pub seed: u64,
    /// The search that chose the settings, if there was one.
    pub tuning: Option<Tuning>,
    /// What was to be said about the data, and during the fit.
    pub warnings: Vec<Warning>,
    /// What may be left out.
    pub stages: &'a Stages,
}

/// What was found out about the learned metric.
pub struct Evaluation {
    /// The data; the finished fit gives them their name.
    pub data: Data,
    /// The learned metric beside the baselines.
    pub comparison: MeasureTable,
    /// What the learned metric loses beside them, if it does.
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

/// The method of a model as comparisons name it.
pub fn label(model: &Fitted) -> &'static str {
    model.card().method.info().label
}

impl FinishedFit<'_> {
    /// The report.
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn report(&self, found: Evaluation) -> Result<Report> {
        let after = [
            about_termination(self.model.summary().termination),
            about_spread(Spread::of(&found.embedding)?, found.shortfall),
        ];
        let after = found.warnings.into_iter().chain(after.into_iter().flatten());
        let after = after.chain(self.stages.finish());
        let feature_weights = model_facts::feature_weights(self.model);
        Ok(Report {
            weights: feature_weights.ranked(self.model.card().method.info().name),
            header: Header {
                format: FORMAT,
                program: concat!("nca ", env!("CARGO_PKG_VERSION")).to_string(),
                command: process::command_line(),
                seed: self.seed,
                method: label(self.model).to_string(),
                data: Data { name: self.name.to_string(), ..found.data },
                settings: serde_json::to_value(self.model.card())?,
                device: model_facts::device(self.model, self.device),
            },
            run: model_facts::run(self.model),
            warnings: self.warnings.iter().cloned().chain(after).collect(),
            mean_perplexity: Quantiles::of(&found.perplexity).map_or(f64::NAN, |all| all.mean),
            comparison: found.comparison,
            results: found.results,
            feature_weights,
            matrix: model_facts::matrix(self.model),
            curve: model_facts::curve(self.model),
            replay: None,
            tuning: self.tuning.clone(),
        })
    }
}
