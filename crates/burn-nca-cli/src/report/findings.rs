use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::json::null_as_nan;
use super::number::percent;

/// The part of the data a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Learnt from.
    Train,
    /// Held out.
    Test,
}

/// Accuracies of the learnt metric and of the baselines on the same split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The k of the column `knn_test`.
    pub neighbors: usize,
    /// One row a method, in the order to show them.
    pub rows: Vec<ComparisonRow>,
}

/// The accuracies of one method; `None` where not measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// `Euclidean`, `PCA`, `LDA`, `NCA`, …
    pub method: String,
    /// Dimensions of the space the neighbours were searched in.
    pub dimension: usize,
    /// 1-NN on the training rows, each left out in turn.
    pub nn_train: Option<f64>,
    /// 1-NN on the rows held out.
    pub nn_test: Option<f64>,
    /// The Wilson 95 % interval of `nn_test`, lower and upper end.
    pub nn_test_interval: Option<[f64; 2]>,
    /// k-NN on the rows held out, k being [`Comparison::neighbors`].
    pub knn_test: Option<f64>,
    /// The p-weighted vote of all training rows, on the rows held out.
    pub soft_test: Option<f64>,
}

/// One iteration of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Iteration, from 0, the start.
    pub iteration: u64,
    /// The value being minimised.
    #[serde(deserialize_with = "null_as_nan")]
    pub value: f64,
    /// The measure the solver watches on rows it does not learn from.
    pub held_out: Option<f64>,
    /// The largest entry of the gradient, in absolute value.
    pub gradient_max: Option<f64>,
}

/// What one column contributes to the learnt distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureWeight {
    /// The column's name.
    pub column: String,
    /// Norm of the column of A: how far one unit of the feature, as the metric sees it, moves a point.
    #[serde(deserialize_with = "null_as_nan")]
    pub weight: f64,
    /// Its square over the trace of Q = AᵀA, so that all shares sum to 1.
    #[serde(deserialize_with = "null_as_nan")]
    pub share: f64,
}

/// The learnt map, `z = A x`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// Names of the d columns.
    pub columns: Vec<String>,
    /// The k rows of A, each of d values.
    pub rows: Vec<Vec<f64>>,
}

impl Matrix {
    /// The most rows, and the most columns, a report holds.
    pub const LARGEST: usize = 40;

    /// The matrix from row-major values, or `None` when it is too large for a report.
    ///
    /// # Panics
    /// If the number of values is not a multiple of the number of columns.
    pub fn small(columns: Vec<String>, values: &[f64]) -> Option<Self> {
        let d = columns.len();
        if d == 0 || d > Self::LARGEST || values.len() > Self::LARGEST * d {
            return None;
        }
        assert_eq!(values.len() % d, 0, "{} values do not fill rows of {d} columns", values.len());
        let rows = values.chunks_exact(d).map(<[f64]>::to_vec).collect();
        Some(Self { columns, rows })
    }
}

/// The points where the learnt map puts them, in one or two dimensions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// Dimensions k of the learnt space.
    pub dimension: usize,
    /// For k > 2: the share of the embedding's variance in the two principal axes shown.
    pub variance_share: Option<f64>,
    /// The points; those of the training part come with their p_i.
    pub points: Vec<EmbeddedPoint>,
}

/// One row of the data in the learnt space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedPoint {
    /// Row number in the source, counted from 1.
    pub row: usize,
    /// One coordinate for k = 1, else two.
    pub coordinates: Vec<f64>,
    /// The true class.
    pub class: usize,
    /// The class 1-NN gives it: left out of the training rows, or held out.
    pub predicted: Option<usize>,
    /// Training or held out.
    pub part: Part,
    /// The probability that a neighbour drawn for it is of its class; training rows only.
    pub p: Option<f64>,
}

impl EmbeddedPoint {
    /// Whether it is predicted, and wrongly.
    pub fn is_wrong(&self) -> bool {
        self.predicted.is_some_and(|predicted| predicted != self.class)
    }
}

impl Comparison {
    /// What the learnt metric, the last row, loses beside the best baseline by k-NN on `rows` held-out rows (by 1-NN
    /// on as many training rows where nothing is held out); `None` where it loses nothing worth a word.
    pub fn shortfall(&self, rows: usize) -> Option<String> {
        let (learnt, baselines) = self.rows.split_last()?;
        let held_out = learnt.knn_test.is_some();
        let share = |row: &ComparisonRow| if held_out { row.knn_test } else { row.nn_train };
        let best = baselines
            .iter()
            .max_by(|a, b| share(a).partial_cmp(&share(b)).unwrap_or(Ordering::Equal))?;
        let (learnt, baseline) = (share(learnt)?, share(best)?);
        let (rule, part) = if held_out {
            (format!("{}-NN", self.neighbors), "held-out rows")
        } else {
            ("1-NN".to_owned(), "training rows")
        };
        falls_short(learnt, baseline, rows).then(|| {
            format!(
                "{rule} is right on {} of the {part}, on {} with {}",
                percent(Some(learnt)),
                percent(Some(baseline)),
                best.method
            )
        })
    }
}

/// Whether a share of right rows is below another by more than the standard error of that one, one row at least.
pub fn falls_short(learnt: f64, baseline: f64, rows: usize) -> bool {
    let rows = rows.max(1) as f64;
    baseline - learnt > (baseline * (1.0 - baseline) / rows).sqrt().max(1.0 / rows)
}

impl ComparisonRow {
    /// Whether no row does better in the column that `read` reads; false where nothing was measured.
    pub fn is_best(&self, rows: &[Self], read: fn(&Self) -> Option<f64>) -> bool {
        let best = rows.iter().filter_map(read).max_by(f64::total_cmp);
        // A single method has nothing to be best of.
        rows.len() > 1 && read(self).is_some() && read(self) == best
    }
}

#[cfg(test)]
mod tests {
    use crate::report::Report;

    #[test]
    fn a_shortfall_beside_the_best_baseline_is_told_where_it_is_more_than_chance() {
        let mut comparison = Report::example().comparison;
        assert_eq!(
            comparison.shortfall(45),
            None,
            "95.6 % against the 97.8 % of LDA: one row of 45"
        );
        comparison.rows[3].knn_test = Some(40.0 / 45.0);
        let told = comparison.shortfall(45).unwrap();
        assert_eq!(told, "5-NN is right on 88.9 % of the held-out rows, on 97.8 % with LDA");
        let mut comparison = Report::example().without_test().comparison;
        comparison.rows[3].nn_train = Some(0.5);
        let told = comparison.shortfall(105).unwrap();
        assert!(told.starts_with("1-NN is right on 50.0 % of the training rows"), "{told}");
    }
}
