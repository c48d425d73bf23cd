//! What separates the values: a comma, a semicolon or a tab.

use super::records::Records;
use crate::input::Input;

/// The separators that are looked for, the likeliest first.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// The separator that cuts the header line and the first row into two values or more; a comma where none does.
///
pub(crate) fn separator_of(input: &Input<'_>) -> u8 {
    SEPARATORS.into_iter().find(|separator| cuts(input.start(), *separator)).unwrap_or(b',')
}

fn cuts(start: &[u8], separator: u8) -> bool {
    let Ok(mut records) =
        Input::of_bytes("", start).and_then(|input| Records::new(input, separator))
    else {
        return false;
    };
    let mut width = || loop {
        match records.read() {
            Ok(Some(record)) if record.is_blank() => {}
            Ok(Some(record)) => break Some(record.len()),
            Ok(None) | Err(_) => break None,
        }
    };
    // A row that cannot be read (cut off with the beginning, say) speaks for no separator and against none.
    width().is_some_and(|columns| columns > 1) && width().is_none_or(|columns| columns > 1)
}

/// What messages call it.
pub(super) fn name(separator: u8) -> &'static str {
    match separator {
        b';' => "semicolon",
        b'\t' => "tab",
        _ => "comma",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_the_one_that_cuts_header_and_row() {
        for (text, separator) in [
            ("a,b,y\n1,2,x\n", b','),
            ("a;b;y\n1,5;2,5;x\n", b';'),
            ("a\tb\ty\n1\t2\tx\n", b'\t'),
            ("width, cm\theight, cm\ty\n1\t2\tx\n", b'\t'),
            ("\"a;b\",y\n1,x\n", b','),
            ("\"a,b\";y\n1;x\n", b';'),
            ("a;b;y\n", b';'),
            ("a,b,y\n7\n", b','),
            ("y\nx\n", b','),
            ("y\na;b\n", b','),
            ("", b','),
            ("\n \na;y\n\n1;x\n", b';'),
        ] {
            let input = Input::of_bytes("f", text.as_bytes()).unwrap();
            assert_eq!(separator_of(&input), separator, "{text:?}");
        }
    }
}
