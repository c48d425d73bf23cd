//! `nca evaluate`: what a saved model is worth on rows whose target is known.

mod euclidean;
mod measures;
mod options;
mod text;
pub(super) mod training_pairs;
pub(super) mod training_rows;

use std::path::Path;

use anyhow::{Context, Result};
use burn_nca::Fitted;
use burn_nca::data::{Features, Labelled};
use burn_nca::estimator::Known;
use burn_nca::evaluate::Spread;
use burn_nca_datasets::{CsvOptions, Table, TargetColumn, Task, by_name, open};

use super::{evaluate_continuous, finite, load_model, model_folder, neighbors_or_default};
use crate::cli::{EvaluateArgs, Format};
use crate::fitting::warnings::about_spread;
use crate::output;
use crate::report::{Warning, falls_short};
use crate::source::Source;
use euclidean::Euclidean;
use measures::Evaluation;

/// A model, where it came from, and what is asked of it.
pub(super) struct Question<'a> {
    pub args: &'a EvaluateArgs,
    pub model: &'a Fitted,
    pub source: Option<Source>,
}

/// Measures a model on rows with a target, or on pairs.
///
/// # Errors
/// No model, data whose columns or classes are not the model's, k above the training rows, or a `--train` that does
/// not hold them.
pub fn run(args: &EvaluateArgs) -> Result<()> {
    let model = load_model(&args.model)?;
    options::check(args, model.known())?;
    let source = Source::of_model(&model_folder(&args.model.model))?;
    let question = Question { args, model: &model, source };
    match model.known() {
        Known::Numbers(_) => evaluate_continuous::of_numbers(&question),
        Known::Unlabelled => evaluate_continuous::of_pairs(&question),
        Known::Classes { .. } => of_classes(&question),
    }
}

fn of_classes(question: &Question<'_>) -> Result<()> {
    let Question { args, model, .. } = question;
    let table = question.table(Task::Classes)?;
    let data = table.into_labelled_as(model.class_names())?;
    finite::check(model, data.features(), &args.source.data)?;
    let k = neighbors_or_default(args.neighbors, model.reference_labels().len());
    let mut evaluation = Evaluation::of(model, &data, k)?;
    let train = question.training_rows();
    let compared =
        train.and_then(|train| Ok((Euclidean::of(model, &train, &data, &evaluation)?, train)));
    match compared {
        Ok((comparison, train)) => {
            evaluation.warnings.extend(training_rows::warning(&train, data.features()));
            evaluation.euclidean = Some(comparison);
        }
        // Only what was asked for is an error; elsewhere the reason stands where the comparison would.
        Err(reason) if args.train.is_none() => {
            evaluation.euclidean_missing = Some(crate::failure::in_one_line(&reason));
        }
        Err(error) => return Err(error),
    }
    evaluation.warnings.extend(about_collapse(model, &data, &evaluation)?);
    told(&evaluation.warnings);
    match args.format {
        Format::Table => output::print_text(&text::text(&evaluation)),
        Format::Json => output::print_json(&evaluation),
    }
}

/// Says on stderr what the JSON says too.
pub(super) fn told(warnings: &[Warning]) {
    warnings.iter().for_each(|warning| output::warn(&warning.text));
}

fn about_collapse(
    model: &Fitted,
    data: &Labelled,
    evaluation: &Evaluation,
) -> Result<Option<Warning>> {
    let plain = evaluation.euclidean.as_ref().and_then(|euclidean| euclidean.knn);
    let pair = evaluation.accuracy.knn.zip(plain);
    let shortfall = pair.filter(|&(learnt, plain)| falls_short(learnt, plain, data.rows()));
    let shortfall = shortfall.map(|(learnt, plain)| {
        format!(
            "{}-NN is right on {:.1} % of these rows, on {:.1} % with Euclidean distance",
            evaluation.neighbors,
            100.0 * learnt,
            100.0 * plain
        )
    });
    Ok(about_spread(Spread::of(model.references())?, shortfall))
}

impl Question<'_> {
    /// The table to measure on, with the model's columns.
    ///
    /// From a CSV file the columns are picked by their names, and the target by the name it had in the fit; others may
    /// stand beside them.
    ///
    /// # Errors
    /// A table that cannot be read, or of other columns.
    pub(super) fn table(&self, task: Task) -> Result<Table> {
        let (path, scaling) = (&self.args.source.data, self.model.scaling());
        let mut options = CsvOptions { task, ..CsvOptions::default() };
        let given = self.args.source.target.clone();
        options.target = given.clone().map_or(TargetColumn::Last, TargetColumn::Name);
        let mut learnt = None;
        if by_name(path).is_none() && Path::new(path).exists() {
            options.features = Some(scaling.names().to_vec());
            learnt = self.source.as_ref().and_then(|source| source.target.clone());
            learnt = learnt.filter(|_| given.is_none());
            if let Some(target) = &learnt {
                options.target = TargetColumn::Name(target.clone());
            }
        }
        let table = open(path, &options);
        let table = match learnt {
            Some(target) => table.with_context(|| {
                let target = output::short_name(&target);
                format!("the model's target is \"{target}\"; name that of {path} with --target")
            })?,
            None => table?,
        };
        scaling.check_columns(table.features.names())?;
        Ok(table)
    }

    /// The training rows, read again.
    ///
    /// # Errors
    /// As [`training_rows::features`].
    pub(super) fn training_rows(&self) -> Result<Features> {
        training_rows::features(self.source.as_ref(), self.args.train.as_deref(), self.model)
    }
}
