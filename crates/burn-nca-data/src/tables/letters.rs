//! Letters with accents in two ways of Unicode: as one character (NFC), or as a letter and its marks (NFD, as macOS has it in
//! the names of files).
//!
//! ```text
//! é ─ one character ──────────┐
//!                             ├─ one letter
//! e + U+0301 (a mark) ────────┘
//! ```

/// Whether a text holds letters that are followed by their marks, or the parts of Korean syllables.
#[doc(hidden)]
pub fn is_decomposed(text: &str) -> bool {
    text.chars().any(|letter| is_mark(letter) || matches!(letter, '\u{1100}'..='\u{11ff}'))
}

/// Whether it belongs to the letter, or to the part of a Korean syllable, before it.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}' | '\u{1160}'..='\u{11ff}')
}

/// Whether one of the texts is the other with its accents written in another way of Unicode: where one has a letter and its
/// marks, the other has one letter that is not of ASCII.
#[doc(hidden)]
pub fn are_same_letters(one: &str, other: &str) -> bool {
    if is_decomposed(one) == is_decomposed(other) {
        return false;
    }
    // Each letter, and whether marks follow it.
    let letters = |text: &str| {
        let mut letters: Vec<(char, bool)> = Vec::new();
        for letter in text.chars() {
            match letters.last_mut().filter(|_| is_mark(letter)) {
                Some(last) => last.1 = true,
                None => letters.push((letter, false)),
            }
        }
        letters
    };
    let are_same = |a: &(char, bool), b: &(char, bool)| match (a.1, b.1) {
        (false, false) | (true, true) => a.0 == b.0,
        (true, false) => !b.0.is_ascii(),
        (false, true) => !a.0.is_ascii(),
    };
    let (one, other) = (letters(one), letters(other));
    one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| are_same(a, b))
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
            ("Кра\u{439}", "Краи\u{306}", true),
            ("Кле\u{439}", "Краи\u{306}", false),
            ("cafe\u{301}", "cafe\u{301}", false),
        ] {
            assert_eq!([are_same_letters(one, other), are_same_letters(other, one)], [expected; 2]);
        }
    }
}
