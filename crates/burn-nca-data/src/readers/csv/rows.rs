//! The lines of the file: the names in the first, cells in the others.

use super::cell::{self, Flaw};
use super::first_line::FirstLine;
use super::header::Selection;
use super::missing::Missing;
use super::plain::{Piece, PlainRows};
use super::preamble::Preamble;
use super::records::{Record, Records};
use super::sample::{Sample, unmark};
use super::{separated, separator};
use crate::error::{Error, Result};
use crate::excerpt::{list, quoted};
use crate::hint::{Hint, Message, Setting};
use crate::readers::columnar;
use crate::readers::input::Input;
use crate::readers::table::TargetKind;
use crate::readers::text_format::{DecimalSign, Header, TextFormat};
use crate::tables::{FeaturesBuilder, TextValues, column_numbers};
use std::fmt::{self, Display};

/// What to do about words above numbers, below the names.
const SECOND_HEADER: &str =
    "remove this row if it is one of units, or of more names (the next row has a number there)";

/// A file whose header line is read and whose rows are not.
pub(crate) struct Sheet<'a> {
    /// What messages call the file.
    pub(crate) origin: String,
    /// The name of every column.
    pub(crate) names: Vec<String>,
    /// The separator of the values.
    pub(crate) separator: u8,
    /// What to know of how it was read.
    pub(crate) notes: Vec<Message>,
    /// Whether its first line is read as a row.
    first_is_row: bool,
    /// Of which columns the first rows hold numbers, but for a few.
    pub(crate) mostly_numbers: Vec<bool>,
    /// Whether rows have line numbers, which messages name.
    has_lines: bool,
    /// A value of each column that holds codes with leading zeros.
    codes: Vec<Option<String>>,
    /// Whether a cell of its first line holds a space.
    pub(crate) has_spaces: bool,
    /// Whether the header line ends with a separator, so that a last column would have no name.
    open_end: bool,
    records: Records<'a>,
}

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

impl<'a> Sheet<'a> {
    /// Opens text; `wanted` are the names by which columns are asked for.
    ///
    /// # Errors
    /// No line, a separator that cannot be, or a first line that may be names or a row.
    pub(super) fn open(input: Input<'a>, format: &TextFormat, wanted: &[&str]) -> Result<Self> {
        let preamble = Preamble::of(&input, format)?;
        let (origin, separator) = (input.origin(), preamble.separator);
        let first = FirstLine::of(&preamble.sample, format, wanted);
        let mut records = Records::new(separated(input, separator)?, separator)?;
        let mut notes: Vec<Message> = preamble.skip(&mut records)?.into_iter().collect();
        let has_header = match (format.header, first) {
            (Header::Yes, _) => true,
            (Header::No, _) => false,
            (Header::Auto, FirstLine::Unclear) => return Err(unclear(&origin, &preamble)),
            (Header::Auto, FirstLine::Names(note)) => {
                notes.extend(note);
                true
            }
            (Header::Auto, FirstLine::Row(note)) => {
                notes.extend(note);
                false
            }
        };
        let mut names = first_record(&mut records, &origin)?;
        // A mark of remarks before the names is none of them.
        let mut unmarked = names.clone();
        unmark(&mut unmarked);
        if has_header && preamble.sample.rows.first() == Some(&unmarked) {
            names = unmarked;
        }
        if let Some(name) = names.iter().find(|name| name.contains('\0')) {
            return Err(nul_in_header(&origin, name));
        }
        let has_spaces = names.iter().any(|name| name.contains(' '));
        let open_end = has_header && names.len() > 1 && names.last().is_some_and(String::is_empty);
        names.truncate(names.len() - usize::from(open_end));
        if !has_header {
            records.put_back();
            names = column_numbers(names.len());
        }
        let notes = notes
            .into_iter()
            .map(|note| note.map_text(|text| format!("{origin}: {text}")))
            .collect();
        let table = (origin, names, separator);
        let sheet = Self::of(table, records, &preamble.sample, format.decimal);
        Ok(Self { notes, first_is_row: !has_header, has_spaces, open_end, ..sheet })
    }

    /// A table of columns that was made text.
    pub(super) fn of_columns(input: Input<'a>, decimal: DecimalSign) -> Result<Self> {
        let (origin, separator) = (input.origin(), columnar::SEPARATOR);
        let sample = Sample::of(input.start(), separator);
        let mut records = Records::new(input, separator)?;
        let names = first_record(&mut records, &origin)?;
        let sheet = Self::of((origin, names, separator), records, &sample, decimal);
        Ok(Self { has_lines: false, ..sheet })
    }

    /// A table whose names were read, and of which there is nothing else to know.
    fn of(
        (origin, names, separator): (String, Vec<String>, u8),
        records: Records<'a>,
        sample: &Sample,
        decimal: DecimalSign,
    ) -> Self {
        Self {
            origin,
            names,
            separator,
            notes: Vec::new(),
            first_is_row: false,
            mostly_numbers: sample.mostly_numbers(decimal),
            codes: sample.codes(),
            has_lines: true,
            has_spaces: false,
            open_end: false,
            records,
        }
    }

    /// Says which of these columns hold codes that are read as numbers: their zeros are lost, and codes that are close
    /// have nothing in common.
    pub(crate) fn about_codes(
        &self,
        columns: impl IntoIterator<Item = usize>,
    ) -> impl Iterator<Item = Message> {
        columns.into_iter().filter_map(|column| {
            let code = self.codes.get(column)?.as_ref()?;
            let name = &self.names[column];
            let text = format!(
                "{}: column {} holds codes such as {code}, and is read as numbers",
                self.origin,
                quoted(name)
            );
            let levels = Setting::Categorical(Some(name.clone()));
            Some(Message::from(text).with_hint(levels).with_hint(Setting::Ignore))
        })
    }

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
        let count =
            self.rows_after(count, |record, row| rows.push(record, row, selection, task))?;
        let target = match task {
            TargetKind::Classes => (selection.target, None),
            TargetKind::Numeric => (None, selection.target),
        };
        match rows.missing.refused(&origin, count, &names, target, has_lines) {
            Some(error) => Err(error),
            None => Ok(rows),
        }
    }

    /// Hands out every row with its number, from 1; where a cell is bad the answer is its column and the reason.
    pub(crate) fn each_row(
        self,
        take: impl FnMut(&Record, usize) -> Result<(), (usize, Message)>,
    ) -> Result<usize> {
        self.rows_after(0, take)
    }

    /// As [`each_row`](Self::each_row), after `count` rows that were read otherwise.
    fn rows_after(
        mut self,
        mut count: usize,
        mut take: impl FnMut(&Record, usize) -> Result<(), (usize, Message)>,
    ) -> Result<usize> {
        // In a file of one column a blank line may be a missing value: skipping it would shift the rows.
        let mut blank_line = None;
        let (columns, open_end) = (self.names.len(), self.open_end);
        while let Some(record) = self.records.read_row(columns)? {
            blank_line = blank_line.or(record.blank_line);
            if record.is_blank() {
                blank_line = blank_line.or(Some(record.line));
                continue;
            }
            if let Some(line) = blank_line.filter(|_| self.names.len() == 1) {
                return Err(Error::data(format!(
                    "{}, line {line} is blank; in a file of one column give every line a value",
                    self.origin
                )));
            }
            count += 1;
            let line = self.has_lines.then_some(record.line);
            let at = Place { origin: &self.origin, line, row: count };
            if record.len() != columns {
                let widths = if self.first_is_row { "first row" } else { "header" };
                return Err(ragged(at, record, columns, (widths, self.separator, open_end)));
            }
            if let Err((column, reason)) = take(record, count) {
                let name = &self.names[column];
                if self.has_lines && record.field(column) == name {
                    let (at, name) = (at.to_string(), quoted(name));
                    return Err(Error::data(format!(
                        "{at}, column {name}: the line repeats the names of the columns; remove it"
                    )));
                }
                let at = format!("{at}, column {}", quoted(name));
                let is_text = record.field(column).parse::<f64>().is_err();
                let is_above_a_number = count == 1 && is_text && self.is_above_a_number(column)?;
                let (read_as, hint) = match (is_above_a_number, self.first_is_row) {
                    (false, _) => {
                        let message = reason.map_text(|text| format!("{at}: {text}"));
                        return Err(Error::data(message));
                    }
                    (true, true) => {
                        (" (the first line is read as a row)", Setting::Header(true).into())
                    }
                    (true, false) => ("", Hint::edit(SECOND_HEADER)),
                };
                // No column is left out for one row.
                let edits = reason.hints().iter().filter(|hint| matches!(hint, Hint::Edit(_)));
                let message = Message::from(format!("{at}: {}{read_as}", reason.text()));
                return Err(Error::data(message.with_hint(hint).with_hints(edits.cloned())));
            }
        }
        if count == 0 {
            let (header, cure) = match self.has_lines {
                true => ("a header line", "write one row per line below the header"),
                false => ("columns", "write some rows"),
            };
            return Err(Error::data(format!("{} has {header} but no rows; {cure}", self.origin)));
        }
        Ok(count)
    }

    /// Whether the next row has a number in this column, so that the row before it may be one of names.
    fn is_above_a_number(&mut self, column: usize) -> Result<bool> {
        let columns = self.names.len();
        let next = self.records.read_row(columns)?;
        let number =
            next.filter(|next| next.len() == columns).map(|next| next.field(column).parse::<f64>());
        Ok(matches!(number, Some(Ok(_))))
    }
}

/// The cells of the first record that is not blank.
fn first_record(records: &mut Records<'_>, origin: &str) -> Result<Vec<String>> {
    loop {
        match records.read()? {
            Some(record) if record.is_blank() => {}
            Some(record) => return Ok(record.fields().map(String::from).collect()),
            None => {
                return Err(Error::data(format!(
                    "{origin} is empty; it needs a header line of column names, then one row per line"
                )));
            }
        }
    }
}

fn unclear(origin: &str, preamble: &Preamble) -> Error {
    let first = preamble.sample.rows.first().map_or(&[][..], Vec::as_slice);
    let text = format!(
        "the first line of {origin} looks like a row of data ({}), and may hold the names of the columns",
        list(first)
    );
    Error::data(
        Message::from(text).with_hint(Setting::Header(false)).with_hint(Setting::Header(true)),
    )
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

/// The error of a header line with characters of code 0: UTF-16 that is read as UTF-8, or damage.
fn nul_in_header(origin: &str, name: &str) -> Error {
    let encoding = if name.starts_with('\0') { "utf-16be" } else { "utf-16le" };
    let text = format!(
        "the header line of {origin} holds NUL characters (code 0), as UTF-16 without a byte order mark does"
    );
    let encoding = Setting::Encoding(Some(encoding));
    Error::data(Message::from(text).with_hint(encoding).with_hint(Hint::edit("remove them")))
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
