//! `nca evaluate` of a model of classes.

use anyhow::Result;
use burn_nca::Fitted;
use burn_nca::data::{Features, Labeled};
use burn_nca::evaluate::{Accuracy, Spread};
use burn_nca_data::TargetKind;

use super::euclidean::Euclidean;
use super::measures::Evaluation;
use super::question::Question;
use super::text;
use crate::cli::Format;
use crate::fitting::neighbor_count::of_classes;
use crate::fitting::repeats::{Seen, measured_copies};
use crate::fitting::warnings::about_spread;
use crate::output;
use burn_nca_program::Terminal;
use burn_nca_report::{Warning, falls_short};

/// Measures a model of classes on rows with a class.
///
/// # Errors
/// As [`super::run`].
pub fn evaluate(question: &Question<'_>) -> Result<()> {
    let Question { args, model, .. } = question;
    let (table, warnings) = question.table(TargetKind::Classes)?;
    let data = table.into_labeled_as(model.class_names())?;
    let k = of_classes(args.neighbors, model)?;
    let mut evaluation = Evaluation { warnings, ..Evaluation::of(model, &data, k)? };
    let train = question.training_rows();
    let compared = train.and_then(|train| {
        Ok((Euclidean::of(model, &train, &data, (&evaluation.predicted, k))?, train))
    });
    match compared {
        Ok((comparison, train)) => {
            evaluation.warnings.extend(about_copies(&train, &data, &evaluation));
            evaluation.euclidean = Some(comparison);
        }
        // Only what was asked for is an error; elsewhere the reason stands where the comparison would.
        Err(reason) if args.train.is_none() => {
            evaluation.euclidean_missing = Some(crate::failure::in_one_line(&reason));
        }
        Err(error) => return Err(error),
    }
    evaluation.warnings.extend(about_collapse(model, &data, &evaluation)?);
    output::warn_of(&evaluation.warnings);
    match args.format {
        Format::Table => output::print_text(&text::text(&evaluation, Terminal::of_stdout())),
        Format::Json => output::print_json(&evaluation),
    }
}

/// Says which rows the model was fitted on, and how it does on the others; and which occur more than once.
fn about_copies(train: &Features, data: &Labeled, found: &Evaluation) -> Vec<Warning> {
    let on_others = |others: &[usize]| {
        let of = |labels: &[usize]| -> Vec<usize> { others.iter().map(|&at| labels[at]).collect() };
        let accuracy = Accuracy::of(&of(&found.predicted), &of(data.labels())).ok()?.value()?;
        Some(format!("{}-NN accuracy {:.1} %", found.neighbors, 100.0 * accuracy))
    };
    let seen = Seen::of_model(data.features(), train).warning(on_others);
    seen.into_iter().chain(measured_copies(data.features())).collect()
}

fn about_collapse(
    model: &Fitted,
    data: &Labeled,
    evaluation: &Evaluation,
) -> Result<Option<Warning>> {
    let plain = evaluation.euclidean.as_ref().and_then(|euclidean| euclidean.knn);
    let pair = evaluation.accuracy.knn.zip(plain);
    let shortfall = pair.filter(|&(learned, plain)| falls_short(learned, plain, data.rows()));
    let shortfall = shortfall.map(|(learned, plain)| {
        format!(
            "{}-NN is right on {:.1} % of these rows, on {:.1} % with Euclidean distance",
            evaluation.neighbors,
            100.0 * learned,
            100.0 * plain
        )
    });
    Ok(about_spread(Spread::of(model.references())?, shortfall))
}
