//! A file whose header line is read: its names, and what is known of its columns before any row.

use super::first_line::FirstLine;
use super::preamble::Preamble;
use super::records::Records;
use super::sample::{Sample, unmark};
use crate::error::{Error, Result};
use crate::excerpt::{list, quoted};
use crate::hint::{Hint, Message, Setting};
use crate::readers::columnar;
use crate::readers::input::Input;
use crate::readers::text_format::{DecimalSign, Header, TextFormat};
use crate::tables::column_numbers;

/// A file whose header line is read and whose rows are not.
pub(crate) struct Sheet<'a> {
    /// What messages call the file.
    pub(crate) origin: String,
    /// The name of every column.
    pub(crate) names: Vec<String>,
    /// The separator of the values.
    pub(super) separator: u8,
    /// What to know of how it was read.
    pub(crate) notes: Vec<Message>,
    /// Whether its first line is read as a row.
    pub(super) first_is_row: bool,
    /// Of which columns the first rows hold numbers, but for a few.
    pub(crate) mostly_numbers: Vec<bool>,
    /// Whether rows have line numbers, which messages name.
    pub(super) has_lines: bool,
    /// A value of each column that holds codes with leading zeros.
    codes: Vec<Option<String>>,
    /// Whether a cell of its first line holds a space.
    pub(crate) has_spaces: bool,
    /// Whether the header line ends with a separator, so that a last column would have no name.
    pub(super) open_end: bool,
    pub(super) records: Records<'a>,
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
        let mut records = Records::new(input, separator)?;
        let above = preamble.skip(&mut records)?;
        let (has_header, note) = match (format.header, first) {
            (Header::Yes, _) => (true, None),
            (Header::No, _) => (false, None),
            (Header::Auto, FirstLine::Unclear) => return Err(unclear(&origin, &preamble)),
            (Header::Auto, FirstLine::Names(note)) => (true, note),
            (Header::Auto, FirstLine::Row(note)) => (false, note),
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
        let notes = above.into_iter().chain(note);
        let notes = notes.map(|note| note.map_text(|text| format!("{origin}: {text}"))).collect();
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
    let message = Message::from(text).with_hint(Setting::Header(false));
    Error::data(message.with_hint(Setting::Header(true)))
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
