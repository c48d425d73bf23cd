//! `nca predict`: the classes, or the numbers, of new rows, as CSV and as JSON, and what they are made of.

use anyhow::{Result, anyhow, bail};
use burn_nca_data::{csv_field, csv_number};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;
use burn_nca_learn::estimator::{Decision, Explanation, TrainingTargets};
use burn_nca_report::{RowNames, Warning};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::loaded::load_for;
use super::training_rows;
use crate::cli::{PredictArgs, Rule};
use crate::failure::{hinted, in_one_line, usage};
use crate::fitting::neighbor_count::decision;
use crate::output::{self, TableFormat, warning};
use crate::tables::Loaded;

/// The column of the predictions where the fit knew no name of the target.
const CLASS: &str = "class";

const FEATURES: usize = 3;

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
    let loaded = load_for(&args.model, &args.data)?;
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
    let mut table = loaded.rows(&args.data, (args.id.as_deref(), &args.text))?;
    output::warn_of(&table.warnings);
    loaded.embed((&table.features, &table.rows), &args.data)?;
    let decision = decision((args.rule, args.neighbors), model)?;
    let target = loaded.source.as_ref().and_then(|source| source.target.as_deref());
    let targets = match targets {
        TrainingTargets::Numbers { targets, .. } => targets.names().to_vec(),
        _ => vec![target.unwrap_or(CLASS).to_string()],
    };
    let explained = match args.explain {
        Some(most) => {
            let asked = (&table.features, decision, most);
            let (explained, warning) = explained(args, &loaded, asked, &targets)?;
            output::warn_of(&warning);
            table.warnings.extend(warning);
            Some(explained)
        }
        None => None,
    };
    let (values, shares) = predicted(model, &table.features, decision, args.probabilities)?;
    let (classes, ids) = (model.class_names(), table.ids.as_ref());
    let row = |(at, place): (usize, Option<usize>)| Row {
        row: at + 1,
        id: ids.map(|(_, ids)| ids[at].as_str()),
        prediction: place.map(|place| &values[place]),
        probabilities: place.zip(shares.as_ref()).map(|(place, shares)| Shares {
            classes,
            values: &shares[place * classes.len()..][..classes.len()],
        }),
        explanation: place
            .zip(explained.as_ref())
            .map(|(at, of)| explanation(model, &of.rows[at], &of.names)),
    };
    let rows = table.places().into_iter().enumerate().map(row);
    let id = ids.map(|(name, _)| name.as_str());
    let text = match format {
        TableFormat::Json => {
            let (target, warnings) = (targets.join(","), &table.warnings);
            let document = Document { target, id, rows: rows.collect(), warnings };
            serde_json::to_string_pretty(&document)? + "\n"
        }
        _ => {
            let classes = if args.probabilities { classes } else { &[] };
            let shares = classes.iter().map(|class| csv_field(&format!("p_{class}")));
            let names = id.into_iter().chain(targets.iter().map(String::as_str)).map(csv_field);
            csv(names.chain(shares).collect(), rows, explained.as_ref())
        }
    };
    format.write(text.as_bytes(), args.out.as_deref())
}

/// A class, a number, or numbers for each row; and the share of each class, row-major, where they are asked for.
fn predicted(
    model: &Fitted,
    features: &Features,
    decision: Decision,
    with_shares: bool,
) -> Result<(Vec<Value>, Option<Vec<f64>>)> {
    if let TrainingTargets::Numbers { targets, .. } = model.training_targets() {
        let found = model.decide_numbers(features, decision)?;
        return Ok((found.chunks(targets.columns()).map(numbers).collect(), None));
    }
    let (found, shares) = if with_shares {
        let (found, shares) = model.decide_probabilities(features, decision)?;
        (found, Some(shares))
    } else {
        (model.decide_classes(features, decision)?, None)
    };
    let names = model.class_names();
    Ok((found.into_iter().map(|class| json!(names[class])).collect(), shares))
}

fn numbers(numbers: &[f64]) -> Value {
    match numbers {
        [number] => json!(number),
        numbers => json!(numbers),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    rows: Vec<Row<'a>>,
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
    probabilities: Option<Shares<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Value>,
}

struct Shares<'a> {
    classes: &'a [String],
    values: &'a [f64],
}

impl Serialize for Shares<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_map(self.classes.iter().zip(self.values))
    }
}

/// One line per row: its name, the prediction, the share of each class, and what it is made of; the head of the first columns.
fn csv<'a>(
    mut head: Vec<String>,
    rows: impl Iterator<Item = Row<'a>>,
    explained: Option<&Explained>,
) -> String {
    head.extend(explained.into_iter().flat_map(|explained| explained.head.clone()));
    let mut text = head.join(",") + "\n";
    for row in rows {
        let mut cells: Vec<String> = row.id.map(csv_field).into_iter().collect();
        cells.extend(row.prediction.into_iter().flat_map(csv_cells));
        cells.extend(row.probabilities.iter().flat_map(|of| of.values).copied().map(csv_number));
        if let Some((explained, row)) = explained.zip(row.explanation) {
            cells.extend(explained.cells(&row));
        }
        cells.resize(head.len(), String::new());
        text.push_str(&(cells.join(",") + "\n"));
    }
    text
}

/// A class, a number, or the numbers of several targets as cells of CSV.
fn csv_cells(value: &Value) -> Vec<String> {
    match value {
        Value::String(class) => vec![csv_field(class)],
        Value::Array(numbers) => numbers.iter().flat_map(csv_cells).collect(),
        number => vec![csv_number(number.as_f64().unwrap_or(f64::NAN))],
    }
}

/// What the predictions of some rows are made of.
struct Explained {
    rows: Vec<Explanation>,
    /// Of the training rows.
    names: RowNames,
    head: Vec<String>,
    /// How many of these are of neighbors; the others are of features.
    of_neighbors: usize,
}

/// The explanations; where the training rows cannot be read again, a warning says why.
fn explained(
    args: &PredictArgs,
    loaded: &Loaded,
    (features, decision, most): (&Features, Decision, usize),
    targets: &[String],
) -> Result<(Explained, Option<Warning>)> {
    let (model, moved) = (loaded.model(), args.train.as_deref());
    let training = match loaded.embedded {
        Some(_) => Err(anyhow!("a sparse table is not read again")),
        None => training_rows::read(loaded.source.as_ref(), moved, model),
    };
    let (known, names, warning) = match training {
        Err(reason) if moved.is_none() => {
            let warning = warning!(
                Prepared,
                "the neighbors are numbered by the training rows alone, and without features: {}",
                in_one_line(&reason)
            );
            (None, RowNames::default(), Some(warning))
        }
        training => {
            let (features, names) = training?;
            (Some(features), names, None)
        }
    };
    let found = model.explain(features, known.as_ref(), decision, most)?;
    let has_ids = names.ids.is_some();
    let most = found.iter().map(|found| found.neighbors.len()).max().unwrap_or(0);
    let mut head = Vec::new();
    for at in 1..=most {
        head.push(format!("neighbor_{at}"));
        head.extend(has_ids.then(|| format!("neighbor_{at}_id")));
        head.extend(targets.iter().map(|target| csv_field(&format!("neighbor_{at}_{target}"))));
        head.push(format!("neighbor_{at}_share"));
    }
    let of_neighbors = head.len();
    let named = if found.iter().any(|found| found.features.is_some()) { FEATURES } else { 0 };
    head.extend(
        (1..=named).flat_map(|at| [format!("feature_{at}"), format!("feature_{at}_nearer_by")]),
    );
    Ok((Explained { rows: found, names, head, of_neighbors }, warning))
}

/// The explanation of a row; `names` are those of the training rows.
fn explanation(model: &Fitted, found: &Explanation, names: &RowNames) -> Value {
    let training_row = |row: usize| {
        let target = match model.training_targets() {
            TrainingTargets::Numbers { targets, .. } => numbers(targets.row(row)),
            _ => json!(model.class_names()[model.reference_labels()[row]]),
        };
        let (number, id) = names.of_row(row);
        let mut named = json!({ "row": number, "target": target });
        if let Some(id) = id {
            named["id"] = json!(id);
        }
        named
    };
    let neighbors = found.neighbors.iter().map(|one| {
        let mut neighbor = training_row(one.reference);
        neighbor["share"] = json!(one.share);
        neighbor["distance"] = json!(one.distance);
        neighbor
    });
    let mut row = json!({ "neighbors": neighbors.collect::<Vec<_>>() });
    if let Some(found) = &found.features {
        let columns = model.scaling().names();
        let named = |at: usize| json!({ "name": columns[at], "nearer_by": found.values[at] });
        let top: Vec<Value> = found.top(FEATURES).into_iter().map(named).collect();
        // How much farther the row compared with is, in the distance of the model's kernel; what the features of all columns
        // sum to more than that; and those that make the neighbors near.
        row["features"] =
            json!({ "difference": found.difference, "error": found.error, "top": top });
        if let Some(rival) = found.rival {
            row["features"]["compared_with"] = training_row(rival);
        }
    }
    row
}

impl Explained {
    fn cells(&self, row: &Value) -> Vec<String> {
        let mut cells = Vec::new();
        for neighbor in row["neighbors"].as_array().into_iter().flatten() {
            cells.push(neighbor["row"].to_string());
            cells.extend(
                self.names
                    .ids
                    .is_some()
                    .then(|| csv_field(neighbor["id"].as_str().unwrap_or_default())),
            );
            cells.extend(["target", "share"].iter().flat_map(|name| csv_cells(&neighbor[name])));
        }
        cells.resize(self.of_neighbors, String::new());
        for feature in row["features"]["top"].as_array().into_iter().flatten() {
            cells.extend(["name", "nearer_by"].iter().flat_map(|name| csv_cells(&feature[name])));
        }
        cells.resize(self.head.len(), String::new());
        cells
    }
}
