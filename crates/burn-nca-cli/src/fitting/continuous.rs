//! The account of a fit without classes: what numbers and pairs have in common.

use anyhow::Result;
use burn::tensor::{DType, Device, Tensor};
use burn_nca::Fitted;
use burn_nca::baseline::{PcaConfig, Projection};
use burn_nca::data::Features;
use burn_nca::evaluate::{Quantiles, Spread, perplexities};

use super::model_facts;
use super::stages::Stages;
use super::warnings::{about_spread, about_termination};
use crate::process;
use crate::report::continuous::{
    ColouredEmbedding, ContinuousData, ContinuousReport, Kind, Measure, MeasureTable, Unit,
};
use crate::report::{FORMAT, Warning};

/// A fit that ended, and what it was made from.
pub struct Outcome<'a> {
    /// The name of the data.
    pub name: &'a str,
    /// The model.
    pub model: &'a Fitted,
    /// The device's name, as the user gave it.
    pub device: &'a str,
    /// The seed of the split and the fit.
    pub seed: u64,
    /// What was to be said about the data.
    pub warnings: Vec<Warning>,
}

/// What was found out about the learnt metric.
pub struct Findings {
    pub kind: Kind,
    /// The method as the comparison names it.
    pub method: &'static str,
    pub data: ContinuousData,
    pub comparison: MeasureTable,
    pub picture: ColouredEmbedding,
    /// The embedding of the training rows, `[n, k]`, in f64 where there is a CPU backend.
    pub embedding: Tensor<2>,
}

impl Outcome<'_> {
    /// The report.
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn report(&self, found: Findings, stages: &Stages) -> Result<ContinuousReport> {
        let perplexity = perplexities(&found.embedding)?;
        let learnt = found.comparison.rows.last().expect("the learnt metric is the last row");
        let warnings = self.warnings(&found, stages)?;
        Ok(ContinuousReport {
            format: FORMAT,
            kind: found.kind,
            program: concat!("nca ", env!("CARGO_PKG_VERSION")).to_string(),
            command: process::command_line(),
            seed: self.seed,
            method: found.method.to_string(),
            data: ContinuousData { name: self.name.to_string(), ..found.data },
            settings: serde_json::to_value(self.model.card())?,
            device: model_facts::device(self.model, self.device),
            run: model_facts::run(self.model),
            warnings,
            value: self.model.summary().value,
            mean_perplexity: Quantiles::of(&perplexity).map_or(f64::NAN, |all| all.mean),
            scores: learnt.clone(),
            comparison: found.comparison,
            feature_weights: model_facts::feature_weights(self.model),
            matrix: model_facts::matrix(self.model),
            curve: model_facts::curve(self.model),
            embedding: found.picture,
        })
    }

    fn warnings(&self, found: &Findings, stages: &Stages) -> Result<Vec<Warning>> {
        let part = if found.data.test > 0 { "test" } else { "train" };
        let key = match found.kind {
            Kind::Numbers => format!("r2_{part}"),
            Kind::Pairs => format!("recall_5_{part}"),
        };
        let after = [
            about_termination(self.model.summary().termination),
            about_spread(Spread::of(&found.embedding)?, found.comparison.shortfall(&key)),
            stages.finish(),
        ];
        Ok(self.warnings.iter().cloned().chain(after.into_iter().flatten()).collect())
    }
}

/// Measures the maps without a target to learn from: Euclidean distance, and PCA in (at most) `dimension`
/// dimensions, as far as the stages admit them.
///
/// # Errors
/// Fewer than two training rows, or what the measure refuses.
pub fn unsupervised<R>(
    train: &Features,
    dimension: usize,
    stages: &Stages,
    measure: impl Fn(&str, &Projection) -> Result<R>,
) -> Result<Vec<R>> {
    let d = train.columns();
    let mut rows = Vec::new();
    if stages.admits("Euclidean distance") {
        rows.push(measure("Euclidean", &Projection::euclidean(d))?);
    }
    if stages.admits("PCA") {
        // n rows span n - 1 directions; more add no distance.
        let k = dimension.min(d).min(train.rows() - 1).max(1);
        rows.push(measure("PCA", &PcaConfig::new(k).fit(train)?.projection)?);
    }
    Ok(rows)
}

/// The rows where a closed form puts them.
///
/// # Errors
/// Other columns than the map's.
pub fn mapped(
    map: &Projection,
    features: &Features,
    (device, dtype): &(Device, DType),
) -> Result<Tensor<2>> {
    Ok(map.apply(features)?.to_tensor(device, *dtype))
}

/// A column of a comparison; its key ends with `_test` where it was measured on what was held out.
pub fn measure(key: &str, label: &str, unit: Unit, more_is_better: bool) -> Measure {
    Measure {
        key: key.to_string(),
        label: label.to_string(),
        unit,
        more_is_better,
        held_out: key.ends_with("_test"),
    }
}
