//! The header of a NumPy file, whose text comes from anyone: read with limits, then parsed by npyz.

use crate::error::{Error, Result};
use npyz::NpyHeader;

use crate::excerpt::short;
use crate::readers::input::Input;

/// The longest header that is read; NumPy needs some 100 bytes for an array of numbers.
const LONGEST: usize = 1 << 16;

/// The most brackets within one another; NumPy writes two.
const DEEPEST: usize = 8;

/// Reads the header, and nothing after it.
///
/// # Errors
/// The input cannot be read, is no NumPy array, or has a header that no array of numbers has.
pub(super) fn read_header(input: &mut Input<'_>) -> Result<NpyHeader> {
    let origin = input.origin();
    if input.start().starts_with(b"PK\x03\x04") {
        return Err(Error::data(format!(
            "{origin} is an archive of arrays (.npz); give it alone, with its arrays X and y, or save each array with np.save"
        )));
    }
    let no_array = |reason: &str| {
        Error::data(format!(
            "{origin} is not a NumPy array ({}); save it with np.save",
            short(reason.lines().next().unwrap_or_default())
        ))
    };
    let mut header = input.read_at_most(8)?;
    // The length of the text: two bytes in version 1, four in versions 2 and 3.
    let width = if header.get(6) == Some(&1) { 2 } else { 4 };
    let length = input.read_at_most(width)?;
    header.extend_from_slice(&length);
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    if length > LONGEST && header.starts_with(b"\x93NUMPY") {
        return Err(no_array(&format!("its header is of {length} bytes")));
    }
    let text = input.read_at_most(length.min(LONGEST))?;
    if depth(&text) > DEEPEST {
        return Err(no_array("its header nests too deeply"));
    }
    if product_of_numbers(&text).is_none() {
        return Err(no_array("its shape is beyond any file"));
    }
    header.extend_from_slice(&text);
    NpyHeader::from_reader(&*header).map_err(|error| no_array(&error.to_string()))
}

/// How many brackets are within one another. The parser calls itself for each.
fn depth(text: &[u8]) -> usize {
    let mut open = 0_usize;
    let mut deepest = 0;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// The product of the numbers in the header, the shape among them; none where it overflows, as npyz's own would.
fn product_of_numbers(text: &[u8]) -> Option<u64> {
    // Python groups digits by underscores, and npyz reads them.
    let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let numbers = words.filter(|word| word.first().is_some_and(u8::is_ascii_digit));
    numbers.into_iter().try_fold(1_u64, |product, number| {
        let number: u64 = std::str::from_utf8(number).ok()?.replace('_', "").parse().ok()?;
        product.checked_mul(number.max(1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_numbers_are_measured() {
        let header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (60000, 784), }";
        assert_eq!((depth(header), product_of_numbers(header)), (2, Some(60000 * 784)));
        assert_eq!(product_of_numbers(b"(0, 5)"), Some(5));
        assert_eq!(product_of_numbers(b"(1_000, 5)"), Some(5000));
        for overflowing in [
            "(4294967296, 4294967296)",
            "(0xffff,)",
            "(99999999999999999999,)",
            "(9007199254740993, 31_000)",
        ] {
            assert_eq!(product_of_numbers(overflowing.as_bytes()), None, "{overflowing}");
        }
        assert_eq!(depth("(".repeat(5000).as_bytes()), 5000);
    }
}
