//! `nca evaluate` of a model of classes.

use anyhow::Result;
use burn_nca_data::TargetKind;

use super::question::Question;
use crate::cli::Format;
use crate::fitting::neighbor_count;
use crate::hint::CommandKind;
use crate::output;
use burn_nca_program::Terminal;
use burn_nca_report::evaluation::NewRowScores;

/// Measures a model of classes on rows with a class.
///
/// # Errors
/// As [`super::run`].
pub fn evaluate(question: &Question<'_>) -> Result<()> {
    let Question { args, model, .. } = question;
    let (table, warnings) = question.table(TargetKind::Classes)?;
    let data = table.into_labeled_as(model.class_names())?;
    let k = neighbor_count::of_model(args.neighbors, model)?;
    let mut evaluation = NewRowScores { warnings, ..NewRowScores::of(model, &data, k)? };
    let train = question.training_rows();
    let known = train.as_ref().ok();
    evaluation.warn_of_copies((model, known.map(|train| &train.features)), &data)?;
    evaluation.warnings.extend(known.and_then(|train| question.about_groups(train)));
    match train.and_then(|train| evaluation.compare(model, &train.features, &data)) {
        // Only what was asked for is an error; elsewhere the reason takes the place of the comparison.
        Err(reason) if args.train.is_none() => {
            evaluation.euclidean_missing =
                Some(crate::failure::in_one_line(&reason, CommandKind::Use));
        }
        compared => compared?,
    }
    evaluation.warn_of_collapse(model)?;
    output::warn_of(&evaluation.warnings);
    match args.format {
        Format::Table => output::print_text(&evaluation.text(Terminal::of_stdout())),
        Format::Json => output::print_json(&evaluation),
    }
}
