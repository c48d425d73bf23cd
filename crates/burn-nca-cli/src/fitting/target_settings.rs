//! What the options of `nca fit` say is learned from.

use anyhow::Result;
pub use burn_nca_learn::data::Task as FitTask;
use burn_nca_learn::method::AnyMethod;

use crate::cli::FitArgs;
use crate::cli::targets::TaskKind;
use crate::failure::usage;

/// What the options say is learned from.
///
/// # Errors
/// Options that contradict each other.
pub fn learned_from(args: &FitArgs) -> Result<FitTask> {
    let targets = &args.targets;
    match (targets.pairs.is_some(), targets.soft, targets.task) {
        (true, _, _) => Ok(FitTask::Pairs),
        (_, true, Some(TaskKind::Classification)) => Err(usage(
            "--soft matches numeric targets, and --task classification says that there are none",
            "leave --soft out, or leave --task classification out",
        )),
        (_, true, _) | (_, _, Some(TaskKind::Regression)) => Ok(FitTask::Numbers),
        (_, _, Some(TaskKind::Classification)) => Ok(FitTask::Classes),
        // A method of numbers says so by itself; pairs need their file.
        (_, _, None) => match of_method(args)? {
            Some(FitTask::Numbers) => Ok(FitTask::Numbers),
            _ => Ok(FitTask::Classes),
        },
    }
}

fn of_method(args: &FitArgs) -> Result<Option<FitTask>> {
    let named = args.method.method.as_deref().map(AnyMethod::named).transpose()?;
    Ok(named.and_then(|method| method.info().task))
}
