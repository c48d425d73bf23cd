//! The lines of the file: the names in the first, cells in the others.

use burn_nca::{Error, Result};
use csv::{Reader, ReaderBuilder, StringRecord, Trim};

use super::cell;
use super::header::Selection;
use crate::table::Task;

/// A file whose header line is read and whose rows are not.
pub(super) struct Sheet<'a> {
    origin: &'a str,
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The name of every column.
    pub(super) names: Vec<String>,
}

/// What the selected columns hold.
#[derive(Default)]
pub(super) struct Rows {
    /// The features, row-major.
    pub(super) values: Vec<f64>,
    /// The target as classes.
    pub(super) classes: Vec<String>,
    /// The target as numbers.
    pub(super) numbers: Vec<f64>,
}

/// What is wrong with a row, and in which column.
struct Flaw {
    column: Option<usize>,
    reason: String,
}

impl<'a> Sheet<'a> {
    /// Reads the header line of `text`.
    pub(super) fn open(origin: &'a str, text: &'a str) -> Result<Self> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .from_reader(text.as_bytes());
        let mut header = StringRecord::new();
        reader.read_record(&mut header).map_err(|error| unreadable(origin, error))?;
        let names: Vec<String> = header.iter().map(String::from).collect();
        if names.len() == 1 {
            refuse_blank_lines(origin, text)?;
        }
        Ok(Self { origin, text, reader, names })
    }

    /// Reads every row.
    pub(super) fn read(mut self, selection: &Selection, task: Task) -> Result<Rows> {
        let mut rows = Rows::default();
        let mut record = StringRecord::new();
        let mut count = 0;
        while self.advance(&mut record)? {
            count += 1;
            let columns = self.names.len();
            rows.push(&record, columns, selection, task).map_err(|flaw| {
                let line = self.line_of(&record);
                let column = flaw.column.map(|column| format!(", column {:?}", self.names[column]));
                Error::data(format!(
                    "{}, line {line} (row {count}){}: {}",
                    self.origin,
                    column.unwrap_or_default(),
                    flaw.reason
                ))
            })?;
        }
        if count == 0 {
            return Err(Error::data(format!(
                "{} has a header line but no rows; write one row a line below the header",
                self.origin
            )));
        }
        Ok(rows)
    }

    /// Moves to the next row that is not blank; `false` at the end.
    fn advance(&mut self, record: &mut StringRecord) -> Result<bool> {
        loop {
            let read = self.reader.read_record(record);
            if !read.map_err(|error| unreadable(self.origin, error))? {
                return Ok(false);
            }
            let blank = record.len() == 1 && record[0].is_empty();
            if !(blank && self.names.len() > 1) {
                return Ok(true);
            }
        }
    }

    /// The line a row starts on, counted from 1. (The position that the csv crate gives lies before
    /// the blank lines that it skips.)
    fn line_of(&self, record: &StringRecord) -> usize {
        let start = record.position().map_or(0, |position| position.byte()) as usize;
        let bytes = self.text.as_bytes();
        let line_ends = bytes[start..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let before = &self.text[..start + line_ends.count()];
        let line_feeds = before.matches('\n').count();
        1 + if line_feeds > 0 { line_feeds } else { before.matches('\r').count() }
    }
}

impl Rows {
    fn push(
        &mut self,
        record: &StringRecord,
        columns: usize,
        selection: &Selection,
        task: Task,
    ) -> Result<(), Flaw> {
        if record.len() != columns {
            let values = record.len();
            let reason = format!(
                "{values} value{} where the header names {columns} columns; \
                 give the row one value a column",
                if values == 1 { "" } else { "s" }
            );
            return Err(Flaw { column: None, reason });
        }
        for &column in &selection.features {
            let cure = "correct it, ignore the column, or name the column as the target";
            let number = cell::number(&record[column], cure);
            self.values.push(number.map_err(|reason| Flaw { column: Some(column), reason })?);
        }
        let Some(column) = selection.target else { return Ok(()) };
        let flaw = |reason| Flaw { column: Some(column), reason };
        match task {
            Task::Classes => self.classes.push(cell::class(&record[column]).map_err(flaw)?),
            Task::Numeric => {
                let cure = "correct it, or read the target as classes";
                self.numbers.push(cell::number(&record[column], cure).map_err(flaw)?);
            }
        }
        Ok(())
    }
}

/// In a file of one column a blank line may be a missing value: skipping it would shift the rows.
fn refuse_blank_lines(origin: &str, text: &str) -> Result<()> {
    match text.trim_end().lines().position(|line| line.trim().is_empty()) {
        None => Ok(()),
        Some(line) => Err(Error::data(format!(
            "{origin}, line {} is blank; in a file of one column give every line a value",
            line + 1
        ))),
    }
}

fn unreadable(origin: &str, error: csv::Error) -> Error {
    Error::data(format!("{origin} is not readable as CSV ({error}); save it again as CSV"))
}
