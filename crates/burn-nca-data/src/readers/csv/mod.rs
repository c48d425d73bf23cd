//! Delimited text: one header line, then a row of numbers and a target per line.

mod cell;
mod first_line;
mod header;
mod missing;
mod plain;
mod quotes;
mod records;
mod rows;
mod sample;
mod sheet;

use crate::readers::class_names::{Classes, classes_of};
use crate::readers::columnar;
use crate::readers::format::{Format, is_binary};
use crate::readers::input::{Input, name_file};
use crate::readers::pattern::is_pattern;
use crate::{Error, Features, Message, Result, Table, Target, TargetKind, TextFormat, quoted};
pub(crate) use cell::{infinite, infinite_class, with_nul};
use header::Selection;
pub(crate) use header::{Places, separator_hint};
pub(crate) use missing::{Spellings, class_hints};
pub(crate) use records::{MAX_COLUMNS, Record, Records};
pub(crate) use sample::separator_of;
pub(crate) use sheet::Sheet;
use std::path::Path;

/// Where the target of each row is.
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
/// use burn_nca_data::{CsvOptions, TargetColumn};
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
    /// The target column; the last one unless set.
    pub target: TargetColumn,
    /// Whether the target is a class or a number.
    pub task: TargetKind,
    /// Columns that are neither feature nor target, by name or pattern (`x*`, `day_?`); they may hold text.
    pub ignore: Vec<String>,
    /// The feature columns in the order wanted, by name or pattern; `None` takes all that are left, in file order.
    pub features: Option<Vec<String>>,
    /// How the text is written.
    pub format: TextFormat,
    /// Whether rows whose class cell is empty are set apart ([`Table::without_class`]); they are refused otherwise.
    pub set_unlabeled_apart: bool,
    /// The class that marks rows without one, in addition to the empty cell, where they are set apart.
    pub unlabeled_class: Option<String>,
    /// Whether `features` named `x1`, `x2`, … as those of an array may be the columns of a table in its order, if it has
    /// as many, and none of these names.
    pub features_in_order: bool,
}

impl CsvOptions {
    fn wanted(&self) -> Vec<&str> {
        let target = match &self.target {
            TargetColumn::Name(name) => Some(name),
            TargetColumn::Last | TargetColumn::None => None,
        };
        let names = self.features.iter().flatten().chain(&self.ignore).chain(target);
        names.map(String::as_str).filter(|name| !name.is_empty() && !is_pattern(name)).collect()
    }
}

/// Reads a `.csv` or `.csv.gz` file; see [`parse_csv`] for the format.
///
/// # Errors
/// The file cannot be read, its gzip data are damaged, or as [`parse_csv`].
pub fn read_csv(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Table> {
    read(Input::open(path.as_ref())?, options)
}

/// Reads the columns `expected` of a file, in that order, for prediction.
///
/// The file may hold other columns as well, the target among them: they are not looked at.
///
/// # Errors
/// As [`read_csv`]; a missing column is named together with those there are.
pub fn read_csv_features(path: impl AsRef<Path>, expected: &[String]) -> Result<Features> {
    Ok(read_features(Input::open(path.as_ref())?, (expected, false), &TextFormat::default())?.0)
}

/// As [`read_csv_features`], or [in the order](CsvOptions::features_in_order) of the file, with what to know of how the file was read.
pub(crate) fn read_features(
    input: Input<'_>,
    (expected, features_in_order): (&[String], bool),
    format: &TextFormat,
) -> Result<(Features, Vec<Message>)> {
    let options = CsvOptions {
        target: TargetColumn::None,
        features: Some(expected.to_vec()),
        features_in_order,
        format: format.clone(),
        ..CsvOptions::default()
    };
    let table = read(input, &options)?;
    Ok((table.features, table.notes))
}

/// A table from CSV text; `origin` is what messages call it.
///
/// The first line names the columns. Fields are separated by commas, or by semicolons, tabs or bars where those cut
/// the first two lines and commas do not. They may be quoted, and a quoted value may span lines; spaces around them, a
/// byte order mark, Windows line ends, blank lines and an empty value after the last column do not matter. Numbers have a
/// decimal point, unless [`CsvOptions::format`] says otherwise. A first line of numbers is refused, unless they can only be
/// names: they count up from 0 or 1, or five or more rise or fall throughout (wavelengths, say).
///
/// Classes may be text or numbers, and are ordered by value when every one is a number, else by text.
///
/// The text is read row by row: memory is that of the values, and of one row of at most 64 MiB and 4194304 columns.
///
/// # Errors
/// Each names the file and, where it has one, the line and the column: no text, no header, no rows,
/// a row of another length or beyond the limit, a quote that is not closed, a missing, unnamed or repeated column, no
/// feature column, a feature or numeric target that is text or infinite, an infinite class, or
/// one class number written in two ways. Missing values (empty cells, and what pandas takes for missing: NaN, NA,
/// null, None, …; among numbers also `-`, `.`, na, nil and missing) are counted by column.
pub fn parse_csv(origin: &str, bytes: &[u8], options: &CsvOptions) -> Result<Table> {
    read(Input::of_bytes(origin, bytes)?, options)
}

pub(crate) fn read(input: Input<'_>, options: &CsvOptions) -> Result<Table> {
    let mut sheet = open_sheet(input, &options.format, &options.wanted())?;
    let mut notes = std::mem::take(&mut sheet.notes);
    let mut selection = header::select(&sheet, options)?;
    if selection.target.is_some() {
        notes.extend(sheet.about_codes(selection.features.iter().copied()));
    }
    let rows = sheet.read(&selection, options.task)?;
    let (origin, names) = (&sheet.origin, &sheet.names);
    let features: Vec<String> = match &options.features {
        Some(wanted) if selection.about_order.is_some() => wanted.clone(),
        _ => selection.features.iter().map(|&column| names[column].clone()).collect(),
    };
    notes.extend(selection.about_order.take());
    let target_name = selection.target.map_or("", |column| &names[column]);
    let all = 0..rows.values.len() / features.len();
    let known: Vec<usize> = match selection.set_apart {
        true => all.filter(|row| rows.classes.code(*row).is_some()).collect(),
        false => all.collect(),
    };
    if known.is_empty() {
        return Err(Error::data(format!(
            "{origin}: no row has a class in column {}; write the class of some rows",
            quoted(target_name)
        )));
    }
    let target = match (selection.target, options.task) {
        (None, _) => Target::None,
        (Some(_), TargetKind::Numeric) => Target::Numeric(rows.numbers),
        (Some(_), TargetKind::Classes) => classes_of(&rows.classes).into(),
    };
    let features = rows.values.build(features).map_err(|error| name_file(origin, error))?;
    Ok(Table { notes, ..Table::new(features, target_name, target).keeping(&known) })
}

pub(crate) fn read_labels(input: Input<'_>) -> Result<Classes> {
    let mut sheet = open_sheet(input, &TextFormat::default(), &[])?;
    if sheet.names.len() != 1 {
        return Err(Error::data(format!(
            "{} has {} columns, and labels of images are a file of one column; \
             keep the label column alone",
            sheet.origin,
            sheet.names.len()
        )));
    }
    let mostly_numbers = sheet.mostly_numbers.clone();
    let selection = Selection { target: Some(0), mostly_numbers, ..Selection::default() };
    Ok(classes_of(&sheet.read(&selection, TargetKind::Classes)?.classes))
}

pub(crate) fn open_sheet<'a>(
    input: Input<'a>,
    format: &TextFormat,
    wanted: &[&str],
) -> Result<Sheet<'a>> {
    if input.format().is_columnar() {
        refuse_text_format(&input, format)?;
        return Sheet::of_columns(columnar::as_text(input, format.decimal)?, format.decimal);
    }
    refuse_other_formats(&input)?;
    let input = match format.encoding()? {
        Some(encoding) => input.decoded(encoding)?,
        None => input,
    };
    Sheet::open(input, format, wanted)
}

pub(crate) fn refuse_other_formats(input: &Input<'_>) -> Result<()> {
    let (origin, format) = (input.origin(), input.format());
    if format != Format::Text {
        let text = format!("{origin} is {}, not CSV text; save it as .csv", format.name());
        return Err(Error::data(text));
    }
    if is_binary(input.start()) {
        return Err(Error::data(format!(
            "{origin} is a binary file of a format that is not read; save the table as CSV"
        )));
    }
    Ok(())
}

/// Refuses to read a table that is no text as text of some form.
fn refuse_text_format(input: &Input<'_>, format: &TextFormat) -> Result<()> {
    // How missing values and numbers are spelled in its text may be said of any table.
    let (decimal, missing) = (format.decimal, format.missing.clone());
    if *format == (TextFormat { decimal, missing, ..TextFormat::default() }) {
        return Ok(());
    }
    Err(Error::setting(format!(
        "{} is {}, which has no separator, encoding or header line to choose; leave these options out",
        input.origin(),
        input.format().name()
    )))
}

#[cfg(test)]
mod tests;
