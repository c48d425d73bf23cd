//! The rows of a file: the cells below its header line.

use super::header::Selection;
use super::missing::Missing;
use super::plain::{Piece, PlainRows};
use super::records::{Record, Records};
use super::sample::separator_name;
use super::sheet::Sheet;
use crate::{
    Error, FeaturesBuilder, Hint, Message, Result, Setting, TargetKind, TextValues, quoted,
};

/// What to do about words above numbers, below the names.
const SECOND_HEADER: &str =
    "remove this row if it is one of units, or of more names (the next row has a number there)";

/// Values that are read before they are put to the others.
const PIECE_VALUES: usize = 1 << 14;

#[derive(Default)]
pub(super) struct Rows {
    pub(super) values: FeaturesBuilder,
    /// The target as classes; none of a row that is set apart.
    pub(super) classes: TextValues,
    pub(super) numbers: Vec<f64>,
    missing: Missing,
}

impl Sheet<'_> {
    pub(super) fn read(&mut self, selection: &Selection, task: TargetKind) -> Result<Rows> {
        let mut rows = Rows::default();
        let (mut count, mut size) = (0, self.records.size());
        // Of a single column, blank lines may be values.
        let (columns, separator) = (self.names.len(), self.separator);
        if columns > 1 {
            let plain = PlainRows { columns, separator, selection, task };
            self.records.each_block(|lines| {
                let mut bytes = 0;
                for (length, piece) in plain.read(lines) {
                    (bytes, count) = (bytes + length, count + piece.rows);
                    rows.add(&piece);
                }
                // A table that grows by doubling is in memory twice as it does.
                if let Some(size) = size.take().filter(|_| bytes > 0) {
                    let of_file = size as f64 / bytes as f64 * rows.values.len() as f64;
                    rows.values.expect((1.02 * of_file) as usize);
                }
                bytes
            })?;
        }
        let mut piece = Piece::default();
        let count = self.each_row_after(count, |record, row| {
            let missing = piece.push(|column| record.field(column), selection, task)?;
            rows.missing.count_row(record, &missing, row);
            if piece.values.len() >= PIECE_VALUES {
                rows.add(&std::mem::take(&mut piece));
            }
            Ok(())
        })?;
        rows.add(&piece);
        let target = match task {
            TargetKind::Classes => (selection.target, None),
            TargetKind::Numeric => (None, selection.target),
        };
        let (origin, names) = (&self.origin, &self.names);
        rows.missing.refused(origin, count, names, target, self.has_lines).map_or(Ok(rows), Err)
    }

    /// Hands out every row with its number, after `count` rows that were read otherwise; where a cell is bad the answer is
    /// its column and the reason.
    pub(crate) fn each_row_after(
        &mut self,
        mut count: usize,
        mut take: impl FnMut(&Record, usize) -> Result<(), (usize, Message)>,
    ) -> Result<usize> {
        let Self { origin, names, records, .. } = self;
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
            let line = record.line;
            let at = || match self.has_lines {
                true => format!("{origin}, line {line} (row {count})"),
                false => format!("{origin}, row {count}"),
            };
            if record.len() != columns {
                let widths = if self.first_is_row { "first row" } else { "header" };
                let header = (widths, self.separator, self.open_end);
                return Err(ragged((&at(), count == 1), record, columns, header));
            }
            let Err((column, reason)) = take(record, count) else { continue };
            let (cell, name) = (record.field(column), &names[column]);
            let at = format!("{}, column {}", at(), quoted(name));
            if self.has_lines && cell == name {
                return Err(Error::data(format!(
                    "{at}: the line repeats the names of the columns; remove it"
                )));
            }
            let is_first_text = count == 1 && cell.parse::<f64>().is_err();
            if is_first_text && next_has_number(records, columns, column)? {
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

/// The error of a row of another length than the header line or the first row.
fn ragged(
    (at, is_first): (&str, bool),
    record: &Record,
    columns: usize,
    (widths, separator, open_end): (&str, u8, bool),
) -> Error {
    let values = record.len();
    let named = separator_name(separator);
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
    } else if values == columns + 1 && is_first && columns > 1 {
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
    fn add(&mut self, piece: &Piece) {
        self.values.extend_from_slice(&piece.values);
        self.numbers.extend_from_slice(&piece.numbers);
        self.classes.append(&piece.classes);
    }
}
