//! `nca predict`: the classes, or the numbers, of new rows.

use anyhow::{Result, anyhow, bail};
use burn_nca_data::is_sparse;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;
use burn_nca_learn::estimator::{Decision, TrainingTargets};

use super::explained::Explained;
use super::predicted::Predicted;
use super::{finite, load_with_source, training_rows};
use crate::cli::{PredictArgs, Rule};
use crate::failure::{hinted, usage};
use crate::fitting::neighbor_count::decision;
use crate::output::{self, TableFormat};
use crate::source::Source;
use crate::tables::{self, ModelRows};
use burn_nca_report::Warning;

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
    let asked = (args.rule, args.neighbors);
    // Before the work begins: a spreadsheet's name must not hold CSV.
    let offered = [TableFormat::Csv, TableFormat::Json];
    let format = TableFormat::chosen(args.format, args.out.as_deref(), &offered)?;
    let (whole, source) = load_with_source(&args.model)?;
    let embedded = is_sparse(&args.data).then(|| whole.of_embedded());
    let model = embedded.as_ref().unwrap_or(&whole);
    let read = || -> Result<ModelRows> {
        let of = (&whole, source.as_ref());
        let rows = tables::rows(&args.data, of, (args.id.as_deref(), &args.text))?;
        output::warn_of(&rows.warnings);
        finite::embed(model, (&rows.features, &rows.rows), &args.data)?;
        Ok(rows)
    };
    let target = || source.as_ref().and_then(|source| source.target.as_deref()).unwrap_or(CLASS);
    let explained = |features: &Features, decision: Decision| {
        explained(args, (model, source.as_ref()), (features, decision), target())
    };
    let predicted = match model.training_targets() {
        TrainingTargets::Classes { names, .. } => {
            let rows = read()?;
            let (features, decision) = (&rows.features, decision(asked, model)?);
            let explained = explained(features, decision)?;
            let predicted = if args.probabilities {
                let (classes, shares) = model.decide_probabilities(features, decision)?;
                (classes, Some(shares))
            } else {
                (model.decide_classes(features, decision)?, None)
            };
            Predicted::classes(target(), names, predicted, rows).with_explanations(explained)
        }
        TrainingTargets::Numbers { targets, .. } => {
            if args.probabilities {
                return Err(usage(
                    "--probabilities are of classes, and this model predicts numbers",
                    "leave --probabilities out",
                ));
            }
            let rows = read()?;
            let decision = decision(asked, model)?;
            let explained = explained(&rows.features, decision)?;
            let values = model.decide_numbers(&rows.features, decision)?;
            Predicted::numbers(targets.names(), values, rows).with_explanations(explained)
        }
        TrainingTargets::Unlabeled => bail!(hinted(
            "this model was learned from pairs and has nothing to predict",
            "embed rows with nca transform"
        )),
    };
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

/// The explanations that are asked for, and what to know of them.
fn explained(
    args: &PredictArgs,
    (model, source): (&Fitted, Option<&Source>),
    (features, decision): (&Features, Decision),
    target: &str,
) -> Result<Option<(Explained, Option<Warning>)>> {
    let Some(most) = args.explain else { return Ok(None) };
    let moved = args.train.as_deref();
    let training = match is_sparse(&args.data) {
        true => Err(anyhow!("a sparse table is not read again")),
        false => training_rows::read(source, moved, model),
    };
    let training = if moved.is_some() { Ok(training?) } else { training };
    let (explained, warning) = Explained::of(model, features, (decision, most), training, target)?;
    output::warn_of(&warning);
    Ok(Some((explained, warning)))
}
