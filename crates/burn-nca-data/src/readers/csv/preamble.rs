//! What is above the names of a file: a line that names the separator, a title, remarks.

use crate::error::Result;
use crate::hint::Message;

use super::records::Records;
use super::sample::Sample;
use super::separator;
use crate::excerpt::quoted;
use crate::readers::input::Input;
use crate::readers::text_format::TextFormat;

/// How a file begins.
pub(super) struct Preamble {
    /// The separator of the values.
    pub(super) separator: u8,
    /// The first records from the names on.
    pub(super) sample: Sample,
    /// Whether the first line names the separator.
    names_separator: bool,
    /// The records above the names.
    titles: Vec<Vec<String>>,
}

impl Preamble {
    /// The beginning of a file of this format.
    ///
    /// # Errors
    /// A separator that cannot be.
    pub(super) fn of(input: &Input<'_>, format: &TextFormat) -> Result<Self> {
        let start = input.start();
        let named = separator_line(start);
        let rest = named.map_or(start, |(_, length)| &start[length..]);
        let separator = match (format.separator()?, named) {
            (Some(separator), _) | (None, Some((separator, _))) => separator,
            (None, None) => separator::separator_of(rest, format.decimal),
        };
        let mut sample = Sample::of(rest, separator);
        let titles = sample.rows.drain(..sample.titles()).collect();
        Ok(Self { separator, sample, names_separator: named.is_some(), titles })
    }

    /// Takes what is above the names off the records, and says so.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn skip(&self, records: &mut Records<'_>) -> Result<Option<Message>> {
        if self.names_separator {
            records.skip_line()?;
        }
        let mut left = self.titles.len();
        while left > 0 {
            match records.read()? {
                Some(record) if record.is_blank() => {}
                Some(_) => left -= 1,
                None => break,
            }
        }
        let Some(first) = self.titles.first() else { return Ok(None) };
        let lines = match self.titles.len() {
            1 => "the line above the names of the columns is".to_string(),
            many => format!("the {many} lines above the names of the columns are"),
        };
        Ok(Some(format!("{lines} left out ({})", quoted(&first.join(" "))).into()))
    }
}

/// The separator that Excel's `sep=;` names in the first line, and the length of that line.
fn separator_line(start: &[u8]) -> Option<(u8, usize)> {
    let mark = b"\xef\xbb\xbf";
    let text = start.strip_prefix(mark).unwrap_or(start);
    let length = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
    let line = &text[..length];
    let line =
        line.strip_prefix(b"\"").map_or(line, |line| line.strip_suffix(b"\"").unwrap_or(line));
    let (word, separator) = line.split_at_checked(4)?;
    let [separator] = separator else { return None };
    let usable = separator.is_ascii_punctuation() || matches!(separator, b'\t' | b' ');
    let names = word.eq_ignore_ascii_case(b"sep=") && usable && *separator != b'"';
    names.then_some((*separator, start.len() - text.len() + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_excel_names_the_separator() {
        for (line, separator) in [
            ("sep=;\n", Some(b';')),
            ("\"sep=;\"\r\n", Some(b';')),
            ("\u{feff}SEP=,\r\n", Some(b',')),
            ("sep=\t\n", Some(b'\t')),
            ("sep=a\n", None),
            ("sep=\n", None),
            ("sep=;", None),
            ("separator;y\n", None),
        ] {
            assert_eq!(separator_line(line.as_bytes()).map(|found| found.0), separator, "{line:?}");
        }
    }
}
