mod euclidean;
mod measures;
mod text;
mod training_rows;

use std::path::Path;

use anyhow::Result;
use burn_nca::Fitted;
use burn_nca::data::Labelled;
use burn_nca::estimator::Known;
use burn_nca::evaluate::Spread;
use burn_nca_datasets::{by_name, open};

use super::{csv_options, evaluate_continuous, load_model, neighbors_or_default};
use crate::cli::{EvaluateArgs, Format};
use crate::fitting::warnings::about_spread;
use crate::output;
use euclidean::Euclidean;
use measures::Evaluation;

/// Measures a model on labelled rows.
///
/// # Errors
/// No model, data whose columns or classes are not the model's, k above the training rows, or a `--train` that does
/// not hold them.
pub fn run(args: &EvaluateArgs) -> Result<()> {
    let model = load_model(&args.model)?;
    if let Some(remark) = about_spread(Spread::of(model.references())?) {
        output::warn(&remark);
    }
    match model.known() {
        Known::Numbers(_) => return evaluate_continuous::of_numbers(args, &model),
        Known::Unlabelled => return evaluate_continuous::of_pairs(args, &model),
        Known::Classes { .. } => {}
    }
    let data = labelled(args, &model)?;
    let k = neighbors_or_default(args.neighbors, model.reference_labels().len());
    let mut evaluation = Evaluation::of(&model, &data, k)?;
    match compare(args, &model, &data, &evaluation) {
        Ok(comparison) => evaluation.euclidean = Some(comparison),
        // Only what was asked for is an error; elsewhere the reason stands where the comparison would.
        Err(reason) if args.train.is_none() => {
            evaluation.euclidean_missing = Some(crate::failure::in_one_line(&reason));
        }
        Err(error) => return Err(error),
    }
    match args.format {
        Format::Table => output::print(&text::text(&evaluation)),
        Format::Json => output::print_json(&evaluation),
    }
}

/// The same k-NN without the learnt map, on the training rows read again.
fn compare(
    args: &EvaluateArgs,
    model: &Fitted,
    data: &Labelled,
    evaluation: &Evaluation,
) -> Result<Euclidean> {
    let train = training_rows::scaled(&args.model.model, args.train.as_deref(), model)?;
    Euclidean::of(model, &train, data, evaluation)
}

/// The rows with the model's columns and classes.
///
/// From a CSV file, the columns are picked by their names; others may stand beside them.
fn labelled(args: &EvaluateArgs, model: &Fitted) -> Result<Labelled> {
    let source = &args.source.data;
    let columns = model.scaling().names();
    let mut options = csv_options(&args.source);
    if by_name(source).is_none() && Path::new(source).exists() {
        options.features = Some(columns.to_vec());
        options.ignore.clear();
    }
    let table = open(source, &options)?;
    model.scaling().check_columns(table.features.names())?;
    Ok(table.into_labelled_as(model.class_names())?)
}
