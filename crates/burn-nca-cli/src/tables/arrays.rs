//! Arrays, whose columns have no names, for a model or a table that has some: they are taken by their order.

use crate::output::{listed, warning_if};
use burn_nca_data::{by_name, column_numbers, has_columns};

use super::SHOWN;
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

/// An array whose columns were `renamed`, if there are as many as these names, and what to say of it; as it was read where
/// its columns have names of their own.
pub(super) fn by_position<T>(
    read: T,
    renamed: Option<T>,
    (data, names): (&str, &[String]),
) -> (T, Option<Warning>) {
    let Some(renamed) = renamed.filter(|_| nameless(data)) else { return (read, None) };
    let data = if data == "-" { "standard input" } else { data };
    // Nothing where the names are those of an array, too.
    let note = warning_if!(
        names != column_numbers(names.len()),
        ReadAs,
        "{data}: the columns of an array have no names and are taken in the order of the fit: {}",
        listed(names, SHOWN)
    );
    (renamed, note)
}
