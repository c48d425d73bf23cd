//! The order of the columns, with the index of a pandas table where `to_csv` would write it.

use arrow_schema::Schema;
use serde::Deserialize;

/// What pandas says of its table, in addition to the columns.
#[derive(Deserialize)]
struct Pandas {
    /// Names, or what a range of numbers is.
    index_columns: Vec<serde_json::Value>,
}

/// The columns in the order wanted, by their places: an index with a name first, one without a name not at all.
///
/// pandas writes the index last, where a target is looked for, and under a made-up name where it has none.
pub(super) fn without_index(schema: &Schema) -> Vec<usize> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let pandas = schema.metadata().get("pandas");
    let pandas = pandas.and_then(|text| serde_json::from_str::<Pandas>(text).ok());
    let index: Vec<String> = pandas.map_or_else(Vec::new, |pandas| {
        let names = pandas.index_columns.into_iter();
        names.filter_map(|name| name.as_str().map(String::from)).collect()
    });
    let place = |name: &String| names.iter().position(|other| other == name);
    let index: Vec<usize> = index.iter().filter_map(place).collect();
    let named = index.iter().copied().filter(|&column| !is_made_up(names[column]));
    let others = (0..names.len()).filter(|column| !index.contains(column));
    named.chain(others).collect()
}

fn is_made_up(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_").and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| level.bytes().all(|byte| byte.is_ascii_digit()))
}
