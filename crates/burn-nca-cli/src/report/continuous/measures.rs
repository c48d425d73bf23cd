use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::report::number::{percent, significant};

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
    /// `Euclidean`, `PCA`, `MLKR`, …
    pub method: String,
    /// How neighbours predict, such as `5-NN` or `kernel`; empty where nothing is predicted.
    pub rule: String,
    /// Dimensions of the space the neighbours were searched in.
    pub dimension: usize,
    /// What was measured, by the key of the measure.
    #[serde(flatten)]
    pub values: BTreeMap<String, f64>,
}

/// The methods side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureTable {
    /// The columns, in the order to show them.
    pub measures: Vec<Measure>,
    /// The methods, in the order to show them; the learnt metric last.
    pub rows: Vec<MeasureRow>,
}

impl MeasureRow {
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
        self.values.get(key).copied()
    }
}

/// A lead of a baseline in R² or recall below this is not worth a word.
const SHORTFALL: f64 = 0.02;

impl MeasureTable {
    /// What the learnt metric loses beside the best baseline in the measure `key`, by the rule that the baselines
    /// use; `None` where it loses nothing worth a word.
    pub fn shortfall(&self, key: &str) -> Option<String> {
        let learnt_method = &self.rows.last()?.method;
        let measure = self.measures.iter().find(|measure| measure.key == key)?;
        let (learnt, baselines): (Vec<&MeasureRow>, Vec<&MeasureRow>) =
            self.rows.iter().partition(|row| row.method == *learnt_method);
        let best = |rows: &[&MeasureRow]| -> Option<(f64, String)> {
            let valued = rows.iter().filter_map(|row| Some((row.value(key)?, row.name())));
            valued.max_by(|a, b| a.0.total_cmp(&b.0))
        };
        let ((learnt, rule), (baseline, name)) = (best(&learnt)?, best(&baselines)?);
        (baseline - learnt > SHORTFALL).then(|| {
            format!(
                "{} is {} with {rule}, {} with {name}",
                measure.label,
                measure.text(Some(learnt)),
                measure.text(Some(baseline))
            )
        })
    }
}

impl Measure {
    /// The value as text.
    pub fn text(&self, value: Option<f64>) -> String {
        match (value, self.unit) {
            (None, _) => "–".to_owned(),
            (value, Unit::Share) => percent(value),
            (Some(value), Unit::Number) => significant(value, 3),
        }
    }
}

impl MeasureTable {
    /// The columns that were measured at all.
    pub fn measured(&self) -> Vec<&Measure> {
        let measured =
            |measure: &&Measure| self.rows.iter().any(|row| row.value(&measure.key).is_some());
        self.measures.iter().filter(measured).collect()
    }

    /// Whether no method does better in this column; false where it was not held out or not measured.
    pub fn is_best(&self, row: &MeasureRow, measure: &Measure) -> bool {
        let sign = if measure.more_is_better { 1.0 } else { -1.0 };
        let of = |row: &MeasureRow| row.value(&measure.key).map(|value| sign * value);
        let best = self.rows.iter().filter_map(of).max_by(f64::total_cmp);
        // A single method has nothing to be best of.
        self.rows.len() > 1 && measure.held_out && of(row).is_some() && of(row) == best
    }
}

#[cfg(test)]
mod tests {
    use super::super::ContinuousReport;

    #[test]
    fn a_shortfall_is_told_with_both_figures() {
        let mut table = ContinuousReport::example().comparison;
        assert_eq!(table.shortfall("r2_test"), None);
        for row in &mut table.rows[2..] {
            row.values.insert("r2_test".to_owned(), 0.5);
        }
        let told = table.shortfall("r2_test").unwrap();
        assert_eq!(told, "R² test is 0.500 with MLKR, kernel, 0.752 with Euclidean, 5-NN");
        let table = ContinuousReport::of_pairs().comparison;
        assert_eq!(table.shortfall("recall_5_test"), None);
    }

    #[test]
    fn the_best_is_the_largest_r2_and_the_smallest_error() {
        let table = ContinuousReport::example().comparison;
        let best = |key: &str| {
            let measure = table.measures.iter().find(|measure| measure.key == key).unwrap();
            let rows = table.rows.iter().filter(|row| table.is_best(row, measure));
            rows.map(super::MeasureRow::name).collect::<Vec<_>>()
        };
        assert_eq!(best("r2_test"), ["MLKR, kernel"]);
        assert_eq!(best("rmse_test"), ["MLKR, kernel"]);
        assert!(best("r2_train").is_empty(), "training figures flatter");
    }
}
