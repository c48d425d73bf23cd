//! Options of columns that contradict each other or what is learned: refused before the table is read.

use anyhow::Result;
use burn_nca_learn::data::{Missing, Task};

use crate::cli::FitArgs;
use crate::failure::usage;
use crate::hint::ignore_instead;

/// Refuses options of columns that do not go together.
///
/// # Errors
/// Such options, with the reason and the cure.
pub fn check(args: &FitArgs, task: Task) -> Result<()> {
    refuse_without_effect(args, task)?;
    refuse_without_use(args, task)?;
    refuse_two_roles(args)
}

/// Refuses options that say nothing of such data, or with others.
fn refuse_without_effect(args: &FitArgs, task: Task) -> Result<()> {
    let columns = &args.columns;
    let (pairs, classes) = (task == Task::Pairs, task == Task::Classes);
    let refused = [
        (
            columns.balanced && !classes,
            "--balanced lets classes count alike, and there are none here",
            "leave --balanced out",
        ),
        (
            columns.unlabeled.is_some() && !classes,
            "--unlabeled is about rows without a class, and there are no classes here",
            "leave --unlabeled out",
        ),
        (
            columns.unlabeled_class.is_some() && !classes,
            "--unlabeled-class marks rows without a class, and there are no classes here",
            "leave --unlabeled-class out",
        ),
        (
            pairs && columns.test.is_some(),
            "--test parts rows, and what is held out here are pairs",
            "leave --test out",
        ),
        (
            pairs && columns.missing == Some(Missing::Drop),
            "--missing drop would renumber the rows that the pairs name",
            "give --missing mean, median or most-frequent",
        ),
        (
            columns.missing_indicators && columns.missing == Some(Missing::Drop),
            "--missing-indicators says which values were filled in, and --missing drop fills in none",
            "leave --missing-indicators out, or give --missing mean, median or most-frequent",
        ),
    ];
    match refused.into_iter().find(|(given, _, _)| *given) {
        Some((_, text, hint)) => Err(usage(text, hint)),
        None => Ok(()),
    }
}

/// Refuses options that name a column which has no use here.
fn refuse_without_use(args: &FitArgs, task: Task) -> Result<()> {
    let (columns, pairs) = (&args.columns, task == Task::Pairs);
    let is_split = columns.split.is_some() || columns.test.is_some();
    let without_use = [
        (
            pairs,
            ("--weights", &columns.weights),
            "--weights counts rows, and pairs have weights of their own, in the third column of --pairs",
        ),
        (
            pairs,
            ("--split", &columns.split),
            "--split parts rows, and what is held out here are pairs",
        ),
        (
            pairs,
            ("--groups", &columns.groups),
            "--groups parts rows, and what is held out here are pairs",
        ),
        (
            pairs,
            ("--target", &args.source.target),
            "--target has no use where --pairs says what belongs together",
        ),
        (
            is_split,
            ("--groups", &columns.groups),
            "--groups keeps groups whole when rows are held out, and --split and --test name these rows",
        ),
    ];
    for (useless, (option, column), text) in without_use {
        if let Some(column) = column.as_ref().filter(|_| useless) {
            return Err(usage(text, ignore_instead(option, column)));
        }
    }
    Ok(())
}

/// Refuses two roles of one column.
fn refuse_two_roles(args: &FitArgs) -> Result<()> {
    let columns = &args.columns;
    let target = ("--target", &args.source.target);
    let roles =
        [("--id", &columns.id), ("--weights", &columns.weights), ("--split", &columns.split)];
    let groups = ("--groups", &columns.groups);
    for (at, (option, column)) in roles.iter().enumerate() {
        let others = [target, groups].into_iter().chain(roles[at + 1..].iter().copied());
        for (other, same) in others {
            // The groups of rows may well be what names them.
            let may = (*option, other) == ("--id", "--groups");
            if !may && column.is_some() && *column == same {
                let name = column.as_deref().unwrap_or_default();
                return Err(usage(
                    format!("{option} and {other} both name the column {name:?}"),
                    "name another column in one of them",
                ));
            }
        }
    }
    if groups.1.is_some() && groups.1 == target.1 {
        return Err(usage(
            "--groups and --target name the same column",
            "name another column in one of them",
        ));
    }
    Ok(())
}
