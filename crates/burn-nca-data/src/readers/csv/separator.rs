//! What separates the values: a comma, a semicolon, a tab, a bar, or runs of spaces.

use super::sample::Sample;
use crate::readers::spaces::SPACES;
use crate::readers::text_format::DecimalSign;

/// The separators that are looked for, the likeliest first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The separator that cuts the header line and the first row into two values or more, or the lines below a title; else
/// runs of spaces, where they make a table with a column of numbers; a comma where none does.
///
/// No comma where it is the decimal sign. The file begins with `start`.
pub(crate) fn separator_of(start: &[u8], decimal: DecimalSign) -> u8 {
    let possible = SEPARATORS.into_iter().skip(usize::from(decimal == DecimalSign::Comma));
    let likeliest = possible.clone().next().unwrap_or(b',');
    let sample = |separator| Sample::of(start, separator);
    let below_titles = |separator: &u8| {
        let mut sample = sample(*separator);
        let titles = sample.titles();
        sample.rows.drain(..titles);
        titles > 0 && sample.is_table()
    };
    let spaced = sample(SPACES);
    // Some tabs between any two values, to align them.
    let aligned = |separator: u8| {
        separator == b'\t' && sample(separator).has_unnamed_column() && spaced.is_table()
    };
    possible
        .clone()
        .find(|separator| sample(*separator).is_cut() && !aligned(*separator))
        .or_else(|| possible.clone().find(below_titles))
        .or_else(|| {
            let is_spaced = spaced.is_table() || spaced.has_row_names() || below_titles(&SPACES);
            is_spaced.then_some(SPACES)
        })
        .unwrap_or(likeliest)
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
            ("a b y\n1 2 x\n", b' '),
            ("   a     b  y\n 1.5   2.5  x\n  10     3  z\n", b' '),
            ("a b y\n\"1\" 1.5 2.5 x\n\"2\" 2 3 z\n", b' '),
            ("# by logger 3\na  b  y\n1  2  x\n3  4  z\n", b' '),
            ("# a logger\na  b  y\n1  2  x\n3  4  z\n", b' '),
            ("# a b y\n1 2 x\n3 4 z\n", b' '),
            ("a  b\n1,5  x\n2,5  z\n", b' '),
            ("a\t\tb\t\ty\n1\t\t2\t\tx\n", b' '),
            ("\ta\ty\n0\t1\tx\n", b'\t'),
            ("Made in 2024\n\na;b;y\n1;2;x\n3;4;z\n", b';'),
            ("the class\nred wine\nwhite wine\n", b','),
            ("the class\nclass 1\nclass 2\n", b','),
            ("y\nclass 1\nclass 2\n", b','),
        ] {
            let found = separator_of(text.as_bytes(), DecimalSign::Point);
            assert_eq!(found, separator, "{text:?}");
        }
        assert_eq!(separator_of(b"a;y\n1,5;2,5\n", DecimalSign::Comma), b';');
    }
}
