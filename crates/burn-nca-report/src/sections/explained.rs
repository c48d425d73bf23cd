//! Predictions of held-out rows by the training rows that decided them.

use burn_nca_learn::data::{Features, Labeled, RegressionData};
use burn_nca_learn::neighbors::Influence;
use burn_nca_learn::{Fitted, estimator::Explanation};
use burn_nca_program::Table;
use burn_nca_program::html::{note, section};
use serde::{Deserialize, Serialize};

use crate::number::{count, percent, significant};
use crate::{Report, Section};

/// Rows that are explained.
const ROWS: usize = 8;

/// Training rows and features that are named for each.
const NAMED: usize = 3;

/// Held-out rows with the training rows that decided their predictions: of classes the first that are wrong, or the first of
/// all; of numbers those of the largest errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainedPredictions<T, P>(pub Vec<ExplainedPrediction<T, P>>);

/// Predictions of classes.
pub type ExplainedClasses = ExplainedPredictions<OfClass, usize>;

/// Predictions of numbers.
pub type ExplainedNumbers = ExplainedPredictions<OfNumber, f64>;

/// A held-out row, and what its prediction is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplainedPrediction<T, P> {
    /// The row with its own class or number.
    #[serde(flatten)]
    pub row: NamedRow<T>,
    /// The predicted class or number.
    pub predicted: P,
    /// The training rows of the largest share, at most 3.
    pub neighbors: Vec<DecidingRow<T>>,
    /// The features that make them nearer than the nearest row of another class, or than the mean training row, at most 3,
    /// the most first.
    pub features: Vec<String>,
}

/// A row of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedRow<T> {
    /// Its number in the source, counted from 1.
    pub row: usize,
    /// What the source calls it, where its rows have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its class or number.
    #[serde(flatten)]
    pub target: T,
}

impl<T> NamedRow<T> {
    /// A row by its place, from 0, without a name yet.
    pub(super) fn new(place: usize, target: T) -> Self {
        Self { row: place + 1, id: None, target }
    }

    /// What the source calls it, or its number.
    pub(super) fn name(&self) -> String {
        self.id.clone().unwrap_or_else(|| count(self.row as u64))
    }
}

/// The class of a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfClass {
    /// Its number, from 0.
    pub class: usize,
}

/// The number that belongs to a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfNumber {
    /// The number.
    pub value: f64,
}

/// A training row and its share in a prediction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecidingRow<T> {
    /// The row.
    #[serde(flatten)]
    pub row: NamedRow<T>,
    /// Its share, 0 to 1; those of all training rows sum to 1.
    pub share: f64,
}

impl ExplainedClasses {
    /// Those of the held-out rows `test` (places in `data`, with the classes found for them), of a model of the rows
    /// `train`, by its own decision; all rows are scaled. `None` where nothing is held out, or no row has a share.
    pub fn of(
        model: &Fitted,
        data: &Labeled,
        (test, found): (&[usize], &[usize]),
        train: (&[usize], &Features),
    ) -> Option<Self> {
        let wrong = test.iter().zip(found).filter(|(row, found)| data.labels()[**row] != **found);
        let mut rows: Vec<usize> = wrong.map(|(row, _)| *row).take(ROWS).collect();
        if rows.is_empty() {
            rows = test.iter().copied().take(ROWS).collect();
        }
        let of_row = |row: usize| OfClass { class: data.labels()[row] };
        let predicted = |_: usize, found: &Explanation| found.class.unwrap_or_default();
        Self::made(model, (data.features(), &rows), train, (of_row, predicted))
    }
}

impl ExplainedNumbers {
    /// As [`ExplainedClasses::of`], of numbers.
    pub fn of(
        model: &Fitted,
        data: &RegressionData,
        test: &[usize],
        train: (&[usize], &Features),
    ) -> Option<Self> {
        let asked = data.features().select(test);
        let predicted = model.of_scaled().decide_numbers(&asked, model.decision()).ok()?;
        let value = |row: usize| data.targets().row(row)[0];
        let error = |at: &usize| (predicted[*at] - value(test[*at])).abs();
        let mut places: Vec<usize> = (0..test.len()).collect();
        places.sort_by(|a, b| error(b).total_cmp(&error(a)));
        places.truncate(ROWS);
        let rows: Vec<usize> = places.iter().map(|&at| test[at]).collect();
        let of_row = |row: usize| OfNumber { value: value(row) };
        let predicted = |at: usize, _: &Explanation| predicted[places[at]];
        Self::made(model, (data.features(), &rows), train, (of_row, predicted))
    }
}

impl<T, P> ExplainedPredictions<T, P> {
    fn made(
        model: &Fitted,
        (features, rows): (&Features, &[usize]),
        (train, training): (&[usize], &Features),
        (target, predicted): (impl Fn(usize) -> T, impl Fn(usize, &Explanation) -> P),
    ) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let named = |row: usize| NamedRow::new(row, target(row));
        let asked = features.select(rows);
        // LCA's classifier compares with means, which are no rows.
        let scaled = model.of_scaled();
        let found = scaled.explain(&asked, Some(training), model.decision(), NAMED).ok()?;
        let explained = found.into_iter().enumerate().map(|(at, found)| {
            let predicted = predicted(at, &found);
            let top = found.features.map_or_else(Vec::new, |features| features.top(NAMED));
            let deciding =
                |one: Influence| DecidingRow { row: named(train[one.reference]), share: one.share };
            ExplainedPrediction {
                row: named(rows[at]),
                predicted,
                neighbors: found.neighbors.into_iter().map(deciding).collect(),
                features: top.into_iter().map(|at| training.names()[at].clone()).collect(),
            }
        });
        Some(Self(explained.collect()))
    }

    /// The section, where `own` and `predicted` are the texts of a row's target and of a prediction.
    fn section(
        &self,
        (remark, heading): (&str, &str),
        own: impl Fn(&T) -> String,
        predicted: impl Fn(&P) -> String,
    ) -> String {
        let neighbors = |one: &ExplainedPrediction<T, P>| -> String {
            let named = one.neighbors.iter().map(|one| {
                let (target, share) = (own(&one.row.target), percent(Some(one.share)));
                format!("{} ({target}, {share})", one.row.name())
            });
            named.collect::<Vec<_>>().join("; ")
        };
        let remark = format!(
            "{remark}. <code>nca predict RUN NEW.csv --explain</code> explains all rows of a table."
        );
        let table = Table::of("explained", &self.0)
            .names("row", 48, |one| one.row.name())
            .names(heading, 48, |one| own(&one.row.target))
            .names("predicted", 48, |one| predicted(&one.predicted))
            .names("decided by", 200, neighbors)
            .names("nearer by", 120, |one| one.features.join(", "))
            .scrolling("Predictions by their neighbors");
        section("explained", "Predictions by their neighbors", &(note(&remark) + &table.html()))
    }
}

impl Section for ExplainedClasses {
    fn page(&self, report: &Report) -> String {
        let classes = &report.header.data.classes;
        let class = |class: usize| classes[class].name.clone();
        let wrong = self.0.iter().any(|one| one.row.target.class != one.predicted);
        let remark = format!(
            "{} with the training rows of the largest share in the prediction, and the features that make these nearer than \
             the nearest row of another class",
            if wrong { "Held-out rows that are classified wrongly" } else { "Held-out rows" }
        );
        self.section((&remark, "class"), |own| class(own.class), |predicted| class(*predicted))
    }
}

impl Section for ExplainedNumbers {
    fn page(&self, report: &Report) -> String {
        let Some(target) = &report.header.data.target else { return String::new() };
        let remark = "Held-out rows of the largest errors with the training rows of the largest share in the prediction, \
                      and the features that make these nearer than the training rows are in the mean";
        let number = |value: f64| significant(value, 4);
        self.section((remark, target), |own| number(own.value), |predicted| number(*predicted))
    }
}

#[cfg(test)]
mod tests {
    use burn_nca_data::bundled::iris;
    use burn_nca_learn::data::stratified_split;
    use burn_nca_learn::method::{AnyMethod, LcaClassifier, Mlkr, Nca};
    use burn_nca_learn::{Estimator, device};

    use super::*;
    use crate::RowNames;
    use crate::evaluation::{ReportData, Rows};

    fn report<D: ReportData>(data: D, method: AnyMethod) -> Report {
        let split = stratified_split(iris().labels(), 0.3, 1).unwrap();
        let estimator = Estimator::new(data.features().columns(), 2, method);
        let train = data.part(&split.train).unwrap();
        let model = estimator.fit(&train, &device::host().unwrap()).unwrap();
        Report::of(&model, &Rows::of(&model, data, split).unwrap()).unwrap()
    }

    #[test]
    fn a_wrong_prediction_is_on_the_page_with_the_rows_that_decided_it() {
        let mut report = report(iris(), Nca::new().into());
        let ids = (0..150).map(|row| format!("flower {}", row + 1)).collect();
        report.name_rows(&RowNames { places: None, ids: Some(ids), other: None });
        let found = report.classes().explained.as_ref().unwrap();
        let has_its_class =
            |row: &NamedRow<OfClass>| iris().labels()[row.row - 1] == row.target.class;
        for one in &found.0 {
            assert!(has_its_class(&one.row));
            assert!(one.neighbors.iter().all(|near| has_its_class(&near.row)));
            let near = &one.neighbors[0];
            assert!(near.row.row != one.row.row && near.share > 0.0, "{one:?}");
            assert!(!one.features.is_empty() && one.features.len() <= NAMED);
        }
        let page = report.page();
        assert!(page.contains("Predictions by their neighbors"));
        let near = found.0[0].neighbors[0].row.row;
        assert!(page.contains(&format!("flower {near} (")), "{near}: {page}");
        let read = Report::from_json(&report.to_json().unwrap()).unwrap();
        assert_eq!(read.classes().explained.as_ref(), Some(found));
    }

    #[test]
    fn numbers_of_the_largest_errors_are_on_the_page_with_what_they_are_a_mean_of() {
        let (iris, d) = (iris(), 3);
        let row = |at: usize| iris.features().row(at);
        let x = (0..150).flat_map(|at| row(at)[..d].to_vec()).collect();
        let y = (0..150).map(|at| row(at)[d]).collect();
        let data = RegressionData::new(Features::unnamed(x, d).unwrap(), "width", y).unwrap();
        let report = report(data, Mlkr::new().into());
        let found = report.values().explained.as_ref().unwrap();
        let errors: Vec<f64> =
            found.0.iter().map(|one| (one.predicted - one.row.target.value).abs()).collect();
        assert!(errors.len() == ROWS && errors.is_sorted_by(|a, b| a >= b), "{errors:?}");
        for one in &found.0 {
            assert_eq!(row(one.row.row - 1)[d], one.row.target.value);
            let near = &one.neighbors[0];
            assert!(near.share > 0.0 && row(near.row.row - 1)[d] == near.row.target.value);
        }
        assert!(report.page().contains("Held-out rows of the largest errors"));
    }

    #[test]
    fn a_rule_without_shares_explains_nothing() {
        assert_eq!(report(iris(), LcaClassifier::new().into()).classes().explained, None);
    }
}
