//! `nca predict`: the classes, or the numbers, of new rows, as CSV and as JSON.

use anyhow::{Result, anyhow, bail};
use burn_nca_data::{csv_field, csv_number};
use burn_nca_learn::data::Features;
use burn_nca_learn::estimator::{Decision, TrainingTargets};
use burn_nca_report::Warning;
use serde::Serialize;
use serde_json::{Map, json};

use super::explained::Explained;
use super::loaded::Loaded;
use super::training_rows;
use crate::cli::{PredictArgs, Rule};
use crate::failure::{hinted, usage};
use crate::fitting::neighbor_count::decision;
use crate::output::{self, TableFormat};
use crate::tables::{self, ModelRows};

/// The column of the predictions where the fit knew no name of the target.
const CLASS: &str = "class";

/// Classifies the rows of a table, or predicts their target.
///
/// # Errors
/// No model, one of pairs, data that do not fit it, k above the training rows, or a file that cannot be written.
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
    let rows = tables::rows(&args.data, loaded.of_columns(), (args.id.as_deref(), &args.text))?;
    output::warn_of(&rows.warnings);
    let features = &rows.features;
    loaded.embed((features, &rows.rows), &args.data)?;
    let decision = decision((args.rule, args.neighbors), model)?;
    let target = loaded.source.as_ref().and_then(|source| source.target.as_deref());
    let target = target.unwrap_or(CLASS);
    let explained = explained(args, &loaded, (features, decision), target)?;
    let predicted = match targets {
        TrainingTargets::Numbers { targets, .. } => {
            let values = model.decide_numbers(features, decision)?;
            Predicted::numbers(targets.names(), &values, rows)
        }
        _ => {
            let predicted = if args.probabilities {
                let (classes, shares) = model.decide_probabilities(features, decision)?;
                (classes, Some(shares))
            } else {
                (model.decide_classes(features, decision)?, None)
            };
            Predicted::classes(target, model.class_names(), predicted, rows)
        }
    };
    let predicted = predicted.with_explanations(explained);
    let text = match format {
        TableFormat::Json => predicted.json()?,
        _ => predicted.csv(),
    };
    match (&args.out, format) {
        (Some(path), _) => output::write_file(path, text.as_bytes()),
        (None, TableFormat::Json) => output::print_json_text(&text),
        (None, _) => output::print_csv(&text),
    }
}

/// The explanations that are asked for.
fn explained<'a>(
    args: &PredictArgs,
    loaded: &'a Loaded,
    (features, decision): (&Features, Decision),
    target: &str,
) -> Result<Option<Explained<'a>>> {
    let Some(most) = args.explain else { return Ok(None) };
    let moved = args.train.as_deref();
    let training = match loaded.embedded {
        Some(_) => Err(anyhow!("a sparse table is not read again")),
        None => training_rows::read(loaded.source.as_ref(), moved, loaded.model()),
    };
    let training = if moved.is_some() { Ok(training?) } else { training };
    let model = loaded.model();
    let explained = Explained::of(model, features, (decision, most), training, target)?;
    output::warn_of(&explained.warning);
    Ok(Some(explained))
}

/// The predictions for the rows of a table, as the JSON document has them.
#[derive(Serialize)]
struct Predicted<'a> {
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    rows: Vec<Row>,
    /// What was unusual in the table.
    warnings: Vec<Warning>,
    /// The classes, where their shares were asked for.
    #[serde(skip)]
    classes: Vec<String>,
    /// What the predictions are made of, where that was asked for.
    #[serde(skip)]
    explained: Option<Explained<'a>>,
}

/// A row of the table; one that was left out has no prediction.
#[derive(Serialize)]
struct Row {
    /// From 1.
    row: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    prediction: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Map<String, serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<serde_json::Value>,
    /// Its place among the rows that were kept.
    #[serde(skip)]
    place: usize,
    /// Its share of each class.
    #[serde(skip)]
    shares: Vec<f64>,
}

/// A class or numbers.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Class(String),
    Number(f64),
    Numbers(Vec<f64>),
}

impl<'a> Predicted<'a> {
    /// What is predicted for each row that was kept.
    fn of(target: String, table: ModelRows, value: impl Fn(usize) -> Value) -> Self {
        let places = table.places().into_iter().enumerate();
        let (id, ids) = table.ids.unzip();
        let mut ids = ids.into_iter().flatten();
        let row = |(at, place): (usize, Option<usize>)| Row {
            row: at + 1,
            id: ids.next(),
            prediction: place.map(&value),
            probabilities: None,
            explanation: None,
            place: place.unwrap_or_default(),
            shares: Vec::new(),
        };
        let (rows, warnings) = (places.map(row).collect(), table.warnings);
        Self { target, id, rows, warnings, classes: Vec::new(), explained: None }
    }

    /// A class per row that was kept, and perhaps the share of each class, row-major.
    fn classes(
        target: &str,
        names: &[String],
        (classes, shares): (Vec<usize>, Option<Vec<f64>>),
        table: ModelRows,
    ) -> Self {
        let class = |place: usize| Value::Class(names[classes[place]].clone());
        let mut predicted = Self::of(target.to_string(), table, class);
        if let Some(shares) = shares {
            let rows = predicted.rows.iter_mut().filter(|row| row.prediction.is_some());
            rows.zip(shares.chunks(names.len())).for_each(|(row, of)| row.shares = of.to_vec());
            predicted.classes = names.to_vec();
        }
        predicted
    }

    /// Numbers per row that was kept, row-major, one a target.
    fn numbers(targets: &[String], values: &[f64], table: ModelRows) -> Self {
        let names: Vec<String> = targets.iter().map(|name| csv_field(name)).collect();
        let target = if let [name] = targets { name.clone() } else { names.join(",") };
        let of_rows: Vec<&[f64]> = values.chunks(targets.len()).collect();
        Self::of(target, table, |place| match of_rows[place] {
            [number] => Value::Number(*number),
            numbers => Value::Numbers(numbers.to_vec()),
        })
    }

    /// The same with what they are made of, and what to say of that.
    fn with_explanations(mut self, mut explained: Option<Explained<'a>>) -> Self {
        self.warnings.extend(explained.as_mut().and_then(|found| found.warning.take()));
        Self { explained, ..self }
    }

    /// One line per row: its name, the prediction, and one column `p_CLASS` per class where shares were asked for;
    /// then what it is made of.
    fn csv(&self) -> String {
        let mut head: Vec<String> = self.id.iter().map(|name| csv_field(name)).collect();
        head.push(csv_field(&self.target));
        head.extend(self.classes.iter().map(|class| csv_field(&format!("p_{class}"))));
        let of_explained = self.explained.as_ref().map_or(&[][..], |found| &found.head);
        head.extend_from_slice(of_explained);
        let more = self.classes.len() + of_explained.len();
        let mut text = head.join(",") + "\n";
        for row in &self.rows {
            let mut cells: Vec<String> = row.id.iter().map(|id| csv_field(id)).collect();
            cells.push(match &row.prediction {
                None => ",".repeat(more),
                Some(Value::Class(name)) => csv_field(name),
                Some(Value::Number(number)) => csv_number(*number),
                Some(Value::Numbers(numbers)) => {
                    numbers.iter().copied().map(csv_number).collect::<Vec<_>>().join(",")
                }
            });
            cells.extend(row.shares.iter().copied().map(csv_number));
            let explained = self.explained.iter().filter(|_| row.prediction.is_some());
            cells.extend(explained.flat_map(|found| found.cells(row.place)));
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }

    /// The same as one document.
    ///
    /// # Errors
    /// None that a prediction has: its numbers are finite.
    fn json(mut self) -> Result<String> {
        for row in self.rows.iter_mut().filter(|row| row.prediction.is_some()) {
            let shares = row.shares.iter().map(|share| json!(share));
            let named = self.classes.iter().cloned().zip(shares);
            row.probabilities = (!self.classes.is_empty()).then(|| named.collect());
            row.explanation = self.explained.as_ref().map(|found| found.json(row.place));
        }
        Ok(serde_json::to_string_pretty(&self)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::data::Features;
    use burn_nca_report::WarningCode;

    use super::*;

    fn rows(total: usize, kept: Vec<usize>, ids: Option<&[&str]>) -> ModelRows {
        ModelRows {
            features: Features::unnamed(vec![0.0; kept.len()], 1).unwrap(),
            rows: kept,
            total,
            ids: ids.map(|ids| ("name".into(), ids.iter().map(|id| (*id).into()).collect())),
            warnings: vec![Warning::new(WarningCode::Prepared, "a level is new")],
        }
    }

    fn names() -> Vec<String> {
        vec!["a".to_string(), "b, c".to_string()]
    }

    #[test]
    fn classes_are_quoted_where_they_must_be() {
        let shares = Some(vec![0.25, 0.75, 1.0, 2e-20]);
        let of = |target, shares| {
            Predicted::classes(target, &names(), (vec![1, 0], shares), rows(2, vec![0, 1], None))
        };
        assert_eq!(of("class", None).csv(), "class\n\"b, c\"\na\n");
        assert_eq!(
            of("a, b", shares).csv(),
            "\"a, b\",p_a,\"p_b, c\"\n\"b, c\",0.25,0.75\na,1,2e-20\n"
        );
    }

    #[test]
    fn rows_keep_their_names_and_one_that_was_left_out_has_no_prediction() {
        let kept = rows(3, vec![0, 2], Some(&["x", "y", "z"]));
        let found = Predicted::classes(
            "kind",
            &names(),
            (vec![1, 0], Some(vec![0.5, 0.5, 1.0, 0.0])),
            kept,
        );
        assert_eq!(found.csv(), "name,kind,p_a,\"p_b, c\"\nx,\"b, c\",0.5,0.5\ny,,,\nz,a,1,0\n");
        let document: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
        assert_eq!(document["target"], "kind");
        assert_eq!(document["rows"][0]["id"], "x");
        assert_eq!(document["rows"][0]["probabilities"]["b, c"], 0.5);
        assert!(document["rows"][1]["prediction"].is_null());
        assert_eq!(document["rows"][2]["prediction"], "a");
        assert_eq!(document["warnings"][0]["text"], "a level is new");
    }

    #[test]
    fn numbers_are_numbers() {
        let found = Predicted::numbers(&["price".into()], &[1.5, 1e-7], rows(2, vec![0, 1], None));
        assert_eq!(found.csv(), "price\n1.5\n1e-7\n");
        let document: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
        assert_eq!(document["rows"][1]["prediction"], 1e-7);
    }
}
