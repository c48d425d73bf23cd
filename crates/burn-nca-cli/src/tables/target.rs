//! The column of the target: how it is read, which rows have one, and what these are; classes that no training row has.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use burn_nca_data::{Error, Hint, Message, RawOptions, Setting, Target, TargetColumn, TargetKind};
use burn_nca_learn::data::{
    RawColumn, RawTable, RawValues, Split, TextValues, difference, meant_name, name_key,
    random_split, stratified_split,
};
use burn_nca_report::counted;

use crate::failure::hinted;
use crate::output::short_name;
use crate::source::{HeldOut, Source};

/// How the table of a source is read, with the target where there is one.
pub(super) fn raw_options(
    source: &Source,
    target: Option<(TargetColumn, TargetKind)>,
) -> RawOptions {
    let columns = &source.columns;
    let named = |names: [&Option<String>; 3]| names.into_iter().flatten().cloned().collect();
    RawOptions {
        columns: columns.features.clone(),
        ignore: source.ignored.clone(),
        text: named([&columns.id, &columns.split, &columns.groups]),
        levels: columns.categorical.names().to_vec(),
        also: columns.weights.clone().into_iter().collect(),
        unlabeled_class: columns.unlabeled_class.clone().filter(|_| target.is_some()),
        target,
        format: columns.format.clone(),
        ..RawOptions::default()
    }
}

pub(super) fn take_target(raw: &mut RawTable, name: &str) -> Result<RawColumn> {
    raw.take(name).with_context(|| {
        format!(
            "the column \"{}\" is the target and has another role, too; name the target with --target",
            short_name(name)
        )
    })
}

/// The rows that have a target, and their targets; `unlabeled` is the class of rows without one, and `drop` leaves rows
/// without a number out, which are refused else.
pub(super) fn targets(
    column: RawColumn,
    (task, unlabeled): (TargetKind, Option<&str>),
    (data, drop): (&str, bool),
) -> Result<(Vec<usize>, Target)> {
    let name = short_name(column.name());
    if task == TargetKind::Classes {
        let text = column.into_text();
        let is_class =
            |text: &&str| unlabeled.is_none_or(|class| name_key(class) != name_key(text));
        let text: TextValues = text.iter().map(|text| text.filter(is_class)).collect();
        let (rows, target) = Target::of_text(&text);
        if rows.is_empty() {
            bail!(hinted(
                format!("{data}: no row has a class in column \"{name}\""),
                "write the class of some rows"
            ));
        }
        return Ok((rows, target));
    }
    let missing = column.num_missing();
    match column.values() {
        RawValues::Numbers(values) if missing == 0 || drop && missing < values.len() => {
            let rows: Vec<usize> = (0..values.len()).filter(|&row| !values[row].is_nan()).collect();
            let known = rows.iter().map(|&row| values[row]).collect();
            Ok((rows, Target::Numeric(known)))
        }
        RawValues::Numbers(_) => {
            let text = format!(
                "{data}: the target \"{name}\" is missing in {missing} of {} rows, and is never filled in",
                column.rows()
            );
            let remove = Hint::edit("remove the rows");
            let message = Message::from(text).with_hint(remove).with_hint(Setting::DropMissing);
            Err(Error::data(message).into())
        }
        RawValues::Text(text) => {
            let first = text.iter().flatten().find(|text| text.parse::<f64>().is_err());
            let text = format!(
                "{data}: the target \"{name}\" holds \"{}\", which is not a number",
                short_name(first.unwrap_or_default())
            );
            let correct = Hint::edit("correct it");
            let message = Message::from(text).with_hint(correct).with_hint(Setting::Classes);
            Err(Error::data(message).into())
        }
    }
}

pub(super) fn select(target: Target, kept: &[usize]) -> Target {
    match target {
        Target::Classes { labels, names } => {
            Target::Classes { labels: kept.iter().map(|&at| labels[at]).collect(), names }
        }
        Target::Numeric(values) => Target::Numeric(kept.iter().map(|&at| values[at]).collect()),
        Target::None => Target::None,
    }
}

/// A random split of so many rows, of each class alike.
pub(super) fn drawn_split(target: &Target, rows: usize, source: &Source) -> Result<Split> {
    let HeldOut { share, seed } = source.split;
    Ok(match target {
        Target::Classes { labels, .. } => stratified_split(labels, share, seed)?,
        _ => random_split(rows, share, seed)?,
    })
}

pub(super) fn refuse_no_such_class(names: &[String], class: &str) -> Result<()> {
    if names.iter().any(|name| name_key(name) == name_key(class)) {
        return Ok(());
    }
    let shown: Vec<String> = names.iter().take(20).map(|name| short_name(name)).collect();
    bail!(
        "no row is of the class \"{}\" that --unlabeled-class names; the classes are {}",
        short_name(class),
        shown.join(", ")
    )
}

/// Refuses test rows of classes that no training row has, as `nca evaluate` does: each would be a certain error.
pub(super) fn refuse_unseen_classes(target: &Target, split: &Split) -> Result<()> {
    let Target::Classes { labels, names } = target else { return Ok(()) };
    let known: BTreeSet<usize> = split.train.iter().map(|&row| labels[row]).collect();
    let unseen = |row: &&usize| !known.contains(&labels[**row]);
    let Some(&first) = split.test.iter().find(unseen) else { return Ok(()) };
    let rows = split.test.iter().filter(unseen).count();
    let name = &names[labels[first]];
    let meant = meant_name(name, known.iter().map(|&class| names[class].as_str()));
    let hint = meant.map_or(String::new(), |meant| {
        format!(" (\"{}\" {})", short_name(meant), difference(name, meant))
    });
    bail!(hinted(
        format!(
            "{rows} of {} are of a class that no training row has, such as \"{}\"{hint}",
            counted(split.test.len(), "test row"),
            short_name(name)
        ),
        "correct the name, or leave those rows out"
    ))
}
