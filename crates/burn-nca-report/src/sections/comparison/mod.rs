//! The methods side by side.

mod shown;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::number::{percent, significant};

/// How a measure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A share, 0 to 1, shown in percent.
    Share,
    /// A number such as R² or a rank, as it is.
    Number,
}

/// One column of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Its name among the values of a row, such as `r2_test`.
    pub key: String,
    /// Its heading, such as `R² test`.
    pub label: String,
    /// How it is written.
    pub unit: Unit,
    /// Whether more is better.
    pub more_is_better: bool,
    /// Whether it was measured on what was held out; only then is the best marked.
    pub held_out: bool,
}

/// One method of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureRow {
    /// `Euclidean`, `PCA`, `NCA`, …
    pub method: String,
    /// How neighbors predict, such as `5-NN` or `kernel`; empty where the measures say it, `own rule` of a method for which
    /// 1-NN, k-NN and the soft vote are one: its own rule.
    pub rule: String,
    /// Dimensions of the space the neighbors were searched in.
    pub dimension: usize,
    /// The Wilson 95 % interval of the value `nn_test`, lower and upper end; of classes alone.
    #[serde(rename = "nn_test_interval", default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// What was measured, by the key of the measure; `None` where it was not.
    #[serde(flatten)]
    pub values: BTreeMap<String, Option<f64>>,
}

/// The rule of a method whose neighbors take no vote.
pub const OWN_RULE: &str = "own rule";

/// The methods side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureTable {
    /// The k of `knn_test`, where classes are predicted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbors: Option<usize>,
    /// The columns, in the order to show them.
    pub measures: Vec<Measure>,
    /// The methods, in the order to show them; the learned metric last.
    pub rows: Vec<MeasureRow>,
}

impl Measure {
    /// A column of a comparison; its key ends with `_test` where it was measured on what was held out.
    pub fn new(key: &str, label: &str, unit: Unit, more_is_better: bool) -> Self {
        let held_out = key.ends_with("_test");
        Self { key: key.to_owned(), label: label.to_owned(), unit, more_is_better, held_out }
    }

    /// The accuracies of a comparison of classes, with this k of k-NN.
    pub fn of_classes(k: usize) -> Vec<Self> {
        let share = |key: &str, label: &str| Self::new(key, label, Unit::Share, true);
        vec![
            share("nn_train", "1-NN train"),
            share("nn_test", "1-NN test"),
            share("knn_test", &format!("{k}-NN test")),
            share("soft_test", "soft test"),
        ]
    }

    /// The value as text.
    pub fn text(&self, value: Option<f64>) -> String {
        match (value, self.unit) {
            (None, _) => "–".to_owned(),
            (value, Unit::Share) => percent(value),
            (Some(value), Unit::Number) => significant(value, 3),
        }
    }
}

impl MeasureRow {
    /// What was measured of a method in so many dimensions, without a rule.
    pub(crate) fn new<'k>(
        method: &str,
        dimension: usize,
        values: impl IntoIterator<Item = (&'k str, Option<f64>)>,
    ) -> Self {
        let values = values.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        Self { method: method.to_owned(), rule: String::new(), dimension, interval: None, values }
    }

    /// The method with its rule: `PCA, 5-NN`.
    pub fn name(&self) -> String {
        if self.rule.is_empty() {
            self.method.clone()
        } else {
            format!("{}, {}", self.method, self.rule)
        }
    }

    /// A measured value.
    pub fn value(&self, key: &str) -> Option<f64> {
        self.values.get(key).copied().flatten()
    }

    /// `85.2 to 98.8 %`
    pub fn interval_text(&self) -> Option<String> {
        self.interval.map(|[low, high]| format!("{:.1} to {}", 100.0 * low, percent(Some(high))))
    }
}

/// A lead of a baseline in R² or recall below this is not worth a word.
const SHORTFALL: f64 = 0.02;

/// Whether a share of right rows is below another by more than the standard error of that one, one row at least.
pub fn falls_short(learned: f64, baseline: f64, rows: usize) -> bool {
    let rows = rows.max(1) as f64;
    baseline - learned > (baseline * (1.0 - baseline) / rows).sqrt().max(1.0 / rows)
}

impl MeasureTable {
    /// The columns that were measured at all.
    pub fn measured(&self) -> Vec<&Measure> {
        let measured =
            |measure: &&Measure| self.rows.iter().any(|row| row.value(&measure.key).is_some());
        self.measures.iter().filter(measured).collect()
    }

    /// How the reported classes of the learned metric come about: `1-NN`, or its `own rule`.
    pub fn rule_of_classes(&self) -> &str {
        if self.has_own_rule() { OWN_RULE } else { "1-NN" }
    }

    /// Whether the classes of the learned metric come from a rule of its own.
    pub fn has_own_rule(&self) -> bool {
        self.rows.last().is_some_and(|row| row.rule == OWN_RULE)
    }

    /// The row without any learning.
    pub fn euclidean(&self) -> Option<&MeasureRow> {
        self.rows.iter().find(|row| row.method == "Euclidean")
    }

    /// Whether no method does better in this column; false where it was not held out or not measured.
    pub fn is_best(&self, row: &MeasureRow, measure: &Measure) -> bool {
        let sign = if measure.more_is_better { 1.0 } else { -1.0 };
        let of = |row: &MeasureRow| row.value(&measure.key).map(|value| sign * value);
        let best = self.rows.iter().filter_map(of).max_by(f64::total_cmp);
        // A single method has nothing to be best of.
        self.rows.len() > 1 && measure.held_out && of(row).is_some() && of(row) == best
    }

    /// What the learned metric loses compared with the best baseline in the measure `key`, by its best rule; `None` where it
    /// loses nothing worth a word. `rows` are those that an accuracy was counted on; `None` for other measures.
    pub fn shortfall(&self, key: &str, rows: Option<usize>) -> Option<String> {
        let learned_method = &self.rows.last()?.method;
        let measure = self.measures.iter().find(|measure| measure.key == key)?;
        let (learned, baselines): (Vec<&MeasureRow>, Vec<&MeasureRow>) =
            self.rows.iter().partition(|row| row.method == *learned_method);
        let best = |rows: &[&MeasureRow]| -> Option<(f64, String)> {
            let valued = rows.iter().filter_map(|row| Some((row.value(key)?, row.name())));
            valued.max_by(|a, b| a.0.total_cmp(&b.0))
        };
        let ((learned, rule), (baseline, name)) = (best(&learned)?, best(&baselines)?);
        let short = match rows {
            Some(rows) => falls_short(learned, baseline, rows),
            None => baseline - learned > SHORTFALL,
        };
        let label = match self.has_own_rule() {
            true => format!("accuracy ({} of the others)", measure.label),
            false => measure.label.clone(),
        };
        short.then(|| {
            format!(
                "{label} is {} with {rule}, {} with {name}",
                measure.text(Some(learned)),
                measure.text(Some(baseline))
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;

    #[test]
    fn a_shortfall_compared_with_the_best_baseline_is_reported_where_it_is_more_than_chance() {
        let mut table = Report::example().comparison;
        // 95.6 % against the 97.8 % of LDA: one row of 45.
        assert_eq!(table.shortfall("knn_test", Some(45)), None);
        table.rows[3].values.insert("knn_test".to_owned(), Some(40.0 / 45.0));
        let told = table.shortfall("knn_test", Some(45)).unwrap();
        assert_eq!(told, "5-NN test is 88.9 % with NCA, 97.8 % with LDA");
        let mut table = Report::example().without_test().comparison;
        table.rows[3].values.insert("nn_train".to_owned(), Some(0.5));
        let told = table.shortfall("nn_train", Some(105)).unwrap();
        assert!(told.starts_with("1-NN train is 50.0 % with NCA"), "{told}");
        table.rows[3].rule = OWN_RULE.to_owned();
        let told = table.shortfall("nn_train", Some(105)).unwrap();
        assert!(
            told.starts_with("accuracy (1-NN train of the others) is 50.0 % with NCA, own rule,")
        );
    }

    #[test]
    fn a_shortfall_of_numbers_is_told_with_both_figures() {
        let mut table = Report::of_numbers().comparison;
        assert_eq!(table.shortfall("r2_test", None), None);
        for row in &mut table.rows[2..] {
            row.values.insert("r2_test".to_owned(), Some(0.5));
        }
        let told = table.shortfall("r2_test", None).unwrap();
        assert_eq!(told, "R² test is 0.500 with MLKR, kernel, 0.752 with Euclidean, 5-NN");
        assert_eq!(Report::of_pairs().comparison.shortfall("recall_5_test", None), None);
    }

    #[test]
    fn the_best_is_the_largest_r2_and_the_smallest_error() {
        let table = Report::of_numbers().comparison;
        let best = |key: &str| {
            let measure = table.measures.iter().find(|measure| measure.key == key).unwrap();
            let rows = table.rows.iter().filter(|row| table.is_best(row, measure));
            rows.map(MeasureRow::name).collect::<Vec<_>>()
        };
        assert_eq!(best("r2_test"), ["MLKR, kernel"]);
        assert_eq!(best("rmse_test"), ["MLKR, kernel"]);
        assert!(best("r2_train").is_empty(), "training figures flatter");
    }
}
