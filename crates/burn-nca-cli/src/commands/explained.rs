//! What a prediction is made of, as `nca predict --explain` writes it.

use anyhow::Result;
use burn_nca_data::{csv_field, csv_number};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;
use burn_nca_learn::estimator::{Decision, Explanation, FeatureContributions, TrainingTargets};
use burn_nca_learn::neighbors::Influence;
use burn_nca_report::{Warning, WarningCode};
use serde::Serialize;
use serde_json::{Value, json};

use super::training_rows::{RowName, TrainingRows, have_ids, name_of};
use crate::failure::in_one_line;
use crate::hint::CommandKind;

/// Features that are named for a row.
const FEATURES: usize = 3;

/// What the predictions of some rows are made of.
pub struct Explained {
    /// The names of the targets, one of classes.
    targets: Vec<String>,
    /// Whether the training rows have names.
    has_ids: bool,
    /// Neighbors of a row, at most.
    most: usize,
    /// Whether features are named.
    has_features: bool,
    rows: Vec<Row>,
}

/// What the prediction of a row is made of.
#[derive(Serialize)]
struct Row {
    neighbors: Vec<Neighbor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<NamedFeatures>,
}

/// A training row.
#[derive(Clone, Serialize)]
struct TrainingRow {
    /// Its number in the table of the fit, from 1; among the training rows where that is not read again.
    row: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Its class or number, or numbers.
    target: Value,
}

#[derive(Serialize)]
struct Neighbor {
    #[serde(flatten)]
    row: TrainingRow,
    share: f64,
    distance: f64,
}

/// The features that make the neighbors near.
#[derive(Serialize)]
struct NamedFeatures {
    /// The row of another class that they are compared with; absent for numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared_with: Option<TrainingRow>,
    /// How much farther that is, in the distance of the model's kernel.
    difference: f64,
    /// What the features of all columns sum to more than that.
    error: f64,
    top: Vec<NamedFeature>,
}

/// A feature, and the difference in distance that it makes.
#[derive(Serialize)]
struct NamedFeature {
    name: String,
    nearer_by: f64,
}

impl Explained {
    /// The explanations of rows that are predicted by a decision, and what to say of them; `training` are the training rows,
    /// or why they are not there.
    ///
    /// # Errors
    /// A model whose training rows have no share in a prediction.
    pub fn of(
        model: &Fitted,
        features: &Features,
        (decision, most): (Decision, usize),
        training: Result<TrainingRows>,
        target: &str,
    ) -> Result<(Self, Option<Warning>)> {
        let (training, warning) = match training {
            Ok(training) => (Some(training), None),
            Err(error) => {
                let text = format!(
                    "the neighbors are numbered by the training rows alone, and without features: {}",
                    in_one_line(&error, CommandKind::Use)
                );
                (None, Some(Warning::new(WarningCode::Prepared, text)))
            }
        };
        let known = training.as_ref().map(|training| &training.features);
        let found = model.explain(features, known, decision, most)?;
        let names = training.map_or_else(Vec::new, |training| training.names);
        let named = Named { model, names: &names };
        let explained = Self {
            targets: match model.training_targets() {
                TrainingTargets::Numbers { targets, .. } => targets.names().to_vec(),
                _ => vec![target.to_string()],
            },
            has_ids: have_ids(&names),
            most: found.iter().map(|found| found.neighbors.len()).max().unwrap_or(0),
            has_features: found.iter().any(|found| found.features.is_some()),
            rows: found.iter().map(|found| named.row(found)).collect(),
        };
        Ok((explained, warning))
    }

    /// The heads of the columns.
    pub fn head(&self) -> Vec<String> {
        let mut head = Vec::new();
        for at in 1..=self.most {
            head.push(format!("neighbor_{at}"));
            head.extend(self.has_ids.then(|| format!("neighbor_{at}_id")));
            head.extend(
                self.targets.iter().map(|target| csv_field(&format!("neighbor_{at}_{target}"))),
            );
            head.push(format!("neighbor_{at}_share"));
        }
        if self.has_features {
            head.extend(
                (1..=FEATURES)
                    .flat_map(|at| [format!("feature_{at}"), format!("feature_{at}_nearer_by")]),
            );
        }
        head
    }

    /// The cells of a row, by its place among those that were predicted.
    pub fn cells(&self, place: usize) -> Vec<String> {
        let Row { neighbors, features } = &self.rows[place];
        let text = |value: &Value| match value {
            Value::String(class) => csv_field(class),
            number => csv_number(number.as_f64().unwrap_or(f64::NAN)),
        };
        let texts = |value: &Value| match value {
            Value::Array(numbers) => numbers.iter().map(text).collect(),
            one => vec![text(one)],
        };
        let mut cells = Vec::new();
        for Neighbor { row, share, .. } in neighbors {
            cells.push(row.row.to_string());
            cells.extend(self.has_ids.then(|| csv_field(row.id.as_deref().unwrap_or_default())));
            cells.extend(texts(&row.target));
            cells.push(csv_number(*share));
        }
        let columns = self.targets.len() + 2 + usize::from(self.has_ids);
        cells.resize(columns * self.most, String::new());
        for NamedFeature { name, nearer_by } in features.iter().flat_map(|found| &found.top) {
            cells.extend([csv_field(name), csv_number(*nearer_by)]);
        }
        let of_features = if self.has_features { 2 * FEATURES } else { 0 };
        cells.resize(columns * self.most + of_features, String::new());
        cells
    }

    /// A row as JSON, by its place among those that were predicted.
    ///
    /// # Errors
    /// None that an explanation has: its numbers are finite.
    pub fn json(&self, place: usize) -> Result<Value> {
        Ok(serde_json::to_value(&self.rows[place])?)
    }
}

/// The training rows of a model and their names, where these are known.
struct Named<'a> {
    model: &'a Fitted,
    names: &'a [RowName],
}

impl Named<'_> {
    fn row(&self, found: &Explanation) -> Row {
        let neighbor = |one: &Influence| Neighbor {
            row: self.training_row(one.reference),
            share: one.share,
            distance: one.distance,
        };
        Row {
            neighbors: found.neighbors.iter().map(neighbor).collect(),
            features: found.features.as_ref().map(|features| self.features(features)),
        }
    }

    fn features(&self, found: &FeatureContributions) -> NamedFeatures {
        let columns = self.model.scaling().names();
        let named =
            |at: usize| NamedFeature { name: columns[at].clone(), nearer_by: found.values[at] };
        NamedFeatures {
            compared_with: found.rival.map(|row| self.training_row(row)),
            difference: found.difference,
            error: found.error,
            top: found.top(FEATURES).into_iter().map(named).collect(),
        }
    }

    fn training_row(&self, row: usize) -> TrainingRow {
        let target = match self.model.training_targets() {
            TrainingTargets::Numbers { targets, .. } => match targets.row(row) {
                [number] => json!(number),
                numbers => json!(numbers),
            },
            _ => json!(self.model.class_names()[self.model.reference_labels()[row]]),
        };
        let (number, id) = name_of(self.names, row);
        TrainingRow { row: number, id, target }
    }
}
