//! The rows of a file: the cells below its header line.

use super::cell::{self, Flaw};
use super::header::Selection;
use super::missing::Missing;
use super::plain::{Piece, PlainRows};
use super::records::{Record, Records};
use super::separator;
use super::sheet::Sheet;
use crate::error::{Error, Result};
use crate::excerpt::quoted;
use crate::hint::{Hint, Message, Setting};
use crate::readers::table::TargetKind;
use crate::readers::text_format::DecimalSign;
use crate::tables::{FeaturesBuilder, TextValues};
use std::fmt::{self, Display};

/// What to do about words above numbers, below the names.
const SECOND_HEADER: &str =
    "remove this row if it is one of units, or of more names (the next row has a number there)";

/// What the selected columns hold.
#[derive(Default)]
pub(super) struct Rows {
    /// The features, row-major.
    pub(super) values: FeaturesBuilder,
    /// The target as classes.
    pub(super) classes: TextValues,
    /// The target as numbers.
    pub(super) numbers: Vec<f64>,
    /// Rows without a class.
    pub(super) apart: Apart,
    missing: Missing,
}

/// Rows without a class, and their features, row-major.
#[derive(Default)]
pub(super) struct Apart {
    pub(super) rows: Vec<usize>,
    pub(super) values: FeaturesBuilder,
}

impl Sheet<'_> {
    /// Reads every row.
    ///
    /// # Errors
    /// A row of another length, a cell that is bad, missing values, or no row.
    pub(super) fn read(mut self, selection: &Selection, task: TargetKind) -> Result<Rows> {
        let mut rows = Rows::default();
        let (origin, names) = (self.origin.clone(), self.names.clone());
        let has_lines = self.has_lines;
        let (mut count, mut size) = (0, self.records.size());
        if let Some(plain) = PlainRows::new(names.len(), self.separator, (selection, task)) {
            self.records.each_block(|lines| {
                let mut bytes = 0;
                for piece in plain.read(lines) {
                    (bytes, count) = (bytes + piece.bytes, count + piece.rows);
                    rows.add(&piece, selection.decimal);
                }
                // A table that grows by doubling is in memory twice as it does.
                if let Some(size) = size.take().filter(|_| bytes > 0) {
                    let of_file = size as f64 / bytes as f64 * rows.values.len() as f64;
                    rows.values.expect((1.02 * of_file) as usize);
                }
                bytes
            })?;
        }
        let push = |record: &Record, row| rows.push(record, row, selection, task);
        let count = self.each_row_after(count, push)?;
        let target = match task {
            TargetKind::Classes => (selection.target, None),
            TargetKind::Numeric => (None, selection.target),
        };
        let refused = rows.missing.refused(&origin, count, &names, target, has_lines);
        refused.map_or(Ok(rows), Err)
    }

    /// Hands out every row with its number, after `count` rows that were read otherwise; where a cell is bad the answer is
    /// its column and the reason.
    pub(crate) fn each_row_after(
        self,
        mut count: usize,
        mut take: impl FnMut(&Record, usize) -> Result<(), (usize, Message)>,
    ) -> Result<usize> {
        let Self { origin, names, mut records, .. } = self;
        let columns = names.len();
        // In a file of one column a blank line may be a missing value: skipping it would shift the rows.
        let mut blank_line = None;
        while let Some(record) = records.read_row(columns)? {
            blank_line = blank_line.or(record.blank_line);
            if record.is_blank() {
                blank_line = blank_line.or(Some(record.line));
                continue;
            }
            if let Some(line) = blank_line.filter(|_| columns == 1) {
                return Err(Error::data(format!(
                    "{origin}, line {line} is blank; in a file of one column give every line a value"
                )));
            }
            count += 1;
            let line = self.has_lines.then_some(record.line);
            let at = Place { origin: &origin, line, row: count };
            if record.len() != columns {
                let widths = if self.first_is_row { "first row" } else { "header" };
                let header = (widths, self.separator, self.open_end);
                return Err(ragged(at, record, columns, header));
            }
            let Err((column, reason)) = take(record, count) else { continue };
            let (cell, name) = (record.field(column), &names[column]);
            let at = format!("{at}, column {}", quoted(name));
            if self.has_lines && cell == name {
                return Err(Error::data(format!(
                    "{at}: the line repeats the names of the columns; remove it"
                )));
            }
            let is_first_text = count == 1 && cell.parse::<f64>().is_err();
            if is_first_text && next_has_number(&mut records, columns, column)? {
                return Err(above_a_number(&at, &reason, self.first_is_row));
            }
            return Err(Error::data(reason.map_text(|text| format!("{at}: {text}"))));
        }
        if count == 0 {
            let (header, cure) = match self.has_lines {
                true => ("a header line", "write one row per line below the header"),
                false => ("columns", "write some rows"),
            };
            return Err(Error::data(format!("{origin} has {header} but no rows; {cure}")));
        }
        Ok(count)
    }
}

/// Whether the next row has a number in this column, so that the row before it may be one of names.
fn next_has_number(records: &mut Records<'_>, columns: usize, column: usize) -> Result<bool> {
    let next = records.read_row(columns)?.filter(|next| next.len() == columns);
    Ok(next.is_some_and(|next| next.field(column).parse::<f64>().is_ok()))
}

/// The error of a bad cell of the first row, above a number: the row may be one of names.
fn above_a_number(at: &str, reason: &Message, first_is_row: bool) -> Error {
    let (read_as, hint) = match first_is_row {
        true => (" (the first line is read as a row)", Setting::Header(true).into()),
        false => ("", Hint::edit(SECOND_HEADER)),
    };
    // No column is left out for one row.
    let edits = reason.hints().iter().filter(|hint| matches!(hint, Hint::Edit(_)));
    let message = Message::from(format!("{at}: {}{read_as}", reason.text()));
    Error::data(message.with_hint(hint).with_hints(edits.cloned()))
}

/// A row of a file, as messages call it.
struct Place<'a> {
    origin: &'a str,
    line: Option<usize>,
    row: usize,
}

impl Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, line, row } = self;
        match line {
            Some(line) => write!(f, "{origin}, line {line} (row {row})"),
            None => write!(f, "{origin}, row {row}"),
        }
    }
}

/// The error of a row of another length than the header line or the first row.
fn ragged(
    at: Place<'_>,
    record: &Record,
    columns: usize,
    (widths, separator, open_end): (&str, u8, bool),
) -> Error {
    let values = record.len();
    let named = separator::name(separator);
    let empty_cell = separator == b'\t' && record.fields().any(str::is_empty);
    let quotes = record.fields().any(|field| field.contains('"'));
    let mut cure = "give the row one value per column".to_string();
    let mut setting = None;
    if open_end && values == columns + 1 {
        cure = format!(
            "the header line ends with a {named}, so that the last column has no name; write its name there, or remove \
             the column"
        );
    } else if quotes {
        cure.push_str(", and write a quotation mark within quotation marks twice (\"\")");
    } else if values > columns && empty_cell {
        setting = Some(Setting::SeparatorSpace.into());
    } else if values == columns + 1 && at.row == 1 && columns > 1 {
        cure.push_str(
            ", or where rows begin with their names, as R writes them, name that column in the header line, too",
        );
    } else if columns == 1 {
        cure.push_str(", and remove lines above the names of the columns");
    }
    let column = if columns == 1 { "column" } else { "columns" };
    let value = if values == 1 { "value" } else { "values" };
    let text = format!("{at}: {values} {value} where the {widths} names {columns} {column}");
    Error::data(Message::from(text).with_hint(Hint::edit(cure)).with_hints(setting))
}

impl Rows {
    /// Adds rows that were read together.
    fn add(&mut self, piece: &Piece<'_>, decimal: DecimalSign) {
        self.values.extend_from_slice(&piece.values);
        self.numbers.extend_from_slice(&piece.numbers);
        let names = piece.classes.iter().map(|&class| decimal.name(piece.names[class]));
        names.for_each(|name| self.classes.push(Some(&name)));
    }

    /// Adds a row; where a cell is bad, its column and the reason.
    fn push(
        &mut self,
        record: &Record,
        row: usize,
        selection: &Selection,
        task: TargetKind,
    ) -> Result<(), (usize, Message)> {
        let mut missing = Vec::new();
        let mut take = |column: usize, flaw: Flaw| match flaw {
            Flaw::Missing => {
                missing.push(column);
                Ok(())
            }
            Flaw::Bad(reason) => Err((column, reason)),
        };
        let is_apart =
            |column: usize| selection.set_apart && selection.is_unlabeled(record.field(column));
        let apart = selection.target.is_some_and(is_apart);
        let values = if apart { &mut self.apart.values } else { &mut self.values };
        let format = (selection.decimal, &selection.missing);
        for &column in &selection.features {
            match cell::number(record.field(column), format, selection.text_hints(column)) {
                Ok(number) => values.push(number),
                Err(flaw) => take(column, flaw)?,
            }
        }
        if apart {
            self.apart.rows.push(row - 1);
        } else if let Some(column) = selection.target {
            let cell = record.field(column);
            match task {
                TargetKind::Classes => {
                    let numbers = selection.has_target_of_numbers();
                    match cell::class(cell, &selection.missing, numbers) {
                        Ok(class) => self.classes.push(Some(&selection.decimal.name(class))),
                        Err(flaw) => take(column, flaw)?,
                    }
                }
                TargetKind::Numeric => {
                    let hints = [Hint::edit("correct it"), Setting::Classes.into()];
                    match cell::number(cell, format, Some(&hints)) {
                        Ok(number) => self.numbers.push(number),
                        Err(flaw) => take(column, flaw)?,
                    }
                }
            }
        }
        self.missing.count_row(record, &missing, row);
        Ok(())
    }
}
