//! Arrays, whose columns have no names, for a model or a table that has some: they are taken by their order.

use anyhow::Result;
use burn_nca_data::{by_name, column_numbers, has_columns};
use burn_nca_learn::data::{Features, RawColumn, RawTable};

use super::hints::listed;
use burn_nca_report::{Warning, WarningCode};

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

/// A table with a target behind its features, of which those have the names of an array's, x1, x2, …, if there are as many
/// and none has such a name; and what to say of it.
pub(super) fn in_order_of_array(
    raw: RawTable,
    (data, names): (&str, &[String]),
) -> Result<(RawTable, Option<Warning>)> {
    let own: Vec<&str> = raw.columns().iter().take(names.len()).map(RawColumn::name).collect();
    let is_known = |column: &RawColumn| names.contains(&column.name().to_lowercase());
    if raw.columns().len() != names.len() + 1 || raw.columns().iter().any(is_known) {
        return Ok((raw, None));
    }
    let text = format!(
        "{data}: the columns of the fit have no names, and those of the table are taken in their order: {}",
        listed(&own)
    );
    let (features, target) = raw.columns().split_at(names.len());
    let features = features.iter().zip(names);
    let features = features.map(|(column, name)| RawColumn::new(name, column.values().clone()));
    let renamed = RawTable::new(features.chain(target.iter().cloned()).collect())?;
    let renamed = renamed.with_notes(raw.notes().to_vec());
    Ok((renamed, Some(Warning::new(WarningCode::ReadAs, text))))
}

/// What to say of columns that are taken by their order; nothing where the names are those of an array, too.
fn by_position(data: &str, names: &[String]) -> Option<Warning> {
    (names != column_numbers(names.len())).then(|| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let data = if data == "-" { "standard input" } else { data };
        let text = format!(
            "{data}: the columns of an array have no names and are taken in the order of the fit: {}",
            listed(&names)
        );
        Warning::new(WarningCode::ReadAs, text)
    })
}
