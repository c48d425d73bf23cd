//! Options of `nca evaluate` that say nothing to the model at hand: refused, not ignored.

use anyhow::Result;
use burn_nca_learn::estimator::TrainingTargets;

use crate::cli::EvaluateArgs;
use crate::failure::usage;

/// Refuses an option that has no effect on this kind of model.
///
/// # Errors
/// Such an option, with the reason.
pub fn check(args: &EvaluateArgs, known: &TrainingTargets) -> Result<()> {
    const OF_PAIRS: &str = "this model was learned from pairs";
    let (name, pairs) = match known {
        TrainingTargets::Classes { .. } => ("classes", false),
        TrainingTargets::Numbers { .. } => ("a numeric target", false),
        TrainingTargets::Unlabeled => ("pairs", true),
    };
    let refused = [
        (
            !args.source.ignore.is_empty(),
            "--ignore",
            "a model picks its own columns by their names".to_string(),
        ),
        (
            args.pairs.is_some() && !pairs,
            "--pairs",
            format!("this model was learned from {name}, and a target measures it"),
        ),
        (
            args.source.target.is_some() && pairs,
            "--target",
            format!("{OF_PAIRS}, and --pairs FILE measures it"),
        ),
        (
            args.neighbors.is_some() && pairs,
            "--neighbors",
            format!("{OF_PAIRS}, and its measures ask for the rank of the partner"),
        ),
        (
            args.train.is_some() && pairs,
            "--train",
            format!("{OF_PAIRS}, and no training rows are compared with"),
        ),
    ];
    match refused.into_iter().find(|(given, _, _)| *given) {
        Some((_, option, reason)) => Err(usage(
            format!("{option} has no effect here: {reason}"),
            format!("leave {option} out"),
        )),
        None => Ok(()),
    }
}
