//! What a prediction is made of, as `nca predict --explain` writes it.

use anyhow::Result;
use burn_nca_data::{csv_field, csv_number};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;
use burn_nca_learn::estimator::{Decision, Explanation, TrainingTargets};
use burn_nca_learn::neighbors::Influence;
use serde_json::{Value, json};

use super::training_rows::{RowName, TrainingRows, have_ids, name_of};

/// Features that are named for a row.
const FEATURES: usize = 3;

/// What the predictions of some rows are made of.
pub struct Explained<'a> {
    model: &'a Fitted,
    found: Vec<Explanation>,
    /// What the training rows are called, where that is known.
    names: Vec<RowName>,
    has_ids: bool,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// How many of these are of neighbors; the others are of features.
    of_neighbors: usize,
}

/// A class, a number, or the numbers of several targets as cells of CSV.
pub fn csv_cells(value: &Value) -> Vec<String> {
    match value {
        Value::String(class) => vec![csv_field(class)],
        Value::Array(numbers) => numbers.iter().flat_map(csv_cells).collect(),
        number => vec![csv_number(number.as_f64().unwrap_or(f64::NAN))],
    }
}

impl<'a> Explained<'a> {
    /// The explanations of rows that are predicted by a decision; `training` are the training rows, where they are known.
    pub fn of(
        model: &'a Fitted,
        features: &Features,
        (decision, most): (Decision, usize),
        training: Option<TrainingRows>,
        target: &str,
    ) -> Result<Self> {
        let known = training.as_ref().map(|training| &training.features);
        let found = model.explain(features, known, decision, most)?;
        let names = training.map_or_else(Vec::new, |training| training.names);
        let targets = match model.training_targets() {
            TrainingTargets::Numbers { targets, .. } => targets.names().to_vec(),
            _ => vec![target.to_string()],
        };
        let has_ids = have_ids(&names);
        let most = found.iter().map(|found| found.neighbors.len()).max().unwrap_or(0);
        let mut head = Vec::new();
        for at in 1..=most {
            head.push(format!("neighbor_{at}"));
            head.extend(has_ids.then(|| format!("neighbor_{at}_id")));
            head.extend(targets.iter().map(|target| csv_field(&format!("neighbor_{at}_{target}"))));
            head.push(format!("neighbor_{at}_share"));
        }
        let of_neighbors = head.len();
        let features =
            if found.iter().any(|found| found.features.is_some()) { FEATURES } else { 0 };
        let of_feature = |at| [format!("feature_{at}"), format!("feature_{at}_nearer_by")];
        head.extend((1..=features).flat_map(of_feature));
        Ok(Self { model, found, names, has_ids, head, of_neighbors })
    }

    /// A row as cells, by its place among those that were predicted.
    pub fn cells(&self, place: usize) -> Vec<String> {
        let (found, has_ids) = (self.json(place), self.has_ids);
        let mut cells = Vec::new();
        for neighbor in found["neighbors"].as_array().into_iter().flatten() {
            cells.push(neighbor["row"].to_string());
            cells.extend(has_ids.then(|| csv_field(neighbor["id"].as_str().unwrap_or_default())));
            cells.extend(csv_cells(&neighbor["target"]));
            cells.extend(csv_cells(&neighbor["share"]));
        }
        cells.resize(self.of_neighbors, String::new());
        for feature in found["features"]["top"].as_array().into_iter().flatten() {
            cells.extend(csv_cells(&feature["name"]));
            cells.extend(csv_cells(&feature["nearer_by"]));
        }
        cells.resize(self.head.len(), String::new());
        cells
    }

    /// A row as JSON, by its place among those that were predicted.
    pub fn json(&self, place: usize) -> Value {
        let found = &self.found[place];
        let neighbor = |one: &Influence| {
            let mut neighbor = self.training_row(one.reference);
            neighbor["share"] = json!(one.share);
            neighbor["distance"] = json!(one.distance);
            neighbor
        };
        let neighbors: Vec<Value> = found.neighbors.iter().map(neighbor).collect();
        let mut row = json!({ "neighbors": neighbors });
        if let Some(found) = &found.features {
            let columns = self.model.scaling().names();
            let named = |at: usize| json!({ "name": columns[at], "nearer_by": found.values[at] });
            let top: Vec<Value> = found.top(FEATURES).into_iter().map(named).collect();
            // How much farther the row compared with is, in the distance of the model's kernel; what the features of all
            // columns sum to more than that; and those that make the neighbors near.
            row["features"] =
                json!({ "difference": found.difference, "error": found.error, "top": top });
            if let Some(rival) = found.rival {
                row["features"]["compared_with"] = self.training_row(rival);
            }
        }
        row
    }

    /// A training row: its number in the table of the fit, from 1 (among the training rows where that is not read again), its
    /// name if it has one, and its class, number or numbers.
    fn training_row(&self, row: usize) -> Value {
        let model = self.model;
        let target = match model.training_targets() {
            TrainingTargets::Numbers { targets, .. } => match targets.row(row) {
                [number] => json!(number),
                numbers => json!(numbers),
            },
            _ => json!(model.class_names()[model.reference_labels()[row]]),
        };
        let (number, id) = name_of(&self.names, row);
        let mut named = json!({ "row": number, "target": target });
        if let Some(id) = id {
            named["id"] = json!(id);
        }
        named
    }
}
