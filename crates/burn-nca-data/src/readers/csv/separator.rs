//! What separates the values: a comma, a semicolon, a tab or a bar.

use super::records::Records;
use crate::readers::input::Input;
use crate::readers::text_format::DecimalSign;

/// The separators that are looked for, the likeliest first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The separator that cuts the header line and the first row into two values or more; a comma where none does.
///
/// No comma where it is the decimal sign.
pub(crate) fn separator_of(input: &Input<'_>, decimal: DecimalSign) -> u8 {
    let possible = SEPARATORS.into_iter().skip(usize::from(decimal == DecimalSign::Comma));
    let likeliest = possible.clone().next().unwrap_or(b',');
    possible.into_iter().find(|separator| cuts(input.start(), *separator)).unwrap_or(likeliest)
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
        b',' => "comma",
        b';' => "semicolon",
        b'\t' => "tab",
        b'|' => "bar",
        b' ' => "space",
        _ => "separator",
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
            ("a|b|y\n1|2|x\n", b'|'),
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
            assert_eq!(separator_of(&input, DecimalSign::Point), separator, "{text:?}");
        }
        let input = Input::of_bytes("f", b"a;y\n1,5;2,5\n").unwrap();
        assert_eq!(separator_of(&input, DecimalSign::Comma), b';');
    }
}
