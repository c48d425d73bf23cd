//! The table that the page is given, read as `nca fit` reads it.

use burn_nca::data::Labelled;
use burn_nca::{Error, Result};
use burn_nca_datasets::{CsvOptions, TargetColumn, by_name, parse_csv};

/// Reads the text of a CSV file that was dropped on the page, or a bundled set where `bytes` is `None`.
///
/// # Errors
/// As [`parse_csv`]; a target whose numbers are no classes; no such bundled set.
pub fn open(name: &str, bytes: Option<&[u8]>, target: Option<&str>) -> Result<Labelled> {
    let Some(bytes) = bytes else {
        let set = by_name(name).ok_or_else(|| {
            Error::setting(format!("there is no bundled set {name:?}; drop a CSV file instead"))
        })?;
        return Ok(set.load());
    };
    let options = CsvOptions {
        target: target.map_or(TargetColumn::Last, |name| TargetColumn::Name(name.to_string())),
        ..CsvOptions::default()
    };
    let table = parse_csv(name, bytes, &options)?;
    if let Some(number) = table.fractional_class() {
        return Err(Error::data(format!(
            "the target \"{}\" holds numbers such as {number}, which are no classes; choose a column of classes",
            table.target_name
        )));
    }
    table.into_labelled()
}
