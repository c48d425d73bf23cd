//! Classes that an option or a test row names, and no training row has: refused.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use burn_nca_data::Target;
use burn_nca_learn::data::{Split, difference, meant_name, name_key};
use burn_nca_report::counted;

use crate::failure::hinted;
use crate::output::short_name;

/// Refuses a class of rows without one that no row has.
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
///
/// # Errors
/// Such a class, with the class of the training rows that it may be meant for.
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
