//! A file whose header line is read: its names, and what is known of its columns before any row.

use super::first_line::FirstLine;
use super::records::Records;
use super::sample::{Sample, separator_of, unmark};
use crate::excerpt::list;
use crate::readers::columnar;
use crate::readers::input::Input;
use crate::{
    DecimalSign, Error, Header, Hint, Message, Result, Setting, TextFormat, column_numbers, quoted,
};

pub(crate) struct Sheet<'a> {
    pub(crate) origin: String,
    pub(crate) names: Vec<String>,
    pub(super) separator: u8,
    /// What to know of how it was read.
    pub(crate) notes: Vec<Message>,
    pub(super) first_is_row: bool,
    pub(crate) mostly_numbers: Vec<bool>,
    /// Whether rows have line numbers, which messages name.
    pub(super) has_lines: bool,
    /// A value of each column that holds codes with leading zeros.
    codes: Vec<Option<String>>,
    pub(crate) has_spaces: bool,
    /// Whether the header line ends with a separator, so that a last column would have no name.
    pub(super) open_end: bool,
    pub(super) records: Records<'a>,
}

impl<'a> Sheet<'a> {
    pub(super) fn open(input: Input<'a>, format: &TextFormat, wanted: &[&str]) -> Result<Self> {
        let (origin, start) = (input.origin(), input.start());
        let named = separator_line(start);
        let rest = named.map_or(start, |(_, length)| &start[length..]);
        let separator = match (format.separator()?, named) {
            (Some(separator), _) | (None, Some((separator, _))) => separator,
            (None, None) => separator_of(rest, format.decimal),
        };
        let mut sample = Sample::of(rest, separator);
        let titles: Vec<Vec<String>> = sample.rows.drain(..sample.titles()).collect();
        let first = FirstLine::of(&sample, format, wanted);
        let mut records = Records::new(input, separator)?;
        for _ in 0..titles.len() + usize::from(named.is_some()) {
            records.read_filled()?;
        }
        let (has_header, note) = match (format.header, first) {
            (Header::Yes, _) => (true, None),
            (Header::No, _) => (false, None),
            (Header::Auto, FirstLine::Unclear) => return Err(unclear(&origin, &sample)),
            (Header::Auto, FirstLine::Names(note)) => (true, note),
            (Header::Auto, FirstLine::Row(note)) => (false, note),
        };
        let mut names = first_record(&mut records, &origin)?;
        // A mark of remarks before the names is none of them.
        let mut unmarked = names.clone();
        unmark(&mut unmarked);
        if has_header && sample.rows.first() == Some(&unmarked) {
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
        let notes = about_titles(&titles).into_iter().chain(note);
        let notes = notes.map(|note| note.map_text(|text| format!("{origin}: {text}"))).collect();
        let sheet = Self::of((origin, names, separator), records, &sample, format.decimal);
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
            let (code, name) = (self.codes.get(column)?.as_ref()?, &self.names[column]);
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

/// The separator that Excel's `sep=;` names in the first line, and the length of that line.
fn separator_line(start: &[u8]) -> Option<(u8, usize)> {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let length = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
    let line = &text[..length];
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    let (word, &[separator]) = line.split_at_checked(4)? else { return None };
    let usable = separator.is_ascii_punctuation() || matches!(separator, b'\t' | b' ');
    let names = word.eq_ignore_ascii_case(b"sep=") && usable && separator != b'"';
    names.then_some((separator, start.len() - text.len() + length))
}

/// What to say of the records above the names.
fn about_titles(titles: &[Vec<String>]) -> Option<Message> {
    let first = titles.first()?;
    let lines = match titles.len() {
        1 => "the line above the names of the columns is".to_string(),
        many => format!("the {many} lines above the names of the columns are"),
    };
    Some(format!("{lines} left out ({})", quoted(&first.join(" "))).into())
}

fn first_record(records: &mut Records<'_>, origin: &str) -> Result<Vec<String>> {
    match records.read_filled()? {
        Some(record) => Ok(record.fields().map(String::from).collect()),
        None => Err(Error::data(format!(
            "{origin} is empty; it needs a header line of column names, then one row per line"
        ))),
    }
}

fn unclear(origin: &str, sample: &Sample) -> Error {
    let first = sample.rows.first().map_or(&[][..], Vec::as_slice);
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
