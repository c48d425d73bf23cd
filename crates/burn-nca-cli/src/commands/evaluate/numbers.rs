//! `nca evaluate` of a model of numbers.

use anyhow::Result;
use burn_nca_data::TargetKind;
use burn_nca_program::Terminal;

use super::question::Question;
use crate::cli::Format;
use crate::fitting::neighbor_count;
use crate::output;
use burn_nca_report::evaluation::NewNumberScores;

/// Measures a model of numbers on rows with a target.
///
/// # Errors
/// Data whose columns are not the model's, a target that is no number, or k above the training rows.
pub fn evaluate(question: &Question<'_>) -> Result<()> {
    let Question { args, model, .. } = question;
    let (table, warnings) = question.table(TargetKind::Numeric)?;
    let data = table.into_regression()?;
    let k = neighbor_count::of_model(args.neighbors, model)?;
    let mut evaluation = NewNumberScores::of(model, &data, k)?;
    evaluation.warnings.splice(0..0, warnings);
    // Without the table of the fit the embedding tells its rows.
    let train = question.training_rows().ok();
    evaluation.warn_of_copies((model, train.as_ref().map(|train| &train.features)), &data)?;
    evaluation.warnings.extend(train.and_then(|train| question.about_groups(&train)));
    output::warn_of(&evaluation.warnings);
    match args.format {
        Format::Table => output::print_text(&evaluation.text(Terminal::of_stdout())),
        Format::Json => output::print_json(&evaluation),
    }
}
