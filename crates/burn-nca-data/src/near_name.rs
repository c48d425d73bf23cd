//! The name a user may have meant.

use strsim::osa_distance;

use crate::quoted;

/// The nearest of `known` to `wanted`: equal but for case, or at most one edit for every three letters of `wanted` (a
/// letter inserted, deleted or replaced, or two swapped).
pub(crate) fn nearest<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let letters = wanted.chars().count();
    let allowed = letters / 3;
    known
        .into_iter()
        .filter(|name| name.chars().count().abs_diff(letters) <= allowed)
        .map(|name| (osa_distance(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// "did you mean …? ", or nothing where no name is near.
pub(crate) fn suggestion<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wanted, known)
        .map_or_else(String::new, |name| format!("did you mean {}? ", quoted(name)))
}
