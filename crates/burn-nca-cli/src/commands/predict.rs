//! `nca predict`: the classes, or the numbers, of new rows.

use anyhow::{Result, bail};
use burn_nca_data::is_sparse;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;
use burn_nca_learn::estimator::TrainingTargets;

use super::predicted::Predicted;
use super::{finite, load_model, model_folder};
use crate::cli::{NeighborCount, PredictArgs, RowsFormat, Rule};
use crate::failure::{hinted, usage};
use crate::fitting::neighbor_count::{of_classes, of_numbers};
use crate::output::{self, TableFormat};
use crate::source::Source;
use crate::tables::{self, ModelRows};

/// The column of the predictions where the fit knew no name of the target.
const CLASS: &str = "class";

/// One class per row, and one share per class and row, where they are asked for.
struct Prediction {
    classes: Vec<usize>,
    shares: Vec<f64>,
}

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
    let format = format(args)?;
    let whole = load_model(&args.model)?;
    let source = Source::of_model(&model_folder(&args.model.model))?;
    let embedded = is_sparse(&args.data).then(|| whole.of_embedded());
    let model = embedded.as_ref().unwrap_or(&whole);
    let read = || -> Result<ModelRows> {
        let of = (&whole, source.as_ref());
        let rows = tables::rows(&args.data, of, (args.id.as_deref(), &args.text))?;
        output::warn_of(&rows.warnings);
        finite::check(model, (&rows.features, &rows.rows), &args.data)?;
        Ok(rows)
    };
    let target = || source.as_ref().and_then(|source| source.target.as_deref()).unwrap_or(CLASS);
    let predicted = match model.training_targets() {
        TrainingTargets::Classes { names, .. } => {
            let rows = read()?;
            let prediction = match args.rule.unwrap_or(Rule::Knn) {
                Rule::Knn => by_votes(model, &rows.features, args.neighbors, args.probabilities)?,
                Rule::Soft => by_probability(model, &rows.features)?,
            };
            let shares = args.probabilities.then_some(prediction.shares);
            Predicted::classes(target(), names, (prediction.classes, shares), rows)
        }
        TrainingTargets::Numbers { targets, .. } => {
            if args.probabilities {
                return Err(usage(
                    "--probabilities are of classes, and this model predicts numbers",
                    "leave --probabilities out",
                ));
            }
            let rows = read()?;
            let values = numbers(args, model, (targets, &rows.features))?;
            Predicted::numbers(targets.names(), values, rows)
        }
        TrainingTargets::Unlabeled => bail!(hinted(
            "this model was learned from pairs and has nothing to predict",
            "embed rows with nca transform"
        )),
    };
    let text = match format {
        RowsFormat::Csv => predicted.csv(),
        RowsFormat::Json => predicted.json()?,
    };
    match (&args.out, format) {
        (Some(path), _) => output::write_file(path, text.as_bytes()),
        (None, RowsFormat::Csv) => output::print_csv(&text),
        (None, RowsFormat::Json) => output::print_json_text(&text),
    }
}

/// How the predictions are written: as asked for, or as the name of the file says.
fn format(args: &PredictArgs) -> Result<RowsFormat> {
    let offered: &[TableFormat] = match args.format {
        None => &[TableFormat::Csv, TableFormat::Json],
        Some(RowsFormat::Csv) => &[TableFormat::Csv],
        Some(RowsFormat::Json) => &[TableFormat::Json],
    };
    let named = TableFormat::of(args.out.as_deref(), offered)?;
    let by_name = if named == TableFormat::Json { RowsFormat::Json } else { RowsFormat::Csv };
    Ok(args.format.unwrap_or(by_name))
}

/// The numbers of each row, row-major.
fn numbers(
    args: &PredictArgs,
    model: &Fitted,
    (targets, features): (&Features, &Features),
) -> Result<Vec<f64>> {
    // A k asks for the nearest; without one the rule that the metric was learned for decides.
    let rule = args.rule.unwrap_or(if args.neighbors.is_some() { Rule::Knn } else { Rule::Soft });
    Ok(match rule {
        Rule::Knn => {
            model.predict_numbers(features, of_numbers(args.neighbors, targets.rows())?)?
        }
        Rule::Soft => model.predict_kernel(features)?,
    })
}

fn by_votes(
    model: &Fitted,
    features: &Features,
    k: Option<NeighborCount>,
    with_shares: bool,
) -> Result<Prediction> {
    let k = of_classes(k, model)?;
    let shares = if with_shares { model.vote_shares(features, k)? } else { Vec::new() };
    Ok(Prediction { classes: model.predict(features, k)?, shares })
}

fn by_probability(model: &Fitted, features: &Features) -> Result<Prediction> {
    let probabilities = model.class_probabilities(features)?;
    let (rows, classes) = (probabilities.rows(), probabilities.classes());
    let cells = (0..rows).flat_map(|row| (0..classes).map(move |class| (row, class)));
    Ok(Prediction {
        classes: probabilities.most_probable(),
        shares: cells.map(|(row, class)| probabilities.probability(row, class)).collect(),
    })
}
