//! Predictions of held-out rows by the training rows that decided them.

use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Labeled};
use burn_nca_program::Table;
use burn_nca_program::html::{note, section};
use serde::{Deserialize, Serialize};

use crate::number::{count, percent};
use crate::{Report, Section};

/// Rows that are explained.
const ROWS: usize = 8;

/// Training rows and features that are named for each.
const NAMED: usize = 3;

/// Held-out rows with the training rows that decided their classes: the first that are wrong, or the first of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainedPredictions(pub Vec<ExplainedPrediction>);

/// A held-out row, and what its prediction is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainedPrediction {
    /// The row with its own class.
    #[serde(flatten)]
    pub row: NamedRow,
    /// The predicted class.
    pub predicted: usize,
    /// The training rows of the largest share, at most 3.
    pub neighbors: Vec<DecidingRow>,
    /// The features that make them nearer than the nearest row of another class, at most 3, the most first.
    pub features: Vec<String>,
}

/// A row of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedRow {
    /// Its number in the source, counted from 1.
    pub row: usize,
    /// What the source calls it, where its rows have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its class.
    pub class: usize,
}

/// A training row and its share in a prediction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecidingRow {
    /// The row.
    #[serde(flatten)]
    pub row: NamedRow,
    /// Its share, 0 to 1; those of all training rows sum to 1.
    pub share: f64,
}

impl ExplainedPredictions {
    /// Those of the held-out rows `test` (places in `data`, with the classes found for them), of a model of the rows
    /// `train`, by its own decision; all rows are scaled. `None` where nothing is held out, or no row has a share.
    pub fn of(
        model: &Fitted,
        data: &Labeled,
        (test, found): (&[usize], &[usize]),
        (train, features): (&[usize], &Features),
    ) -> Option<Self> {
        let wrong = test.iter().zip(found).filter(|(row, found)| data.labels()[**row] != **found);
        let mut rows: Vec<usize> = wrong.map(|(row, _)| *row).take(ROWS).collect();
        if rows.is_empty() {
            rows = test.iter().copied().take(ROWS).collect();
        }
        if rows.is_empty() {
            return None;
        }
        let named = |row: usize| NamedRow { row: row + 1, id: None, class: data.labels()[row] };
        let scaled = model.of_scaled();
        let asked = data.features().select(&rows);
        // LCA's classifier compares with means, which are no rows.
        let found = scaled.explain(&asked, Some(features), model.decision(), NAMED).ok()?;
        let explained = rows.into_iter().zip(found).map(|(row, found)| {
            let named_feature = |at: usize| features.names()[at].clone();
            let top = found.features.map_or_else(Vec::new, |features| features.top(NAMED));
            let neighbors = found
                .neighbors
                .iter()
                .map(|one| DecidingRow { row: named(train[one.reference]), share: one.share });
            ExplainedPrediction {
                row: named(row),
                predicted: found.class.unwrap_or_default(),
                neighbors: neighbors.collect(),
                features: top.into_iter().map(named_feature).collect(),
            }
        });
        Some(Self(explained.collect()))
    }

    /// All rows that are named.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut NamedRow> {
        self.0.iter_mut().flat_map(|one| {
            core::iter::once(&mut one.row).chain(one.neighbors.iter_mut().map(|one| &mut one.row))
        })
    }
}

impl Section for ExplainedPredictions {
    fn page(&self, report: &Report) -> String {
        let classes = &report.header.data.classes;
        let class =
            |class: usize| classes.get(class).map_or(String::new(), |class| class.name.clone());
        let name = |row: &NamedRow| row.id.clone().unwrap_or_else(|| count(row.row as u64));
        let wrong = self.0.iter().any(|one| one.row.class != one.predicted);
        let remark = format!(
            "{} with the training rows of the largest share in the prediction, and the features that make these nearer than \
             the nearest row of another class. <code>nca predict RUN NEW.csv --explain</code> explains all rows of a table.",
            if wrong { "Held-out rows that are classified wrongly" } else { "Held-out rows" }
        );
        let neighbors = |one: &ExplainedPrediction| -> String {
            let named = one.neighbors.iter().map(|one| {
                format!(
                    "{} ({}, {})",
                    name(&one.row),
                    class(one.row.class),
                    percent(Some(one.share))
                )
            });
            named.collect::<Vec<_>>().join("; ")
        };
        let table = Table::of("explained", &self.0)
            .names("row", 48, |one: &ExplainedPrediction| name(&one.row))
            .names("class", 48, |one| class(one.row.class))
            .names("predicted", 48, |one| class(one.predicted))
            .names("decided by", 200, neighbors)
            .names("nearer by", 120, |one| one.features.join(", "))
            .scrolling("Predictions by their neighbors");
        section("explained", "Predictions by their neighbors", &(note(&remark) + &table.html()))
    }
}

#[cfg(test)]
mod tests {
    use burn_nca_data::bundled::iris;
    use burn_nca_learn::data::stratified_split;
    use burn_nca_learn::method::{AnyMethod, LcaClassifier, Nca};
    use burn_nca_learn::{Estimator, device};

    use super::*;
    use crate::RowNames;
    use crate::evaluation::Rows;

    fn report(method: AnyMethod) -> Report {
        let data = iris();
        let split = stratified_split(data.labels(), 0.3, 1).unwrap();
        let estimator = Estimator::new(4, 2, method);
        let model = estimator.fit(&data.select(&split.train), &device::host().unwrap()).unwrap();
        Report::of(&model, &Rows::of(&model, data, split).unwrap()).unwrap()
    }

    #[test]
    fn a_wrong_prediction_is_on_the_page_with_the_rows_that_decided_it() {
        let mut report = report(Nca::new().into());
        let found = report.classes().explained.clone().unwrap();
        let labels = iris().labels().to_vec();
        for one in &found.0 {
            assert_eq!(labels[one.row.row - 1], one.row.class);
            assert!(one.neighbors.iter().all(|near| labels[near.row.row - 1] == near.row.class));
            let near = &one.neighbors[0];
            assert!(near.row.row != one.row.row && near.share > 0.0, "{one:?}");
            assert!(!one.features.is_empty() && one.features.len() <= NAMED);
        }
        let (first, near) = (found.0[0].row.row, found.0[0].neighbors[0].row.row);
        let ids = (0..150).map(|row| format!("flower {}", row + 1)).collect();
        report.name_rows(&RowNames { places: None, ids: Some(ids), other: None });
        let page = report.page();
        assert!(page.contains("Predictions by their neighbors"));
        assert!(
            page.contains(&format!("flower {first}")) && page.contains(&format!("flower {near} ("))
        );
        let text = report.to_json().unwrap();
        assert_eq!(
            Report::from_json(&text).unwrap().classes().explained,
            report.classes().explained
        );
        report.classes_mut().explained.as_mut().unwrap().0[0].neighbors[0].row.class = 3;
        let error = report.check().unwrap_err().to_string();
        assert!(error.contains("explained[0].neighbors[0].class is 3"), "{error}");
    }

    #[test]
    fn a_rule_without_shares_explains_nothing() {
        assert_eq!(report(LcaClassifier::new().into()).classes().explained, None);
    }
}
