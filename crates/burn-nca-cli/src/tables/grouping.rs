//! Groups that nothing can be held out by: said before the fit, with the cure.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use burn_nca_data::Target;

use super::SHOWN;
use super::hints::number_of;
use super::roles::Roles;
use crate::failure::hinted;
use crate::hint::ignore_instead;
use crate::output::{short_name, warning, warning_if};
use crate::source::Source;
use burn_nca_report::Warning;

/// Looks whether rows of other groups can say anything about a row, and takes the groups away where none can.
pub(super) fn settle(
    rows: &[usize],
    target: &Target,
    roles: &mut Roles,
    source: &Source,
) -> Result<Option<Warning>> {
    let Some(groups) = &roles.groups else { return Ok(None) };
    let name = source.columns.groups.as_deref().unwrap_or_default();
    let column = short_name(name);
    let why = if number_of_groups(rows, groups) < 2 {
        format!("all rows are of one group of column \"{column}\"")
    } else {
        match single_group_classes(rows, target, groups) {
            (single, all) if single.len() == all => format!(
                "every class is in one group of column \"{column}\" only, so that no row of another group is of its class"
            ),
            (single, _) => return Ok(about_single_groups(&single, &column)),
        }
    };
    if source.split.share > 0.0 {
        bail!(hinted(
            format!("{why}, and nothing can be held out"),
            format!(
                "{}, or learn from all rows with --test-size 0",
                ignore_instead("--groups", name)
            )
        ));
    }
    roles.groups = None;
    Ok(Some(warning!(
        FewGroups,
        "{why}: the scores of the training rows count rows of the same group"
    )))
}

/// The same of the rows that are learned from: one group alone cannot measure itself.
pub(super) fn settle_training(train: &[usize], roles: &mut Roles) -> Option<Warning> {
    roles.groups.take_if(|groups| number_of_groups(train, groups) < 2)?;
    Some(warning!(
        FewGroups,
        "the training rows are of one group: their own scores, and the comparison of settings, count rows of the same \
         group"
    ))
}

fn number_of_groups(rows: &[usize], groups: &[usize]) -> usize {
    rows.iter().map(|&row| groups[row]).collect::<BTreeSet<_>>().len()
}

/// The classes that are in one group only, and the number of all classes.
fn single_group_classes(rows: &[usize], target: &Target, groups: &[usize]) -> (Vec<String>, usize) {
    let Target::Classes { labels, names } = target else { return (Vec::new(), 1) };
    let mut of_class: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (&row, &label) in rows.iter().zip(labels) {
        of_class.entry(label).or_default().insert(groups[row]);
    }
    let single = of_class.iter().filter(|(_, groups)| groups.len() == 1);
    (single.map(|(&class, _)| names[class].clone()).collect(), of_class.len())
}

fn about_single_groups(single: &[String], column: &str) -> Option<Warning> {
    let shown: Vec<String> = single.iter().take(SHOWN).map(|name| short_name(name)).collect();
    let more = if single.len() > SHOWN { ", …" } else { "" };
    warning_if!(
        !single.is_empty(),
        FewGroups,
        "{} in one group of column \"{column}\" only: rows of other groups cannot be right about it, so that \
         its rows count as wrong: {}{more}",
        number_of(single.len(), "class is", "classes are"),
        shown.join(", ")
    )
}
