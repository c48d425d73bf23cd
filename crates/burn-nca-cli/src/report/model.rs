use serde::{Deserialize, Serialize};

use super::confusion::Confusion;
use super::findings::{Comparison, CurvePoint, Embedding, FeatureWeight, Matrix};
use super::json::{null_as_nan, nulls_as_nan};
use super::solver::SolverRun;
use super::tuning::Tuning;
use super::warning::Warning;

/// The version of `report.json`; it grows when a field changes its name or meaning, not when one is added.
pub const FORMAT: u32 = 1;

/// Everything there is to say about one fit; as JSON, the file `report.json`.
///
/// Accuracies and shares are fractions from 0 to 1. A number that is not finite is `null` in JSON and NaN
/// when read back; a number that was not measured is `null` and `None`. Classes are given by their index in
/// `data.classes`. Field names are stable within one [`FORMAT`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this format, [`FORMAT`].
    pub format: u32,
    /// The program that wrote the report, with its version, such as `nca 0.1.0`.
    pub program: String,
    /// The command line that made the fit; running it again gives the same numbers.
    pub command: String,
    /// The seed of every random choice of the fit.
    pub seed: u64,
    /// The method as the comparison names it, such as `NCA`.
    pub method: String,
    /// The data the metric was learnt from.
    pub data: DataSummary,
    /// The whole configuration as a JSON object; nested settings are shown as `encoder.hidden`.
    pub settings: serde_json::Value,
    /// Where it was computed.
    pub device: DeviceSummary,
    /// 1-nearest-neighbour accuracy with the learnt metric.
    pub accuracy: Accuracy,
    /// How the solver went.
    #[serde(flatten)]
    pub run: SolverRun,
    /// What to know before trusting the numbers; none in most reports.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// f = Σ p_i over the training points: the expected number classified correctly, left out one by one.
    #[serde(deserialize_with = "null_as_nan")]
    pub f: f64,
    /// g = Σ ln p_i over the training points: the log probability that all are classified correctly.
    #[serde(deserialize_with = "null_as_nan")]
    pub g: f64,
    /// Mean over the training points of the perplexity: the effective number of neighbours.
    #[serde(deserialize_with = "null_as_nan")]
    pub mean_perplexity: f64,
    /// The learnt metric beside the baselines, in the order to show them.
    pub comparison: Comparison,
    /// Which true class was taken for which; `None` when it was not computed.
    pub confusion: Option<Confusion>,
    /// The weight of every column; empty for a nonlinear encoder.
    pub feature_weights: Vec<FeatureWeight>,
    /// The learnt map A; `None` for a network, and above 40 features or dimensions ([`Matrix::LARGEST`]).
    pub matrix: Option<Matrix>,
    /// The solver's path, first iteration to last.
    pub curve: Vec<CurvePoint>,
    /// p_i of every training point: the probability that a neighbour drawn for it is of its class.
    #[serde(deserialize_with = "nulls_as_nan")]
    pub p: Vec<f64>,
    /// Perplexity exp(H_i) of every training point, H_i in nats.
    #[serde(deserialize_with = "nulls_as_nan")]
    pub perplexity: Vec<f64>,
    /// The embedded points; `None` when there is no picture to draw.
    pub embedding: Option<Embedding>,
    /// The search that chose the settings; `None` when they were given.
    #[serde(default)]
    pub tuning: Option<Tuning>,
}

/// What the data were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSummary {
    /// A name for the title, such as the file's.
    pub name: String,
    /// Number of rows, training and held out together.
    pub rows: usize,
    /// Number of features.
    pub columns: usize,
    /// The classes, in index order.
    pub classes: Vec<ClassCount>,
    /// Training rows that are alone in their class: no neighbour can be right for them.
    pub without_partner: usize,
}

impl DataSummary {
    /// Number of training rows.
    pub fn train(&self) -> usize {
        self.classes.iter().map(|class| class.train).sum()
    }

    /// Number of rows held out.
    pub fn test(&self) -> usize {
        self.classes.iter().map(|class| class.test).sum()
    }
}

/// One class and its rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCount {
    /// The class's name.
    pub name: String,
    /// Its training rows.
    pub train: usize,
    /// Its rows held out.
    pub test: usize,
}

/// Where the fit was computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceSummary {
    /// The device, such as `cpu` or `cuda:0`.
    pub name: String,
    /// The Burn backend, such as `flex`.
    pub backend: String,
    /// The element type, such as `f64`.
    pub dtype: String,
}

/// 1-nearest-neighbour accuracy, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// On the training rows, each left out in turn.
    #[serde(deserialize_with = "null_as_nan")]
    pub train: f64,
    /// On the rows held out, against all training rows; `None` when nothing is held out.
    pub test: Option<f64>,
}
