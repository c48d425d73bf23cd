//! Values that are missing: how they are spelled, and how many there are in which column.

use std::collections::BTreeMap;

use crate::Error;

use super::records::Record;
use crate::excerpt::{quoted, short};

/// How a missing value is spelled: what pandas takes for one, the question mark of the UCI repository, the marks of
/// databases, and the errors of spreadsheets.
const SPELLINGS: [&str; 28] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "null", "?", "NaT", "(null)", "\\N",
    "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!",
];

/// What else stands for a missing value in a column of numbers, in capitals or not; in text it is a word as any other.
const AMONG_NUMBERS: [&str; 5] = ["-", ".", "na", "nil", "missing"];

/// The most columns that the message names.
const SHOWN: usize = 8;

/// Whether a cell stands for a missing value.
pub(crate) fn is_missing(cell: &str) -> bool {
    SPELLINGS.contains(&cell) || cell.parse::<f64>().is_ok_and(f64::is_nan)
}

/// Whether a cell of a column of numbers stands for a missing value.
pub(crate) fn is_missing_number(cell: &str) -> bool {
    is_missing(cell) || AMONG_NUMBERS.iter().any(|spelling| cell.eq_ignore_ascii_case(spelling))
}

/// The missing values of a file.
#[derive(Default)]
pub(super) struct Missing {
    /// The rows with at least one.
    rows: usize,
    columns: BTreeMap<usize, Column>,
    /// Whether rows stand on lines, which the message names.
    has_lines: bool,
}

struct Column {
    count: usize,
    /// The first: its spelling, its line and its row.
    first: (String, usize, usize),
}

impl Missing {
    /// None yet.
    pub(super) fn new(has_lines: bool) -> Self {
        Self { has_lines, ..Self::default() }
    }

    /// Counts the missing cells of one row, given by their columns.
    pub(super) fn count_row(&mut self, record: &Record, columns: &[usize], row: usize) {
        self.rows += usize::from(!columns.is_empty());
        for &column in columns {
            let first =
                || Column { count: 0, first: (short(record.field(column)), record.line, row) };
            self.columns.entry(column).or_insert_with(first).count += 1;
        }
    }

    /// The error of a file of `rows` rows that has some; `classes` is the column of the classes, `number` that of a
    /// numeric target.
    pub(super) fn refused(
        &self,
        origin: &str,
        rows: usize,
        names: &[String],
        (classes, number): (Option<usize>, Option<usize>),
    ) -> Option<Error> {
        if self.rows == 0 {
            return None;
        }
        let mut columns: Vec<String> = self
            .columns
            .iter()
            .take(SHOWN)
            .map(|(&column, missing)| missing.told(&names[column], self.has_lines))
            .collect();
        if self.columns.len() > SHOWN {
            columns.push(format!("and {} columns more", self.columns.len() - SHOWN));
        }
        let named = classes.and_then(|column| self.columns.get(&column));
        let cure = match named.filter(|column| !column.first.0.is_empty()) {
            Some(column) => format!(
                " (if {:?} is the name of a class, write it in another way)",
                column.first.0
            ),
            None => String::new(),
        };
        let what = match number.filter(|column| self.columns.contains_key(column)) {
            Some(_) => "remove the rows, the target is never filled in",
            None => "fill the values in or remove the rows",
        };
        Some(Error::data(format!(
            "{origin}: {} of {rows} rows {} a value: {}; {what}{cure}",
            self.rows,
            if self.rows == 1 { "lacks" } else { "lack" },
            columns.join(", "),
        )))
    }
}

impl Column {
    fn told(&self, name: &str, has_lines: bool) -> String {
        let (spelling, line, row) = &self.first;
        let spelling = if spelling.is_empty() { "empty".into() } else { format!("{spelling:?}") };
        let at = match has_lines {
            true => format!("{spelling} on line {line}, row {row}"),
            false => format!("{spelling} in row {row}"),
        };
        let first = if self.count == 1 { at } else { format!("the first: {at}") };
        format!("{} in column {} ({first})", self.count, quoted(name))
    }
}
