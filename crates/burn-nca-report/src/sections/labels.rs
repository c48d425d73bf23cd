//! The training rows whose class the other rows contradict most: labels that look wrong.

use burn_nca_learn::Fitted;
use burn_nca_learn::estimator::LabelQuality;
use burn_nca_program::Table;
use burn_nca_program::html::{note, section};
use serde::{Deserialize, Serialize};

use crate::number::{counted, percent};
use crate::{NamedRow, OfClass, Report, Section};

/// Rows that are listed.
const LISTED: usize = 10;

/// The training rows whose own class is less probable by the other rows than another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContradictedLabels {
    /// How many there are, of those that were measured.
    pub contradicted: usize,
    /// The first of them, at most 10: those whose class is least probable.
    pub rows: Vec<ContradictedLabel>,
}

/// A training row and the class that the others suggest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContradictedLabel {
    /// The row with its class.
    #[serde(flatten)]
    pub row: NamedRow<OfClass>,
    /// The probability of that by the other training rows.
    pub p: f64,
    /// The most probable other class.
    pub suggested: usize,
    /// The probability of that.
    pub suggested_p: f64,
}

impl ContradictedLabels {
    /// Those among `rows` of the training rows; `places` are the places of all training rows in the data.
    ///
    /// # Errors
    /// A model without classes.
    pub fn of(model: &Fitted, rows: &[usize], places: &[usize]) -> burn_nca_learn::Result<Self> {
        let found = model.label_quality_of(rows)?;
        let contradicted: Vec<LabelQuality> =
            found.into_iter().filter(|one| one.p < one.suggested_p).collect();
        let listed = |one: &LabelQuality| ContradictedLabel {
            row: NamedRow::new(places[one.row], OfClass { class: one.class }),
            p: one.p,
            suggested: one.suggested,
            suggested_p: one.suggested_p,
        };
        let rows = contradicted.iter().take(LISTED).map(listed).collect();
        Ok(Self { contradicted: contradicted.len(), rows })
    }
}

impl Section for ContradictedLabels {
    fn page(&self, report: &Report) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let classes = &report.header.data.classes;
        let name = |class: usize| classes[class].name.clone();
        let remark = format!(
            "{} of another class than the other training rows suggest, each left out with its group; those whose class is \
             least probable. Either the label is wrong, or the row is unusual. <code>nca info RUN --labels labels.csv</code> lists \
             all rows.",
            counted(self.contradicted, "training row")
        );
        let table = Table::of("labels", &self.rows)
            .names("row", 48, |one: &ContradictedLabel| one.row.name())
            .names("class", 48, |one| name(one.row.target.class))
            .number("p", |one| percent(Some(one.p)))
            .names("suggested", 48, |one| name(one.suggested))
            .number("p suggested", |one| percent(Some(one.suggested_p)))
            .scrolling("Labels that look wrong");
        section("labels", "Labels that look wrong", &(note(&remark) + &table.html()))
    }
}

#[cfg(test)]
mod tests {
    use burn_nca_data::bundled::iris;
    use burn_nca_learn::data::{Labeled, Split};

    use super::*;
    use crate::RowNames;
    use crate::evaluation::Rows;

    #[test]
    fn a_wrong_label_is_on_the_page_by_its_row_in_the_source() {
        let data = iris();
        let mut labels = data.labels().to_vec();
        // A setosa among the virginica.
        labels[7] = 2;
        let data = Labeled::new(data.features().clone(), labels, data.class_names().to_vec());
        let device = burn_nca_learn::device::host().unwrap();
        let (data, config) = (data.unwrap(), burn_nca_learn::NcaConfig::new(4, 2));
        let split = Split { train: (3..150).collect(), test: vec![0, 1, 2] };
        let model = config.fit(&data.select(&split.train), &device).unwrap();
        let mut report = Report::of(&model, &Rows::of(&model, data, split).unwrap()).unwrap();
        let first = report.classes().labels.rows[0].clone();
        assert_eq!((first.row.row, first.row.target.class, first.suggested), (8, 2, 0));
        let places = (0..150).map(|row| row + 1).collect();
        let ids = (0..151).map(|row| format!("flower {row}")).collect();
        report.name_rows(&RowNames { places: Some(places), ids: Some(ids), other: None });
        let labels = &report.classes().labels;
        assert_eq!((labels.rows[0].row.name().as_str(), labels.rows[0].row.row), ("flower 8", 9));
        assert!(labels.rows.len() <= LISTED && labels.contradicted >= labels.rows.len());
        let page = report.page();
        assert!(page.contains("Labels that look wrong") && page.contains("flower 8"));
    }
}
