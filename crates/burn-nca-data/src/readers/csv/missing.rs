//! Values that are missing: how they are spelled, and how many there are in which column.

use super::records::Record;
use crate::excerpt::short;
use crate::hint::missing_hints;
use crate::{Error, Hint, Message, Setting, name_key, quoted};
use std::collections::BTreeMap;

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

/// How the missing values of a file are spelled: as usual, and as a user says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spellings {
    /// Whether the usual spellings do not count.
    without_usual: bool,
    /// The keys of others ([`name_key`]).
    words: Vec<String>,
}

impl Spellings {
    /// The usual ones and those of a user, or the latter alone where they are none, or an empty word is among them.
    pub(crate) fn new(words: Option<&Vec<String>>) -> Self {
        let Some(words) = words else { return Self::default() };
        let keys = words.iter().map(|word| name_key(word.trim()).into_owned());
        let keys: Vec<String> = keys.collect();
        Self { without_usual: keys.is_empty() || keys.iter().any(String::is_empty), words: keys }
    }

    pub(crate) fn is_named(&self, cell: &str) -> bool {
        !self.words.is_empty() && {
            let key = name_key(cell);
            self.words.iter().any(|word| *word == key)
        }
    }

    pub(crate) fn is_missing(&self, cell: &str) -> bool {
        let usual = || !self.without_usual && (SPELLINGS.contains(&cell) || is_nan(cell));
        cell.is_empty() || usual() || self.is_named(cell)
    }

    /// Whether a cell of a column of numbers stands for a missing value; there the usual ones do whatever a user says.
    pub(crate) fn is_missing_number(&self, cell: &str) -> bool {
        let word = || AMONG_NUMBERS.iter().any(|spelling| cell.eq_ignore_ascii_case(spelling));
        self.is_missing(cell) || is_nan(cell) || SPELLINGS.contains(&cell) || word()
    }

    /// Whether a code among numbers stands for a missing value: one of the usual words may be a level.
    pub(crate) fn is_missing_code(&self, cell: &str) -> bool {
        match self.without_usual {
            true => self.is_missing(cell) || is_nan(cell),
            false => self.is_missing_number(cell),
        }
    }
}

/// What to do about a class that is spelled like a missing value.
pub(crate) fn class_hints(cell: &str) -> [Hint; 2] {
    [Setting::UnlabeledClass(cell.to_string()).into(), Setting::NoMissingValues.into()]
}

fn is_nan(cell: &str) -> bool {
    cell.parse::<f64>().is_ok_and(f64::is_nan)
}

#[derive(Default)]
pub(super) struct Missing {
    rows: usize,
    columns: BTreeMap<usize, Column>,
}

struct Column {
    count: usize,
    /// The first: its spelling, its line and its row.
    first: (String, usize, usize),
}

impl Missing {
    pub(super) fn count_row(&mut self, record: &Record, columns: &[usize], row: usize) {
        self.rows += usize::from(!columns.is_empty());
        for &column in columns {
            let first =
                || Column { count: 0, first: (short(record.field(column)), record.line, row) };
            self.columns.entry(column).or_insert_with(first).count += 1;
        }
    }

    /// The error of a file of `rows` rows that has some; `classes` is the column of the classes, `number` that of a
    /// numeric target. Where rows have line numbers, it names them.
    pub(super) fn refused(
        &self,
        origin: &str,
        rows: usize,
        names: &[String],
        (classes, number): (Option<usize>, Option<usize>),
        has_lines: bool,
    ) -> Option<Error> {
        if self.rows == 0 {
            return None;
        }
        let in_words = |(&column, Column { count, first }): (&usize, &Column)| {
            let (spelling, line, row) = first;
            let spelling = if spelling.is_empty() { "empty" } else { &format!("{spelling:?}") };
            let line = if has_lines { format!("on line {line}, ") } else { "in ".to_string() };
            let first = if *count == 1 { "" } else { "the first: " };
            format!(
                "{count} in column {} ({first}{spelling} {line}row {row})",
                quoted(&names[column])
            )
        };
        let mut columns: Vec<String> = self.columns.iter().take(SHOWN).map(in_words).collect();
        if self.columns.len() > SHOWN {
            columns.push(format!("and {} columns more", self.columns.len() - SHOWN));
        }
        let named = classes.and_then(|column| self.columns.get(&column));
        let mut hints = match number.filter(|column| self.columns.contains_key(column)) {
            Some(_) => vec![
                Hint::edit("remove the rows (the target is never filled in)"),
                Setting::DropMissing.into(),
            ],
            None => missing_hints(false),
        };
        if let Some(class) = named.filter(|column| !column.first.0.is_empty()) {
            hints.truncate(if self.columns.len() > 1 { 3 } else { 0 });
            hints.extend(class_hints(&class.first.0));
        }
        let text = format!(
            "{origin}: {} of {rows} rows {} a value: {}",
            self.rows,
            if self.rows == 1 { "lacks" } else { "lack" },
            columns.join(", "),
        );
        Some(Error::data(Message::from(text).with_hints(hints)))
    }
}
