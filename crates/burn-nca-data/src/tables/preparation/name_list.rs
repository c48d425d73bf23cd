//! Names in a sentence.

/// The most names of a list.
const LISTED: usize = 8;

/// The names, or the first of very many.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let shown = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    if names.len() <= LISTED { shown } else { format!("{shown}, … ({} in all)", names.len()) }
}
