//! The report of a fit without classes: to a numeric target, or to pairs of rows.
//!
//! As the report of classes it is one set of numbers with three renderings: `report.json`, `report.html`
//! and standard output.

#[cfg(test)]
mod example;
mod measures;
pub mod page;
pub mod table;
mod verdict;

use anyhow::Result;
use serde::{Deserialize, Serialize};

pub use measures::{Measure, MeasureRow, MeasureTable, Unit};

use super::json::null_as_nan;
use super::{CurvePoint, DeviceSummary, FeatureWeight, Matrix, Part, SolverRun, Warning};

/// What the metric was learnt from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A numeric target.
    Numbers,
    /// Pairs of rows.
    Pairs,
}

/// Everything there is to say about one fit without classes; as JSON, the file `report.json`.
///
/// Shares and R² are fractions; errors are in the units of the target. A number that was not measured is
/// left out or `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContinuousReport {
    /// Version of this format, [`FORMAT`](super::FORMAT).
    pub format: u32,
    /// What the metric was learnt from.
    pub kind: Kind,
    /// The program that wrote the report, with its version.
    pub program: String,
    /// The command line that made the fit.
    pub command: String,
    /// The seed of every random choice of the fit.
    pub seed: u64,
    /// The method as the comparison names it, such as `MLKR`.
    pub method: String,
    /// The data the metric was learnt from.
    pub data: ContinuousData,
    /// The whole configuration as a JSON object.
    pub settings: serde_json::Value,
    /// Where it was computed.
    pub device: DeviceSummary,
    /// How the solver went.
    #[serde(flatten)]
    pub run: SolverRun,
    /// What to know before trusting the numbers; none in most reports.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// The penalised objective at the end, a sum over the training rows; smaller is better.
    #[serde(deserialize_with = "null_as_nan")]
    pub value: f64,
    /// Mean over the training points of the perplexity: the effective number of neighbours.
    #[serde(deserialize_with = "null_as_nan")]
    pub mean_perplexity: f64,
    /// What the learnt metric reaches: the last row of the comparison.
    pub scores: MeasureRow,
    /// The learnt metric beside the baselines, in the order to show them.
    pub comparison: MeasureTable,
    /// The weight of every column; empty for a nonlinear encoder.
    pub feature_weights: Vec<FeatureWeight>,
    /// The learnt map A; `None` for a network, and above 40 features or dimensions ([`Matrix::LARGEST`]).
    pub matrix: Option<Matrix>,
    /// The solver's path, first iteration to last.
    pub curve: Vec<CurvePoint>,
    /// The embedded points.
    pub embedding: ColouredEmbedding,
}

/// What the data were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContinuousData {
    /// A name for the title, such as the file's.
    pub name: String,
    /// Number of rows.
    pub rows: usize,
    /// Number of features.
    pub columns: usize,
    /// What was split into a training part and one held out: rows, or pairs.
    pub train: usize,
    /// How many of them were held out.
    pub test: usize,
    /// The name of the target; `None` for pairs.
    pub target: Option<String>,
}

/// The points where the learnt map puts them, in one or two dimensions, each with a value for its colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColouredEmbedding {
    /// Dimensions k of the learnt space.
    pub dimension: usize,
    /// For k > 2: the share of the embedding's variance in the two principal axes shown.
    pub variance_share: Option<f64>,
    /// What the colours tell: the target's name, or `row`.
    pub colour: String,
    /// The points.
    pub points: Vec<ColouredPoint>,
    /// Pairs of points to join, by their place in `points`.
    pub links: Vec<[usize; 2]>,
}

/// One row of the data in the learnt space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColouredPoint {
    /// Row number in the source, counted from 1.
    pub row: usize,
    /// One coordinate for k = 1, else two.
    pub coordinates: Vec<f64>,
    /// The target; the row number for pairs.
    pub value: f64,
    /// The target as the kernel rule predicts it, left out of the training rows or held out.
    pub predicted: Option<f64>,
    /// Training or held out.
    pub part: Part,
}

impl ContinuousReport {
    /// Reads `report.json` back.
    ///
    /// # Errors
    /// Text that is not JSON or lacks a field, or fields that do not fit together.
    pub fn from_json(text: &str) -> Result<Self> {
        let report: Self = serde_json::from_str(text)?;
        report.check()?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Rendered;

    #[test]
    fn a_report_survives_the_way_to_json_and_back() {
        for report in [ContinuousReport::example(), ContinuousReport::of_pairs()] {
            let text = report.to_json().unwrap();
            let read = ContinuousReport::from_json(&text).unwrap();
            assert_eq!((read.scores, read.comparison), (report.scores, report.comparison));
            assert_eq!((read.data, read.kind), (report.data, report.kind));
            assert_eq!(read.embedding.points.len(), report.embedding.points.len());
            assert!(text.contains("\n  \"scores\": {"), "{text}");
        }
    }
}
