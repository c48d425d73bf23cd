//! Arrays, whose columns have no names, for a model or a table that has some: they are taken by their order.

use crate::output::warning;
use burn_nca_data::{by_name, column_numbers, has_columns};
use burn_nca_learn::data::{Features, RawTable};

use super::hints::listed;
use burn_nca_report::Warning;

/// Whether the columns of this source have no names: an array, two of them or an archive.
pub fn nameless(data: &str) -> bool {
    by_name(data).is_none() && !has_columns(data)
}

/// The array of the features where it is given with that of the targets, which is then not read.
pub(super) fn features_alone(data: &str) -> &str {
    match data.split_once(',') {
        Some((features, _)) if !std::path::Path::new(data).exists() => features.trim(),
        _ => data,
    }
}

/// A table of an array with these names for its columns, if there are as many and so many `others` behind them, and what
/// to say of it.
pub(super) fn named_by_position(
    raw: RawTable,
    (data, names): (&str, &[String]),
    others: usize,
) -> (RawTable, Option<Warning>) {
    match raw.renamed(names, others).filter(|_| nameless(data)) {
        Some(renamed) => (renamed, by_position(data, names)),
        None => (raw, None),
    }
}

/// The same of features alone; none where the names are not taken.
pub(super) fn features_by_position(
    features: &Features,
    (data, names): (&str, &[String]),
) -> Option<(Features, Option<Warning>)> {
    let renamed = nameless(data).then(|| features.renamed(names)).flatten()?;
    Some((renamed, by_position(data, names)))
}

/// What to say of columns that are taken by their order; nothing where the names are those of an array, too.
fn by_position(data: &str, names: &[String]) -> Option<Warning> {
    (names != column_numbers(names.len())).then(|| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let data = if data == "-" { "standard input" } else { data };
        warning!(
            ReadAs,
            "{data}: the columns of an array have no names and are taken in the order of the fit: {}",
            listed(&names)
        )
    })
}
