//! The header of a NumPy file, whose text comes from anyone: the literal of a Python dictionary, read with limits.

use crate::excerpt::short;
use crate::readers::input::Input;
use crate::readers::promised::count_of;
use crate::{Error, Result};

/// The longest header that is read; NumPy needs some 100 bytes for an array of numbers.
const LONGEST: usize = 1 << 16;

/// What a file says of its array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    /// The type as the file has it: `'<f8'`, or a list of fields.
    pub(super) descr: String,
    pub(super) kind: Kind,
    /// Whether the first index varies fastest.
    pub(super) by_column: bool,
    pub(super) shape: Vec<u64>,
}

/// The type of a value. Of records, everything is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Kind {
    /// NumPy's letter: `f` of floats, `i`, `u`, `b` of booleans, `U` and `S` of text, `O` of objects, ...
    pub(super) letter: char,
    /// Bytes; of `U`, letters.
    pub(super) width: usize,
    /// Whether the highest byte comes first.
    pub(super) is_big: bool,
}

impl Kind {
    /// Of `'<f8'` or `'<M8[ns]'`, without the quotes.
    fn of(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let (order, letter) = (letters.next()?, letters.next()?);
        let digits = letters.as_str().split('[').next()?;
        let width = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        ("<>|=".contains(order) && letter.is_ascii_alphabetic()).then_some(Self {
            letter,
            width,
            is_big: order == '>',
        })
    }

    /// Bytes of a value.
    pub(super) fn bytes(&self) -> usize {
        if self.letter == 'U' { self.width.saturating_mul(4) } else { self.width }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.letter, 'U' | 'S')
    }
}

impl Header {
    /// Number of values, where a file may hold as many.
    pub(super) fn len(&self) -> Option<usize> {
        count_of(&self.shape)
    }

    /// Whether a value has several fields.
    pub(super) fn is_of_records(&self) -> bool {
        self.descr.starts_with('[')
    }

    /// Of `{'descr': '<f8', 'fortran_order': False, 'shape': (60000, 784), }`; or what it lacks.
    fn of(text: &str) -> core::result::Result<Self, &'static str> {
        let entries = entries(text).ok_or("its header is no dictionary")?;
        let value =
            |name: &str| entries.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let descr = value("descr").ok_or("its header has no type")?;
        let kind = match quoted(descr) {
            Some(kind) => Kind::of(kind).ok_or("its type is none of NumPy's")?,
            None if descr.starts_with('[') => Kind::default(),
            None => return Err("its type is none of NumPy's"),
        };
        let by_column = match value("fortran_order") {
            Some("True") => true,
            Some("False") => false,
            _ => return Err("its header has no order"),
        };
        let shape = value("shape").and_then(tuple).ok_or("its header has no shape")?;
        Ok(Self { descr: descr.to_string(), kind, by_column, shape })
    }
}

/// Reads the header, and nothing after it.
pub(super) fn read_header(input: &mut Input<'_>) -> Result<Header> {
    let origin = input.origin();
    if input.start().starts_with(b"PK\x03\x04") {
        return Err(Error::data(format!(
            "{origin} is an archive of arrays (.npz); give it alone, with its arrays X and y, or save each array with np.save"
        )));
    }
    let no_array = |reason: &str| {
        Error::data(format!("{origin} is not a NumPy array ({reason}); save it with np.save"))
    };
    let start = input.read_at_most(8)?;
    if !start.starts_with(b"\x93NUMPY") || start.len() < 8 {
        return Err(no_array("it does not begin as one"));
    }
    // The length of the text: two bytes in version 1, four in versions 2 and 3.
    let width = if start[6] == 1 { 2 } else { 4 };
    let length = input.read_at_most(width)?;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    if length > LONGEST {
        return Err(no_array(&format!("its header is of {length} bytes")));
    }
    let text = input.read_at_most(length)?;
    let text = String::from_utf8_lossy(&text);
    Header::of(&text).map_err(|reason| no_array(&format!("{reason}: {}", short(text.trim()))))
}

/// The keys of a dictionary and the texts of their values.
fn entries(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (key, value) = rest.split_once(':')?;
        let end = end_of_value(value)?;
        entries.push((quoted(key.trim())?, value[..end].trim()));
        rest = value[end..].strip_prefix(',').unwrap_or_default().trim();
    }
    Some(entries)
}

/// Where a value ends: at a comma outside of brackets and quotes, or with the text.
fn end_of_value(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, letter) in text.char_indices() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(letter),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth = depth.checked_sub(1)?,
            (',', None) if depth == 0 => return Some(at),
            _ => {}
        }
    }
    (depth == 0 && quote.is_none()).then_some(text.len())
}

/// What stands between quotes of one kind.
fn quoted(text: &str) -> Option<&str> {
    let between = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    between('\'').or_else(|| between('"')).filter(|text| !text.contains(['\'', '"']))
}

/// The numbers of `(60000, 784)`, `(3,)` or `()`; as Python 2 wrote them, too: `(3L,)`.
fn tuple(text: &str) -> Option<Vec<u64>> {
    let numbers = text.strip_prefix('(')?.strip_suffix(')')?.trim();
    let numbers = numbers.strip_suffix(',').unwrap_or(numbers);
    if numbers.is_empty() {
        return Some(Vec::new());
    }
    let digits = |text| str::strip_suffix(text, 'L').unwrap_or(text);
    numbers.split(',').map(|text| digits(text.trim()).parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_in_any_order_and_spacing() {
        let records = "[('a,b', '<f8'), ('c', '<i4', (2,))]";
        let of_records = format!("{{'descr': {records}, 'fortran_order': False, 'shape': ()}}");
        for (text, descr, kind, order, shape) in [
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 784), }  \n",
                "'<f8'",
                ('f', 8),
                [false; 2],
                &[3, 784][..],
            ),
            (
                "{\"shape\":(3L,),'fortran_order':True,\"descr\":\">U12\"}",
                "\">U12\"",
                ('U', 12),
                [true; 2],
                &[3],
            ),
            (
                "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (0, 2)}",
                "'<M8[ns]'",
                ('M', 8),
                [false; 2],
                &[0, 2],
            ),
            (&of_records, records, ('\0', 0), [false; 2], &[]),
        ] {
            let header = Header::of(text).unwrap();
            let found = (header.kind.letter, header.kind.width);
            assert_eq!((header.descr.as_str(), found), (descr, kind), "{text}");
            assert_eq!(([header.kind.is_big, header.by_column], &header.shape[..]), (order, shape));
        }
        let counts = [&[][..], &[3, 5], &[1 << 32, 1 << 32, 0], &[1 << 32, 1 << 32]];
        assert_eq!(counts.map(count_of::<u64>), [Some(1), Some(15), Some(0), None]);
    }

    #[test]
    fn what_no_array_has_is_refused() {
        for (descr, rest, reason) in [
            ("'<f8'", ", 'fortran_order': False, 'shape': (4, 2", "dictionary"),
            ("'<f8", ", 'fortran_order': False}", "dictionary"),
            ("'<f8'", ",, 'shape': (4,)}", "dictionary"),
            ("8", ", 'fortran_order': False, 'shape': (4,)}", "none of NumPy's"),
            ("'f8'", ", 'fortran_order': False, 'shape': (4,)}", "none of NumPy's"),
            ("'<fx'", ", 'fortran_order': False, 'shape': (4,)}", "none of NumPy's"),
            ("'<f8'", ", 'fortran_order': 0, 'shape': (4,)}", "no order"),
            ("'<f8'", ", 'fortran_order': False, 'shape': 4}", "no shape"),
            ("'<f8'", ", 'fortran_order': False, 'shape': (-4,)}", "no shape"),
            ("'<f8'", ", 'fortran_order': False, 'shape': (99999999999999999999,)}", "no shape"),
        ] {
            let found = Header::of(&format!("{{'descr': {descr}{rest}")).unwrap_err();
            assert!(found.contains(reason), "{descr}{rest}: {found}");
        }
        assert!(Header::of("{'shape': (4,)}").unwrap_err().contains("no type"));
    }
}
