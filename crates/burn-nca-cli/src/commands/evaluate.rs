//! `nca evaluate`: the scores of a saved model on rows whose target is known.

mod classes;
mod numbers;
mod options;
mod pairs;
mod question;
mod training_pairs;

use anyhow::Result;
use burn_nca_data::is_sparse;
use burn_nca_learn::estimator::TrainingTargets;

use super::load_with_source;
use crate::cli::EvaluateArgs;
use question::Question;

/// Measures a model on rows with a target, or on pairs.
///
/// # Errors
/// No model, data whose columns or classes are not the model's, k above the training rows, or a `--train` that does
/// not hold them.
pub fn run(args: &EvaluateArgs) -> Result<()> {
    let (model, source) = load_with_source(&args.model)?;
    options::check(args, model.training_targets())?;
    let embedded = is_sparse(&args.source.data).then(|| model.of_embedded());
    let whole = embedded.is_some().then_some(&model);
    let model = embedded.as_ref().unwrap_or(&model);
    let question = Question { args, model, whole, source };
    match model.training_targets() {
        TrainingTargets::Classes { .. } => classes::evaluate(&question),
        TrainingTargets::Numbers { .. } => numbers::evaluate(&question),
        TrainingTargets::Unlabeled => pairs::evaluate(&question),
    }
}
