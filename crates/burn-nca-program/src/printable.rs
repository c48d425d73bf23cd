//! Text of unknown origin on a terminal: a name in a table of data may hold escape sequences, and 5000 letters.

use std::borrow::Cow;

/// The most letters of a name in a table or a message.
const LETTERS: usize = 40;

/// The text with its control characters escaped (`\u{1b}` for ESC), line breaks and tabs kept: a terminal obeys none
/// of what is in it.
pub fn printable(text: &str) -> Cow<'_, str> {
    let commands = |letter: char| is_command(letter) && !matches!(letter, '\n' | '\t');
    if text.contains(commands) { escaped(text, commands).into() } else { text.into() }
}

/// A name as tables and messages show it: on one line, its control characters escaped, its end an ellipsis where it
/// has more than 40 letters.
pub fn short_name(name: &str) -> String {
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => escaped(&name[..end], is_command) + "…",
        None => escaped(name, is_command),
    }
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_escaped(letter) {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

/// Whether a terminal acts on this character, or turns around what follows, rather than showing it.
fn is_command(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_in_the_text() {
        assert_eq!(printable("größe\n\ta"), "größe\n\ta");
        assert_eq!(printable("\u{1b}[31mred\u{9b}2J\r"), "\\u{1b}[31mred\\u{9b}2J\\r");
        assert_eq!(printable("\u{202e}abc"), "\\u{202e}abc");
        assert_eq!(printable(&printable("\u{7}")), "\\u{7}", "escaped once");
    }

    #[test]
    fn a_name_stands_on_one_line_and_is_short() {
        assert_eq!(short_name("a\nb\u{1b}"), "a\\nb\\u{1b}");
        assert_eq!(short_name(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(short_name(&"é".repeat(5000)), "é".repeat(40) + "…");
    }
}
