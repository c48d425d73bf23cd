//! The methods side by side.

use std::collections::BTreeMap;

use burn_nca_program::html::{note, place, section};
use burn_nca_program::terminal::searchable;
use burn_nca_program::{Cell, Table, Terminal};
use serde::{Deserialize, Serialize};

use crate::number::{counted, percent, significant};
use crate::{Report, Results, Section};

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

impl MeasureTable {
    fn table<'a>(&'a self, learned: &'a str) -> Table<'a, MeasureRow> {
        let mut table = Table::of("scores", &self.rows)
            .names("method", 48, MeasureRow::name)
            .number("dim", |row| row.dimension.to_string())
            .row_class(move |row| if row.method == learned { "fitted" } else { "" });
        for measure in self.measured() {
            table = table.number(&measure.label, |row| {
                let text = measure.text(row.value(&measure.key));
                Cell::marked(text, "best", self.is_best(row, measure))
            });
        }
        let Some(low) = self.lowest() else { return table };
        let ends = format!(
            "<span class=\"ends\"><span>{:.0} %</span><span>100 %</span></span>",
            100.0 * low
        );
        table
            .page_number("95 % interval", |row| row.interval_text().unwrap_or("–".to_owned()))
            .drawing("range", &ends, move |row| interval(row, low))
    }

    /// The low end of the common scale of the drawn intervals: the lowest end, rounded down to a tenth.
    fn lowest(&self) -> Option<f64> {
        let ends = self.rows.iter().filter_map(|row| row.interval.map(|[low, _]| low));
        let lowest = ends.filter(|low| low.is_finite()).min_by(f64::total_cmp)?;
        Some(((lowest * 10.0 - 1e-9).floor() / 10.0).clamp(0.0, 0.9))
    }

    fn remark(&self, report: &Report) -> String {
        let measured = |key: &str| self.rows.iter().any(|row| row.value(key).is_some());
        let mut text = match report.results {
            Results::Classes(_) => "Share of rows classified correctly. Train: each training row left out in turn.",
            Results::Numbers(_) => {
                "R²: share of the target's variance that is predicted, 1 at best. RMSE and MAE: errors in the \
                 units of the target. Train: each training row left out in turn. Kernel: mean of all training \
                 rows, weighted by p."
            }
            Results::Pairs(_) => {
                "Each pair asks twice, from either end, among all other rows but known partners: how often the \
                 partner is the nearest, or among the 5 or 10 nearest, its median rank, and the mean of 1 / rank."
            }
        }
        .to_owned();
        if measured("soft_test") {
            text.push_str(" Soft: vote of all training rows, weighted by p.");
        }
        if self.has_own_rule() {
            text.push_str(" Own rule: that of the method, in every column.");
        }
        if self.lowest().is_some() {
            text.push_str(
                " The interval is Wilson's, for 1-NN (or the own rule) on the held-out rows.",
            );
        }
        if report.header.data.test == 0 {
            text.push_str(" Nothing was held out; optimistic: these rows were used for training.");
        } else if self.rows.len() > 1 {
            text.push_str(" Best held-out score in bold.");
        }
        text
    }
}

/// The interval as a line on the scale from `low` to 1, with a dot at the share itself.
fn interval(row: &MeasureRow, low: f64) -> String {
    let (Some([from, to]), Some(value)) = (row.interval, row.value("nn_test")) else {
        return String::new();
    };
    let at = |share: f64| ((share - low) / (1.0 - low)).clamp(0.0, 1.0);
    format!(
        "<span class=\"track\"><span class=\"span\" style=\"left:{};width:{}\"></span><span class=\"dot\" \
         style=\"left:{}\"></span></span>",
        place(at(from)),
        place(at(to) - at(from)),
        place(at(value)),
    )
}

impl Section for MeasureTable {
    fn page(&self, report: &Report) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let body = note(&self.remark(report)) + &self.table(&report.header.method).html();
        section("comparison", "Comparison with baselines", &body)
    }

    fn text(&self, report: &Report, terminal: Terminal) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let mut text = self.table(&report.header.method).plain(terminal);
        let test = report.header.data.test;
        if test > 0 && self.rows.len() > 1 {
            let held_out = counted(test, &format!("held-out {}", report.results.noun()));
            text.push_str(&format!(" * best on the {}\n", searchable(&held_out)));
        }
        if self.has_own_rule() {
            text.push_str(" own rule: that of the method, in every column\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortfall_compared_with_the_best_baseline_is_reported_where_it_is_more_than_chance() {
        let mut table = Report::example().comparison;
        // 95.6 % against the 97.8 % of LDA: one row of 45.
        assert_eq!(table.shortfall("knn_test", Some(45)), None);
        table.rows[3].values.insert("knn_test".to_owned(), Some(40.0 / 45.0));
        let told = table.shortfall("knn_test", Some(45)).unwrap();
        assert_eq!(told, "5-NN test is 88.9 % with NCA, 97.8 % with LDA");
        table.rows[3].rule = OWN_RULE.to_owned();
        let told = table.shortfall("knn_test", Some(45)).unwrap();
        let start = "accuracy (5-NN test of the others) is 88.9 % with NCA, own rule,";
        assert!(told.starts_with(start), "{told}");
        let mut table = Report::of_numbers().comparison;
        assert_eq!(table.shortfall("r2_test", None), None);
        for row in &mut table.rows[2..] {
            row.values.insert("r2_test".to_owned(), Some(0.5));
        }
        let told = table.shortfall("r2_test", None).unwrap();
        assert_eq!(told, "R² test is 0.500 with MLKR, kernel, 0.752 with Euclidean, 5-NN");
    }
}
