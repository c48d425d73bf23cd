//! Comma-separated text: one header line, then a row of numbers and a target a line.

mod cell;
mod header;
mod rows;

use std::path::Path;

use burn_nca::data::Features;
use burn_nca::{Error, Result};

use crate::class_names::index_classes;
use crate::file::{Format, name_file, read_bytes};
use crate::table::{Table, Target, Task};
use header::Selection;
use rows::Sheet;

/// Where the target of each row stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TargetColumn {
    /// In the last column.
    #[default]
    Last,
    /// In the column of this name.
    Name(String),
    /// Nowhere: every column is a feature.
    None,
}

/// Which columns of a CSV file are read, and as what.
///
/// # Examples
/// ```
/// use burn_nca_datasets::{CsvOptions, TargetColumn};
///
/// let options = CsvOptions {
///     target: TargetColumn::Name("species".into()),
///     ignore: vec!["id".into()],
///     ..CsvOptions::default()
/// };
/// # assert_ne!(options, CsvOptions::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// The target column; the last one unless told.
    pub target: TargetColumn,
    /// Whether the target is a class or a number.
    pub task: Task,
    /// Columns that are neither feature nor target; they may hold text.
    pub ignore: Vec<String>,
    /// The feature columns in the order wanted; `None` takes all that are left, in file order.
    pub features: Option<Vec<String>>,
}

/// Reads a `.csv` or `.csv.gz` file; see [`parse_csv`] for the format.
///
/// # Errors
/// The file cannot be read, its gzip data are damaged, or as [`parse_csv`].
pub fn read_csv(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Table> {
    let path = path.as_ref();
    parse_csv(&path.display().to_string(), &read_bytes(path)?, options)
}

/// Reads the columns `expected` of a file, in that order, for prediction.
///
/// The file may hold other columns as well, the target among them: they are not looked at.
///
/// # Errors
/// As [`read_csv`]; a missing column is named together with those there are.
pub fn read_csv_features(path: impl AsRef<Path>, expected: &[String]) -> Result<Features> {
    let options = CsvOptions {
        target: TargetColumn::None,
        features: Some(expected.to_vec()),
        ..CsvOptions::default()
    };
    Ok(read_csv(path, &options)?.features)
}

/// A table from CSV text; `origin` is what messages call it.
///
/// The first line names the columns. Fields are separated by commas and may be quoted; spaces
/// around them, a byte order mark, Windows line ends and blank lines do not matter. A header that
/// holds numbers is refused as a row of data, unless they can only be names: they count up from 0
/// or 1, or they are five or more that rise or fall throughout (wavelengths, say).
///
/// Classes may be text or numbers. They are ordered by value when every one is a number, else by
/// their text, so that the same classes always have the same numbers, whatever the order of the
/// rows.
///
/// # Errors
/// Each names the file and, where it has one, the line and the column: no text, no header, no rows,
/// a row of another length, a missing, unnamed or repeated column, no feature column, a feature or
/// numeric target that is empty, text, NaN or infinite, a class that is empty, NaN or infinite, or
/// one class number written in two ways.
pub fn parse_csv(origin: &str, bytes: &[u8], options: &CsvOptions) -> Result<Table> {
    let text = decode(origin, bytes)?;
    let sheet = Sheet::open(origin, text)?;
    let names = sheet.names.clone();
    let selection = header::select(origin, &names, options)?;
    let rows = sheet.read(&selection, options.task)?;
    let features = selection.features.iter().map(|&column| names[column].clone()).collect();
    let features =
        Features::new(rows.values, features).map_err(|error| name_file(origin, error))?;
    let target = match (selection.target, options.task) {
        (None, _) => Target::None,
        (Some(_), Task::Numeric) => Target::Numeric(rows.numbers),
        (Some(_), Task::Classes) => {
            let indexed = index_classes(&rows.classes);
            let (labels, names) = indexed.map_err(|error| name_file(origin, error))?;
            Target::Classes { labels, names }
        }
    };
    let target_name = selection.target.map_or_else(String::new, |column| names[column].clone());
    Ok(Table { features, target_name, target })
}

/// The classes of a CSV file of one column, as text.
pub(crate) fn parse_labels(origin: &str, bytes: &[u8]) -> Result<Vec<String>> {
    let text = decode(origin, bytes)?;
    let sheet = Sheet::open(origin, text)?;
    if sheet.names.len() != 1 {
        return Err(Error::data(format!(
            "{origin} has {} columns, and labels of images stand in a file of one; \
             keep the label column alone",
            sheet.names.len()
        )));
    }
    let selection = Selection { features: Vec::new(), target: Some(0) };
    Ok(sheet.read(&selection, Task::Classes)?.classes)
}

/// The text of the file, without its byte order mark.
fn decode<'a>(origin: &str, bytes: &'a [u8]) -> Result<&'a str> {
    let cure = match Format::of(bytes) {
        Format::Text => "",
        Format::Npy => "is a NumPy array, not CSV text; give the pair X.npy,Y.npy",
        Format::Idx => "is an IDX array, not CSV text; give the pair IMAGES,LABELS",
        Format::Zip => {
            "is a zip archive (.npz or .xlsx?), not CSV text; save it as .csv or as two .npy files"
        }
    };
    if !cure.is_empty() {
        return Err(Error::data(format!("{origin} {cure}")));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Error::data(format!("{origin}, line {line} is not UTF-8 text; save the file as UTF-8"))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Error::data(format!(
            "{origin} is empty; it needs a header line of column names, then one row a line"
        )));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
