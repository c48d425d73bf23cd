//! From the options of `nca fit` to what is learned from, and to the method and its settings.

use anyhow::Result;
use burn_nca_learn::Error;
use burn_nca_learn::data::Task;
use burn_nca_learn::method::AnyMethod;

use crate::cli::FitArgs;
use crate::failure::{Usage, usage};

pub fn learned_from(args: &FitArgs) -> Result<Task> {
    let targets = &args.targets;
    match (targets.pairs.is_some(), targets.soft, targets.task) {
        (true, _, _) => Ok(Task::Pairs),
        (_, true, Some(Task::Classes)) => Err(usage(
            "--soft matches numeric targets, and --task classification says that there are none",
            "leave --soft out, or leave --task classification out",
        )),
        (_, true, _) => Ok(Task::Numbers),
        (_, _, Some(task)) => Ok(task),
        // A method of numbers says so by itself; pairs need their file.
        (_, _, None) => {
            let named = args.method.method.as_deref().map(AnyMethod::named).transpose()?;
            let task = named.and_then(|method| method.info().task);
            Ok(task.filter(|task| *task == Task::Numbers).unwrap_or(Task::Classes))
        }
    }
}

/// The method that the options name, or the one of the task.
pub fn chosen(args: &FitArgs, task: Task) -> Result<AnyMethod> {
    let method = AnyMethod::named(name(args, task)?)?;
    let info = method.info();
    if !method.takes(task) {
        let (learns, cure) = match info.task {
            Some(Task::Classes) => ("classes", "leave --task regression, --soft and --pairs out"),
            Some(Task::Numbers) => ("a numeric target", "give --task regression"),
            _ => ("pairs of rows", "give --pairs FILE"),
        };
        return Err(usage(
            format!("--method {} learns from {learns}, and these options give {task}", info.name),
            format!("{cure}, or choose another method (nca methods lists them)"),
        ));
    }
    let mut given = of_options(args);
    given.retain(|(name, _, _)| method.settings().contains_key(*name));
    let mut chosen = method.clone();
    for (name, value, _) in &given {
        chosen = chosen.with_setting(name, value)?;
    }
    for (at, (name, value)) in args.method.set.iter().enumerate() {
        if let Some((_, _, option)) = given.iter().find(|(given, _, _)| given == name) {
            return Err(usage(
                format!("{option} and --set {name} say the same"),
                "leave one of them out",
            ));
        }
        if args.method.set[..at].iter().any(|(before, _)| before == name) {
            return Err(usage(format!("--set {name} is given twice"), "leave one of them out"));
        }
        chosen = chosen
            .with_setting(name, value)
            .map_err(|error| Usage(Error::data(error.to_string())))?;
    }
    Ok(chosen)
}

fn name(args: &FitArgs, task: Task) -> Result<&str> {
    match (args.method.method.as_deref(), args.targets.soft) {
        (Some(name), true) if name != "soft-nca" => Err(usage(
            format!("--soft means --method soft-nca, and --method {name} is given"),
            "leave one of them out",
        )),
        // One name for classes and numbers: which of them it is the target says.
        (Some("modern"), _) if task == Task::Numbers => Ok("modern-regression"),
        (Some(name), _) => Ok(name),
        (None, true) => Ok("soft-nca"),
        (None, false) => Ok(match task {
            Task::Classes => "nca",
            Task::Numbers => "mlkr",
            Task::Pairs => "pairs",
        }),
    }
}

/// The settings that have an option of their own: name, value, option.
fn of_options(args: &FitArgs) -> Vec<(&'static str, String, &'static str)> {
    let criterion = args.model.objective.map(|criterion| format!("{criterion:?}"));
    let repulsion = Some(args.model.repulsion).filter(|repulsion| *repulsion > 0.0);
    let width = args.targets.width.map(|width| width.to_string());
    let given = [
        ("criterion", criterion, "--objective"),
        ("repulsion", repulsion.map(|repulsion| repulsion.to_string()), "--repulsion"),
        ("width", width, "--width"),
    ];
    given.into_iter().filter_map(|(name, value, option)| Some((name, value?, option))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::fit_args;

    #[test]
    fn the_task_stands_for_a_method_and_a_method_for_its_task() {
        for (options, expected) in [
            ("", "nca"),
            ("--task regression", "mlkr"),
            ("--soft", "soft-nca"),
            ("--pairs p.csv", "pairs"),
            ("--method mlkr", "mlkr"),
            ("--method modern", "modern"),
            ("--method modern --task regression", "modern-regression"),
            ("--method pca --pairs p.csv", "pca"),
        ] {
            let args = fit_args(options);
            let method = chosen(&args, learned_from(&args).unwrap()).unwrap();
            assert_eq!(method.info().name, expected, "{options}");
        }
    }
}
