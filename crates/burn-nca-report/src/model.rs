//! What a report holds.

use burn_nca_learn::fit::SumsSummary;
use serde::{Deserialize, Serialize};

use super::json::{null_as_nan, nulls_as_nan};
use super::number::{counted, percent};
use super::section::Section;
use super::sections::class_scores::ClassTable;
use super::sections::comparison::{MeasureRow, MeasureTable};
use super::sections::confusion::Confusion;
use super::sections::curve::Curve;
use super::sections::explained::{ExplainedClasses, ExplainedNumbers};
use super::sections::labels::ContradictedLabels;
use super::sections::matrix::Matrix;
use super::sections::picture::{ClassMark, Embedding, ValueMark};
use super::sections::replay::Replay;
use super::sections::tuning::Tuning;
use super::sections::weights::{FeatureWeights, RankedFeature};
use super::warning::Warning;

/// The version of `report.json`; it grows when a field changes its name or meaning, not when one is added.
pub const FORMAT: u32 = 1;

/// Everything there is to say about one fit; as JSON, the file `report.json`.
///
/// Accuracies and shares are fractions from 0 to 1, errors are in the units of the target. A number that is not finite
/// is `null` in JSON and NaN when read back; one that was not measured is `null` and `None`. Classes are given by their
/// index in `data.classes`. Field names are stable within one [`FORMAT`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What was fitted, to what and where.
    #[serde(flatten)]
    pub header: Header,
    /// How the solver went.
    #[serde(flatten)]
    pub run: SolverRun,
    /// What to know before trusting the numbers; none in most reports.
    pub warnings: Vec<Warning>,
    /// Mean over the training points of the perplexity: the effective number of neighbors.
    #[serde(deserialize_with = "null_as_nan")]
    pub mean_perplexity: f64,
    /// The learned metric compared with the baselines.
    pub comparison: MeasureTable,
    /// What was found that depends on what was learned from.
    #[serde(flatten)]
    pub results: Results,
    /// The weight of every column; empty for a nonlinear encoder.
    pub feature_weights: FeatureWeights,
    /// The features by weight, largest first, where the method selects features; none for other methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<RankedFeature>,
    /// The learned map A; `None` for a network, and above 40 features or dimensions ([`Matrix::LARGEST`]).
    pub matrix: Option<Matrix>,
    /// The solver's path, first iteration to last.
    pub curve: Curve,
    /// The fit once more, step by step; `None` where nothing was kept of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// The search that chose the settings; `None` when they were given.
    pub tuning: Option<Tuning>,
}

/// What was fitted, to what and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
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
    /// The data the metric was learned from.
    pub data: Data,
    /// The whole configuration as a JSON object; nested settings are shown as `encoder.hidden`.
    pub settings: serde_json::Value,
    /// Where it was computed.
    pub device: DeviceSummary,
}

/// What the data were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data {
    /// A name for the title, such as the file's.
    pub name: String,
    /// Number of rows.
    pub rows: usize,
    /// Number of features.
    pub columns: usize,
    /// How many were learned from of what was split: rows, or pairs.
    pub train: usize,
    /// How many of them were held out.
    pub test: usize,
    /// The name of a numeric target; `None` for classes and pairs.
    pub target: Option<String>,
    /// The classes, in index order; none for numbers and pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassCount>,
    /// Training rows that are alone in their class: no neighbor can be right for them.
    pub without_partner: usize,
    /// Rows (or pairs) held out that are training rows, too: equal in all features.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub test_in_training: usize,
    /// How many were measured, where the table is large; `None` where all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How many rows (or pairs) of a large table were measured, each among all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Of those learned from.
    pub train: usize,
    /// Of those held out.
    pub test: usize,
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

/// What was found, by what was learned from; in JSON the field `kind` and those of the variant, at the top.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Results {
    /// From classes.
    Classes(Box<ClassResults>),
    /// From a numeric target.
    Numbers(ValueResults),
    /// From pairs of rows.
    Pairs(ValueResults),
}

/// What is known of a metric that was learned from classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassResults {
    /// 1-nearest-neighbor accuracy with the learned metric.
    pub accuracy: Accuracy,
    /// f = Σ p_i over the training points: the expected number classified correctly, left out one by one.
    #[serde(deserialize_with = "null_as_nan")]
    pub f: f64,
    /// g = Σ ln p_i over the training points: the log probability that all are classified correctly.
    #[serde(deserialize_with = "null_as_nan")]
    pub g: f64,
    /// The confusion matrix.
    pub confusion: Confusion,
    /// Recall and precision of each class, from the same predictions.
    pub class_scores: ClassTable,
    /// The training rows whose class the others contradict.
    #[serde(default)]
    pub labels: ContradictedLabels,
    /// Held-out rows by the training rows that decided their classes; `None` where nothing was held out, and of a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<ExplainedClasses>,
    /// p_i of every training point: the probability that a neighbor drawn for it is of its class.
    #[serde(deserialize_with = "nulls_as_nan")]
    pub p: Vec<f64>,
    /// Perplexity exp(H_i) of every training point, H_i in nats.
    #[serde(deserialize_with = "nulls_as_nan")]
    pub perplexity: Vec<f64>,
    /// The embedded points.
    pub embedding: Embedding<ClassMark>,
}

/// 1-nearest-neighbor accuracy, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// On the training rows, each left out in turn.
    #[serde(deserialize_with = "null_as_nan")]
    pub train: f64,
    /// On the rows held out, against all training rows; `None` when nothing is held out.
    pub test: Option<f64>,
}

/// What is known of a metric that was learned from numbers or pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueResults {
    /// The penalized objective at the end, a sum over the training rows; smaller is better.
    #[serde(deserialize_with = "null_as_nan")]
    pub value: f64,
    /// What the learned metric reaches: the last row of the comparison.
    pub scores: MeasureRow,
    /// Held-out rows by the training rows that decided their numbers; `None` of pairs, where nothing was held out, and of a
    /// sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<ExplainedNumbers>,
    /// The embedded points.
    pub embedding: Embedding<ValueMark>,
}

impl Report {
    /// The parts that people see, in their order.
    pub fn sections(&self) -> Vec<&dyn Section> {
        let (picture, found): (&dyn Section, Vec<&dyn Section>) = match &self.results {
            Results::Classes(found) => (
                &found.embedding,
                vec![&found.confusion, &found.class_scores, &found.explained, &found.labels],
            ),
            Results::Numbers(found) | Results::Pairs(found) => {
                (&found.embedding, vec![found, &found.explained])
            }
        };
        let first: [&dyn Section; 3] = [picture, &self.replay, &self.comparison];
        let last: [&dyn Section; 4] =
            [&self.feature_weights, &self.matrix, &self.curve, &self.tuning];
        first.into_iter().chain(found).chain(last).collect()
    }
}

impl Results {
    /// What is split and held out.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Classes(_) | Self::Numbers(_) => "row",
            Self::Pairs(_) => "pair",
        }
    }
}

/// How the solver went and what it took; its fields are at the top level of every report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverRun {
    /// Why the solver stopped, as the library names it, such as `GradientSmall`.
    pub termination: String,
    /// The same as a sentence for people.
    pub termination_sentence: String,
    /// Whether the solver reached an optimum, rather than a limit or a failure.
    pub converged: bool,
    /// Whether the model is the start of a gradient method, or a closed form: no gradient step was taken.
    #[serde(default)]
    pub without_steps: bool,
    /// Steps of the solver.
    pub iterations: u64,
    /// Evaluations of the objective, line searches included.
    pub evaluations: u64,
    /// Wall-clock time of the fit, in seconds.
    #[serde(deserialize_with = "null_as_nan")]
    pub seconds: f64,
    /// When it ended, such as `2026-01-31 12:00 UTC`.
    pub ended: Option<String>,
    /// How sums over pairs were computed at the end; `None` where a method has none.
    pub sums: Option<SumsSummary>,
    /// The mean share of p that the nearest candidates of the last epoch omitted; `None` where no such were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<f64>,
    /// Largest resident memory of the process, in bytes, where the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

impl SolverRun {
    pub(crate) fn omitted_text(&self) -> Option<String> {
        let omitted = self.omitted?;
        Some(format!("nearest, which omit {} of p in the last epoch", percent(Some(omitted))))
    }

    pub(crate) fn sums_text(&self) -> Option<String> {
        Some(match self.sums.as_ref()? {
            SumsSummary::Plain => "plain".to_owned(),
            SumsSummary::Fused => "fused".to_owned(),
            SumsSummary::Fourier { tolerance, exact_rows } => {
                let rows = counted(*exact_rows, "row");
                format!("Fourier series, tolerance {tolerance:e}, {rows} summed exactly")
            }
        })
    }
}
