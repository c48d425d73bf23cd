//! The rows of `--test`, after those of the fit.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use burn_nca_data::{Target, TargetColumn, has_columns, open_raw, same_class};
use burn_nca_learn::data::{Missing, Preparation, RawColumn, RawTable, name_key};

use super::arrays::{by_position, nameless};
use super::roles::Roles;
use super::target::{raw_options, take_target, targets};
use crate::source::Source;
use burn_nca_report::Warning;

/// Puts the rows of the test table after those of the fit, and learns the preparation of the columns from the latter.
///
/// Each table is prepared by itself once, so that an error names its file and counts its rows.
pub(super) fn with_test_rows(
    test: &str,
    source: &Source,
    target: &str,
    (raw, roles): (&mut RawTable, &mut Roles),
) -> Result<(Preparation, Option<Warning>)> {
    let (columns, task) = (&source.columns, source.kind());
    // The target of an array has no name, either.
    let has_columns = has_columns(test);
    let named = match has_columns && !nameless(&source.data) {
        true => TargetColumn::Name(target.to_string()),
        false => TargetColumn::Last,
    };
    let features = raw.columns().iter().map(RawColumn::name).filter(|name| *name != target);
    let features: Vec<String> = features.map(String::from).collect();
    let mut options = raw_options(source, Some((named, task)));
    if has_columns && nameless(&source.data) {
        (options.columns, options.columns_in_order) = (Some(features.clone()), true);
    }
    let more = with_target(open_raw(test, &options)?, target)?;
    let renamed = more.renamed(&features, 1);
    let (mut more, note) = by_position(more, renamed, (test, &features));
    let more_roles = Roles::take(&mut more, columns).with_context(|| test.to_string())?;
    if let (Some(weights), Some(more)) = (&mut roles.weights, more_roles.weights) {
        weights.extend(more);
    }
    if let (Some(ids), Some(more)) = (&mut roles.ids, more_roles.ids) {
        ids.extend(more);
    }
    let unlabeled = columns.unlabeled_class.as_deref();
    let features_of = |table: &RawTable, name: &str| -> Result<(RawTable, (Vec<usize>, Target))> {
        let mut features = table.clone();
        let column = take_target(&mut features, target)?;
        let drop = columns.missing == Missing::Drop;
        Ok((features, targets(column, (task, unlabeled), (name, drop))?))
    };
    let (first, (train, classes)) = features_of(raw, &source.data)?;
    let (second, _) = features_of(&more, test)?;
    if let Target::Classes { names, .. } = &classes {
        more = with_classes(more, (target, unlabeled), names)?;
    }
    let preparation =
        columns.preparation().fit(&first, &train).with_context(|| source.data.clone())?;
    preparation.apply(&second).with_context(|| of_test(test))?;
    drop((first, second));
    *raw = std::mem::take(raw).followed_by(more).with_context(|| of_test(test))?;
    Ok((preparation, note))
}

/// The table with the names of the training classes for those that are the same (0 for False), as `nca evaluate` has it.
fn with_classes(
    table: RawTable,
    (target, unlabeled): (&str, Option<&str>),
    names: &[String],
) -> Result<RawTable> {
    let is_unlabeled = |name: &str| unlabeled.is_some_and(|key| name_key(key) == name_key(name));
    let renamed = |column: RawColumn| {
        let text = column.into_text();
        let known = text.distinct().iter().filter(|name| !is_unlabeled(name));
        let known = known.filter_map(|name| Some((name.as_str(), same_class(name, names)?)));
        let known: BTreeMap<&str, usize> = known.collect();
        let class = |name| known.get(name).map_or(name, |&class| names[class].as_str());
        RawColumn::text(target, text.iter().map(|name| name.map(class)))
    };
    let columns = table.columns().iter().cloned();
    let columns = columns.map(|column| match column.name() == target {
        true => renamed(column),
        false => column,
    });
    Ok(RawTable::new(columns.collect())?.with_notes(table.notes().to_vec()))
}

/// The table with this name of its last column, the target: arrays have none of their own.
fn with_target(table: RawTable, name: &str) -> Result<RawTable> {
    let mut columns = table.columns().to_vec();
    if let Some(column) = columns.pop() {
        columns.push(column.renamed(name));
    }
    Ok(RawTable::new(columns)?.with_notes(table.notes().to_vec()))
}

/// What messages call the table of the test rows.
pub(super) fn of_test(test: &str) -> String {
    format!("{test} (--test)")
}
