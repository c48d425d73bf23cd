//! Letters with accents in two ways of Unicode: as one character (NFC), or as a letter and its marks (NFD, as macOS has it in
//! the names of files).
//!
//! ```text
//! é ─ one character ──────────┐
//!                             ├─ one letter
//! e + U+0301 (a mark) ────────┘
//! ```

use std::iter::Peekable;
use std::str::Chars;

/// Whether a text holds letters that are followed by their marks, or the parts of Korean syllables.
#[doc(hidden)]
pub fn is_decomposed(text: &str) -> bool {
    text.chars().any(|letter| is_mark(letter) || is_part(letter))
}

fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}')
}

fn is_part(letter: char) -> bool {
    matches!(letter, '\u{1100}'..='\u{11ff}')
}

/// Takes the marks of a letter, or the parts of a syllable; whether there are some.
fn rest_of(letter: char, letters: &mut Peekable<Chars<'_>>) -> bool {
    let mut parts = 0;
    let follows =
        |next: &char| is_mark(*next) || is_part(letter) && !is_first(*next) && is_part(*next);
    while letters.next_if(follows).is_some() {
        parts += 1;
    }
    parts > 0
}

/// Whether a syllable begins with this part.
fn is_first(part: char) -> bool {
    part < '\u{1160}'
}

/// Whether one of the texts is the other with its accents written in another way of Unicode: where one has a letter and its
/// marks, the other has one letter that is not of ASCII.
#[doc(hidden)]
pub fn are_same_letters(one: &str, other: &str) -> bool {
    let (marked, plain) = match (is_decomposed(one), is_decomposed(other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return false,
    };
    let (mut marked, mut plain) = (marked.chars().peekable(), plain.chars());
    loop {
        match (marked.next(), plain.next()) {
            (None, None) => return true,
            (Some(letter), Some(single)) => {
                let is_marked = rest_of(letter, &mut marked);
                if letter != single && (!is_marked || single.is_ascii())
                    || letter == single && is_marked
                {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_are_the_same_in_both_ways() {
        for (one, other, expected) in [
            ("caf\u{e9}", "cafe\u{301}", true),
            ("\u{1ec7}", "e\u{323}\u{302}", true),
            ("\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", true),
            ("\u{304c}", "\u{304b}\u{3099}", true),
            ("cafe", "cafe\u{301}", false),
            ("caf\u{e9}s", "cafe\u{301}", false),
            ("th\u{e9}", "cafe\u{301}", false),
            ("cafe\u{301}", "cafe\u{301}", false),
        ] {
            assert_eq!([are_same_letters(one, other), are_same_letters(other, one)], [expected; 2]);
        }
    }
}
