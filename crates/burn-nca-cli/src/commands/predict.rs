//! `nca predict`: the classes, or the numbers, of new rows, as CSV and as JSON.

use anyhow::{Result, anyhow, bail};
use burn_nca_data::{csv_field, csv_number};
use burn_nca_learn::data::Features;
use burn_nca_learn::estimator::{Decision, TrainingTargets};
use burn_nca_report::Warning;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::explained::{Explained, csv_cells};
use super::loaded::Loaded;
use super::training_rows;
use crate::cli::{PredictArgs, Rule};
use crate::failure::{hinted, in_one_line, usage};
use crate::fitting::neighbor_count::decision;
use crate::output::{self, TableFormat, warning};
use crate::tables::{self, ModelRows};

/// The column of the predictions where the fit knew no name of the target.
const CLASS: &str = "class";

/// Classifies the rows of a table, or predicts their target.
pub fn run(args: &PredictArgs) -> Result<()> {
    if args.rule == Some(Rule::Soft) && args.neighbors.is_some() {
        return Err(usage(
            "--neighbors is for --rule knn, and the rule soft weighs all training rows",
            "leave --neighbors out, or give --rule knn",
        ));
    }
    // Before the work begins: a spreadsheet's name must not hold CSV.
    let offered = [TableFormat::Csv, TableFormat::Json];
    let format = TableFormat::chosen(args.format, args.out.as_deref(), &offered)?;
    let loaded = Loaded::open(&args.model, &args.data)?;
    let model = loaded.model();
    let targets = model.training_targets();
    if let TrainingTargets::Unlabeled = targets {
        bail!(hinted(
            "this model was learned from pairs and has nothing to predict",
            "embed rows with nca transform"
        ));
    }
    if args.probabilities && matches!(targets, TrainingTargets::Numbers { .. }) {
        return Err(usage(
            "--probabilities are of classes, and this model predicts numbers",
            "leave --probabilities out",
        ));
    }
    let mut rows = tables::rows(&args.data, loaded.of_columns(), (args.id.as_deref(), &args.text))?;
    output::warn_of(&rows.warnings);
    let features = &rows.features;
    loaded.embed((features, &rows.rows), &args.data)?;
    let decision = decision((args.rule, args.neighbors), model)?;
    let target = loaded.source.as_ref().and_then(|source| source.target.as_deref());
    let target = target.unwrap_or(CLASS);
    let explained = explained(args, &loaded, (features, decision), target, &mut rows.warnings)?;
    let (names, values, shares) = match targets {
        TrainingTargets::Numbers { targets, .. } => {
            let found = model.decide_numbers(features, decision)?;
            let value = |numbers: &[f64]| match numbers {
                [number] => json!(number),
                numbers => json!(numbers),
            };
            let values = found.chunks(targets.columns()).map(value).collect();
            (targets.names().to_vec(), values, None)
        }
        _ => {
            let classes = model.class_names();
            let (found, shares) = if args.probabilities {
                let (found, shares) = model.decide_probabilities(features, decision)?;
                (found, Some((classes, shares)))
            } else {
                (model.decide_classes(features, decision)?, None)
            };
            let values = found.into_iter().map(|class| json!(classes[class])).collect();
            (vec![target.to_string()], values, shares)
        }
    };
    let predicted = Predicted { targets: names, table: rows, values, shares, explained };
    let text = match format {
        TableFormat::Json => predicted.json()?,
        _ => predicted.csv(),
    };
    format.write(text.as_bytes(), args.out.as_deref())
}

/// The explanations that are asked for; where the training rows cannot be read again, an additional warning says why.
fn explained<'a>(
    args: &PredictArgs,
    loaded: &'a Loaded,
    (features, decision): (&Features, Decision),
    target: &str,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Explained<'a>>> {
    let Some(most) = args.explain else { return Ok(None) };
    let (model, moved) = (loaded.model(), args.train.as_deref());
    let training = match loaded.embedded {
        Some(_) => Err(anyhow!("a sparse table is not read again")),
        None => training_rows::read(loaded.source.as_ref(), moved, model),
    };
    let (training, warning) = match training {
        Err(reason) if moved.is_none() => {
            let warning = warning!(
                Prepared,
                "the neighbors are numbered by the training rows alone, and without features: {}",
                in_one_line(&reason)
            );
            (None, Some(warning))
        }
        training => (Some(training?), None),
    };
    let explained = Explained::of(model, features, (decision, most), training, target)?;
    output::warn_of(&warning);
    warnings.extend(warning);
    Ok(Some(explained))
}

/// The predictions for the rows of a table.
struct Predicted<'a> {
    /// The names of what is predicted: several of a model of several numbers.
    targets: Vec<String>,
    table: ModelRows,
    /// A class, a number, or numbers, for each row that was kept.
    values: Vec<Value>,
    /// The classes and the share of each, row-major, where they were asked for.
    shares: Option<(&'a [String], Vec<f64>)>,
    /// What the predictions are made of, where that was asked for.
    explained: Option<Explained<'a>>,
}

/// The same as a JSON document.
#[derive(Serialize)]
struct Document<'a> {
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    rows: Vec<Row<'a>>,
    /// What was unusual in the table.
    warnings: &'a [Warning],
}

/// A row of the table; one that was left out has no prediction.
#[derive(Serialize)]
struct Row<'a> {
    /// From 1.
    row: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    prediction: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Value>,
}

impl Predicted<'_> {
    /// The share of each class in the prediction at a place, where they were asked for.
    fn shares(&self, place: usize) -> impl Iterator<Item = (&String, f64)> {
        let of_classes = self.shares.iter();
        of_classes.flat_map(move |(classes, shares)| {
            classes.iter().zip(shares[place * classes.len()..].iter().copied())
        })
    }

    /// One line per row: its name, the prediction, and one column `p_CLASS` per class where shares were asked for;
    /// then what it is made of.
    fn csv(&self) -> String {
        let ids = self.table.ids.as_ref();
        let classes = self.shares.as_ref().map_or(&[][..], |(classes, _)| classes);
        let names = ids.iter().map(|(name, _)| name).chain(&self.targets).cloned();
        let names = names.chain(classes.iter().map(|class| format!("p_{class}")));
        let mut head: Vec<String> = names.map(|name| csv_field(&name)).collect();
        head.extend(self.explained.iter().flat_map(|found| found.head.iter().cloned()));
        let mut text = head.join(",") + "\n";
        for (at, place) in self.table.places().into_iter().enumerate() {
            let mut cells: Vec<String> = ids.iter().map(|(_, ids)| csv_field(&ids[at])).collect();
            if let Some(place) = place {
                cells.extend(csv_cells(&self.values[place]));
                cells.extend(self.shares(place).map(|(_, share)| csv_number(share)));
                cells.extend(self.explained.iter().flat_map(|found| found.cells(place)));
            }
            cells.resize(head.len(), String::new());
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }

    /// The same as one document.
    fn json(&self) -> Result<String> {
        let ids = self.table.ids.as_ref();
        let of_classes = |place| self.shares(place).map(|(class, p)| (class.clone(), json!(p)));
        let row = |(at, place): (usize, Option<usize>)| Row {
            row: at + 1,
            id: ids.map(|(_, ids)| ids[at].as_str()),
            prediction: place.map(|place| &self.values[place]),
            probabilities: place
                .filter(|_| self.shares.is_some())
                .map(|at| of_classes(at).collect()),
            explanation: place.zip(self.explained.as_ref()).map(|(at, found)| found.json(at)),
        };
        let document = Document {
            target: self.targets.join(","),
            id: ids.map(|(name, _)| name.as_str()),
            rows: self.table.places().into_iter().enumerate().map(row).collect(),
            warnings: &self.table.warnings,
        };
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }
}
