//! The lines of the file: the names in the first, cells in the others.

use std::fmt::{self, Display};

use crate::error::{Error, Result};
use crate::tables::FeaturesBuilder;

use super::cell::{self, Flaw};
use super::header::{self, Selection};
use super::missing::Missing;
use super::plain::{Piece, PlainRows};
use super::records::{Record, Records};
use super::separator;
use crate::excerpt::quoted;
use crate::readers::class_names::ClassColumn;
use crate::readers::columnar;
use crate::readers::input::Input;
use crate::readers::table::TargetKind;
use crate::readers::text_format::TextFormat;

/// A file whose header line is read and whose rows are not.
pub(crate) struct Sheet<'a> {
    /// What messages call the file.
    pub(crate) origin: String,
    /// The name of every column.
    pub(crate) names: Vec<String>,
    /// What stands between the values.
    pub(crate) separator: u8,
    /// Whether rows stand on lines, which messages name.
    has_lines: bool,
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
    pub(super) classes: ClassColumn,
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
    /// Reads the header line.
    pub(super) fn open(input: Input<'a>, format: &TextFormat) -> Result<Self> {
        let separator = match format.separator()? {
            Some(separator) => separator,
            None => separator::separator_of(&input, format.decimal),
        };
        let sheet = Self::of_names(input, separator, true)?;
        header::refuse_data(&sheet.origin, &sheet.names)?;
        Ok(sheet)
    }

    /// A table of columns that was made text.
    pub(super) fn of_columns(input: Input<'a>) -> Result<Self> {
        Self::of_names(input, columnar::SEPARATOR, false)
    }

    fn of_names(input: Input<'a>, separator: u8, has_lines: bool) -> Result<Self> {
        let origin = input.origin();
        let mut records = Records::new(input, separator)?;
        loop {
            let Some(record) = records.read()? else {
                return Err(Error::data(format!(
                    "{origin} is empty; it needs a header line of column names, then one row per line"
                )));
            };
            if !record.is_blank() {
                let mut names: Vec<String> = record.fields().map(String::from).collect();
                if let Some(name) = names.iter().find(|name| name.contains('\0')) {
                    return Err(nul_in_header(&origin, name));
                }
                let open_end =
                    has_lines && names.len() > 1 && names.last().is_some_and(String::is_empty);
                names.truncate(names.len() - usize::from(open_end));
                return Ok(Self { origin, names, separator, has_lines, open_end, records });
            }
        }
    }

    /// Reads every row.
    pub(super) fn read(mut self, selection: &Selection, task: TargetKind) -> Result<Rows> {
        let mut rows = Rows::default();
        let (origin, names) = (self.origin.clone(), self.names.clone());
        rows.missing = Missing::new(self.has_lines);
        let (mut count, mut size) = (0, self.records.size());
        if let Some(plain) = PlainRows::new(names.len(), self.separator, (selection, task)) {
            self.records.each_block(|lines| {
                let mut bytes = 0;
                for piece in plain.read(lines) {
                    (bytes, count) = (bytes + piece.bytes, count + piece.rows);
                    rows.add(&piece);
                }
                // A table that grows by doubling stands twice as it does.
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
        match rows.missing.refused(&origin, count, &names, target) {
            Some(error) => Err(error),
            None => Ok(rows),
        }
    }

    /// Hands out every row with its number, from 1; where a cell is bad the answer is its column and the reason.
    pub(crate) fn each_row(
        self,
        take: impl FnMut(&Record, usize) -> Result<(), (usize, String)>,
    ) -> Result<usize> {
        self.rows_after(0, take)
    }

    /// As [`each_row`](Self::each_row), after `count` rows that were read otherwise.
    fn rows_after(
        mut self,
        mut count: usize,
        mut take: impl FnMut(&Record, usize) -> Result<(), (usize, String)>,
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
                let separator = separator::name(self.separator);
                return Err(ragged(at, record, columns, open_end.then_some(separator)));
            }
            if let Err((column, reason)) = take(record, count) {
                let at = format!("{at}, column {}", quoted(&self.names[column]));
                let hint = if count == 1 { self.second_header(column)? } else { "" };
                return Err(Error::data(format!("{at}: {reason}{hint}")));
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

    /// The hint that the first row is one more header line, if the row after it has a number in this column.
    fn second_header(&mut self, column: usize) -> Result<&'static str> {
        let columns = self.names.len();
        let next = self.records.read_row(columns)?;
        let number =
            next.filter(|next| next.len() == columns).map(|next| next.field(column).parse::<f64>());
        Ok(match number {
            Some(Ok(_)) => {
                " (the next row has a number there: remove this row if it is one of units, or of more names)"
            }
            _ => "",
        })
    }
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

/// The error of a row of another length than the header line, which may end with a separator of this name.
fn ragged(at: Place<'_>, record: &Record, columns: usize, open_end: Option<&str>) -> Error {
    let values = record.len();
    let cure = match open_end {
        Some(separator) if values == columns + 1 => format!(
            "the header line ends with a {separator}, so that the last column has no name; write its name there, or \
             remove the column"
        ),
        _ if record.fields().any(|field| field.contains('"')) => {
            "give the row one value per column, and write a quotation mark within quotation marks twice (\"\")"
                .to_string()
        }
        _ if values == columns + 1 && at.row == 1 => "give the row one value per column; where rows begin with their \
             names, as R writes them, name that column in the header line, too"
            .to_string(),
        _ => "give the row one value per column".to_string(),
    };
    Error::data(format!(
        "{at}: {values} value{} where the header names {columns} columns; {cure}",
        if values == 1 { "" } else { "s" },
    ))
}

/// The error of a header line with characters of code 0: UTF-16 that is read as UTF-8, or damage.
fn nul_in_header(origin: &str, name: &str) -> Error {
    let encoding = if name.starts_with('\0') { "utf-16be" } else { "utf-16le" };
    Error::data(format!(
        "the header line of {origin} holds NUL characters (code 0); if the file is UTF-16 without a byte order mark, \
         read it as {encoding}, else remove them"
    ))
}

impl Rows {
    /// Adds rows that were read together.
    fn add(&mut self, piece: &Piece<'_>) {
        self.values.extend_from_slice(&piece.values);
        self.numbers.extend_from_slice(&piece.numbers);
        piece.classes.iter().for_each(|&class| self.classes.push(piece.names[class]));
    }

    /// Adds a row; where a cell is bad, its column and the reason.
    fn push(
        &mut self,
        record: &Record,
        row: usize,
        selection: &Selection,
        task: TargetKind,
    ) -> Result<(), (usize, String)> {
        let mut missing = Vec::new();
        let mut take = |column: usize, flaw: Flaw| match flaw {
            Flaw::Missing => {
                missing.push(column);
                Ok(())
            }
            Flaw::Bad(reason) => Err((column, reason)),
        };
        let is_apart = |column: usize| selection.set_apart && record.field(column).is_empty();
        let apart = selection.target.is_some_and(is_apart);
        let values = if apart { &mut self.apart.values } else { &mut self.values };
        for &column in &selection.features {
            match cell::number(record.field(column), selection.decimal, selection.text_cure) {
                Ok(number) => values.push(number),
                Err(flaw) => take(column, flaw)?,
            }
        }
        if apart {
            self.apart.rows.push(row - 1);
        } else if let Some(column) = selection.target {
            let cell = record.field(column);
            match task {
                TargetKind::Classes => match cell::class(cell) {
                    Ok(class) => self.classes.push(class),
                    Err(flaw) => take(column, flaw)?,
                },
                TargetKind::Numeric => {
                    let cure = "correct it, or read the target as classes";
                    match cell::number(cell, selection.decimal, cure) {
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
