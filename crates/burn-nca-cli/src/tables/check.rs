//! Options of columns that contradict each other or what is learned: refused before the table is read.

use anyhow::Result;
use burn_nca_learn::data::{Missing, Task};

use crate::cli::FitArgs;
use crate::failure::{Refusal, refusal, refuse, usage};
use crate::hint::ignore_instead;

/// Refuses options of columns that do not go together.
pub fn check(args: &FitArgs, task: Task) -> Result<()> {
    refuse(without_effect(args, task).into_iter().chain(without_use(args, task)))?;
    refuse_two_roles(args)
}

/// Options that say nothing of such data, or with others.
fn without_effect(args: &FitArgs, task: Task) -> [Refusal; 6] {
    let columns = &args.columns;
    let (pairs, classes) = (task == Task::Pairs, task == Task::Classes);
    [
        refusal(
            columns.balanced && !classes,
            "--balanced lets classes count alike, and there are none here",
            "leave --balanced out",
        ),
        refusal(
            columns.unlabeled.is_some() && !classes,
            "--unlabeled is about rows without a class, and there are no classes here",
            "leave --unlabeled out",
        ),
        refusal(
            columns.unlabeled_class.is_some() && !classes,
            "--unlabeled-class marks rows without a class, and there are no classes here",
            "leave --unlabeled-class out",
        ),
        refusal(
            pairs && columns.test.is_some(),
            "--test parts rows, and what is held out here are pairs",
            "leave --test out",
        ),
        refusal(
            pairs && columns.missing == Some(Missing::Drop),
            "--missing drop would renumber the rows that the pairs name",
            "give --missing mean, median or most-frequent",
        ),
        refusal(
            columns.missing_indicators && columns.missing == Some(Missing::Drop),
            "--missing-indicators says which values were filled in, and --missing drop fills in none",
            "leave --missing-indicators out, or give --missing mean, median or most-frequent",
        ),
    ]
}

/// Options that name a column which has no use here.
fn without_use(args: &FitArgs, task: Task) -> [Refusal; 5] {
    const PARTS: &str = "parts rows, and what is held out here are pairs";
    let (columns, target, pairs) = (&args.columns, &args.source.target, task == Task::Pairs);
    let weights =
        "counts rows, and pairs have weights of their own, in the third column of --pairs";
    let paired = "has no use where --pairs says what belongs together";
    let whole = "keeps groups whole when rows are held out, and --split and --test name these rows";
    let is_split = columns.split.is_some() || columns.test.is_some();
    let all = [
        (pairs, "--weights", &columns.weights, weights),
        (pairs, "--split", &columns.split, PARTS),
        (pairs, "--groups", &columns.groups, PARTS),
        (pairs, "--target", target, paired),
        (is_split, "--groups", &columns.groups, whole),
    ];
    all.map(|(useless, option, column, reason)| {
        let hint = ignore_instead(option, column.as_deref().unwrap_or_default());
        refusal(useless && column.is_some(), format!("{option} {reason}"), hint)
    })
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
