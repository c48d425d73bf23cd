//! How delimited text is written: its separator, its decimal sign and its encoding.

use std::borrow::Cow;

use crate::{Error, Result, quoted};
use serde::{Deserialize, Serialize};

use crate::readers::encodings::Encoding;

/// How delimited text is written.
///
/// # Examples
/// ```
/// use burn_nca_data::{CsvOptions, DecimalSign, TextFormat, parse_csv};
///
/// let format = TextFormat { decimal: DecimalSign::Comma, ..TextFormat::default() };
/// let options = CsvOptions { format, ..CsvOptions::default() };
/// let table = parse_csv("t.csv", b"a;y\n1,5;u\n2;v\n", &options)?;
/// assert_eq!(table.features.values(), [1.5, 2.0]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextFormat {
    /// The separator of the values, an ASCII character; a space means runs of spaces and tabs. `None`: a comma, a
    /// semicolon, a tab or a bar, or else runs of spaces, by the first lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// The decimal sign of numbers.
    #[serde(default)]
    pub decimal: DecimalSign,
    /// The encoding by its name on the web (`utf-16le`, `latin1`, `windows-1250`, …); `None`: UTF-16 where a byte order
    /// mark says so, else UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Whether the first line holds the names of the columns.
    #[serde(default, skip_serializing_if = "Header::is_auto")]
    pub header: Header,
    /// How a missing value is spelled, in addition to the empty cell; `None`: as pandas spells it, and `?`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
}

/// Whether the first line of delimited text holds the names of the columns.
///
/// Without a header line the columns are called `x1`, `x2`, ….
///
/// # Examples
/// ```
/// use burn_nca_data::{CsvOptions, Header, TextFormat, parse_csv};
///
/// let format = TextFormat { header: Header::Yes, ..TextFormat::default() };
/// let options = CsvOptions { format, ..CsvOptions::default() };
/// let table = parse_csv("t.csv", b"2019,2020,kind\n1,2,a\n3,4,b\n", &options)?;
/// assert_eq!(table.features.names(), ["2019", "2020"]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Header {
    /// By evidence: the types of its cells against those below, and whether they recur there.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It is a row like the others.
    No,
}

impl Header {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// The decimal sign of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecimalSign {
    /// `1.5`
    #[default]
    Point,
    /// `1,5`
    Comma,
}

impl DecimalSign {
    /// The number that a cell spells, be it finite or not.
    pub(crate) fn parse(self, cell: &str) -> Option<f64> {
        match self {
            Self::Point => cell.parse().ok().or_else(|| minus(cell)?.parse().ok()),
            Self::Comma if cell.contains('.') => None,
            Self::Comma => Self::Point.parse(&cell.replacen(',', ".", 1)),
        }
    }

    /// The name of a class or a level; a whole number with a decimal comma has a point: `1,0` is the class 1, too.
    pub(crate) fn name(self, cell: &str) -> Cow<'_, str> {
        let is_whole = || self.parse(cell).is_some_and(|number| number.fract() == 0.0);
        if self == Self::Comma && cell.contains(',') && is_whole() {
            return Cow::Owned(cell.replacen(',', ".", 1));
        }
        Cow::Borrowed(cell)
    }
}

/// A number with the minus sign of typography, U+2212, with that of programs.
fn minus(cell: &str) -> Option<String> {
    cell.strip_prefix('\u{2212}').map(|size| format!("-{size}"))
}

impl TextFormat {
    pub(crate) fn encoding(&self) -> Result<Option<&'static Encoding>> {
        let Some(name) = &self.encoding else { return Ok(None) };
        match Encoding::for_label(name.as_bytes()) {
            Some(encoding) => Ok(Some(encoding)),
            None => Err(Error::setting(format!(
                "there is no encoding {}; give utf-8, utf-16le, utf-16be, latin1, windows-1252 or another name of the \
                 WHATWG list",
                quoted(name)
            ))),
        }
    }

    pub(crate) fn separator(&self) -> Result<Option<u8>> {
        let Some(separator) = self.separator else { return Ok(None) };
        let taken = match self.decimal {
            DecimalSign::Point => '.',
            DecimalSign::Comma => ',',
        };
        let usable = separator.is_ascii() && !separator.is_ascii_alphanumeric();
        if usable && !['"', '\n', '\r', '-', '+', taken].contains(&separator) {
            return Ok(u8::try_from(separator).ok());
        }
        Err(Error::setting(format!(
            "{separator:?} cannot separate values; give a character that is in none of them, such as a comma, a \
             semicolon, a tab or a bar"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_their_decimal_sign() {
        let comma = DecimalSign::Comma;
        assert_eq!(comma.parse("-1,5e3"), Some(-1500.0));
        assert_eq!(comma.parse("7"), Some(7.0));
        assert_eq!([comma.parse("1.5"), comma.parse("1,2,3"), comma.parse("1.234,5")], [None; 3]);
        assert_eq!(
            [comma.name("1,0"), comma.name("1,5"), comma.name("a,0")],
            ["1.0", "1,5", "a,0"]
        );
        assert_eq!(DecimalSign::Point.name("1,0"), "1,0");
        assert_eq!(DecimalSign::Point.parse("1.5"), Some(1.5));
        assert_eq!(DecimalSign::Point.parse("1,5"), None);
    }
}
