//! What a terminal can show, and text for it.

use crate::printable::printable;

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns of text, or `None` for a file or pipe: as wide as the table wants.
    pub width: Option<u16>,
    /// Whether bold text may be used.
    pub styled: bool,
    /// Whether lines may be drawn beyond ASCII.
    pub unicode: bool,
}

impl Terminal {
    /// For files, pipes and tests: any width, no styles.
    pub const PLAIN: Self = Self { width: None, styled: false, unicode: true };

    /// What stdout can show; `NO_COLOR` asks for no styles.
    #[cfg(feature = "terminal")]
    pub fn of_stdout() -> Self {
        use std::io::IsTerminal;
        if !std::io::stdout().is_terminal() {
            return Self::PLAIN;
        }
        let styled = std::env::var_os("NO_COLOR").is_none();
        Self::of_width(comfy_table::Table::new().width(), styled)
    }

    /// A terminal that says it has so many columns; containers and `expect` say 0 where it is unknown.
    pub fn of_width(columns: Option<u16>, styled: bool) -> Self {
        Self { width: columns.filter(|columns| *columns > 0), styled, unicode: true }
    }
}

/// The page's minus, dash and fixed blank as the letters people type and search for.
pub fn searchable(text: &str) -> String {
    text.replace(['−', '–'], "-").replace('\u{a0}', " ")
}

/// The sentence broken at blanks to the terminal's width, ended by a newline; its control characters are escaped.
pub fn wrapped(sentence: &str, terminal: Terminal) -> String {
    wrap(&printable(sentence), terminal.width.map_or(usize::MAX, usize::from)).join("\n") + "\n"
}

/// The least room that a sentence next to its head needs, in letters.
const LEAST: usize = 24;

/// A head and a sentence per line, ended by a newline: the sentences begin below one another and are broken to the
/// terminal's width; where it is narrow, each is below its head.
pub fn listing(lines: &[(String, String)], terminal: Terminal) -> String {
    let width = terminal.width.map_or(usize::MAX, usize::from);
    let indent = lines.iter().map(|(head, _)| head.chars().count()).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for (head, sentence) in lines {
        let side_by_side = width.saturating_sub(indent) >= LEAST;
        let (first, indent) = match side_by_side {
            true => (format!("{head:0$}", indent), indent),
            false => (format!("{head}\n    "), 4),
        };
        let parts = wrap(sentence, width.saturating_sub(indent));
        let joined = format!("{first}{}", parts.join(&format!("\n{}", " ".repeat(indent))));
        text.push_str(joined.trim_end());
        text.push('\n');
    }
    text
}

/// The lines of a sentence that is broken at blanks to so many letters.
fn wrap(sentence: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut length) = (String::new(), 0);
    for (at, word) in searchable(sentence).split(' ').enumerate() {
        let letters = word.chars().count();
        if at > 0 && length > 0 && length + 1 + letters > width {
            lines.push(std::mem::take(&mut line));
            length = 0;
        } else if at > 0 && length > 0 {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += letters;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Terminal = Terminal { width: Some(30), styled: false, unicode: true };

    #[test]
    fn a_sentence_is_broken_at_blanks_and_obeyed_nowhere() {
        assert_eq!(wrapped("a sentence of more words than one line", NARROW).lines().count(), 2);
        assert_eq!(wrapped("red \u{1b}[31m 1−2", Terminal::PLAIN), "red \\u{1b}[31m 1-2\n");
    }

    #[test]
    fn sentences_are_next_to_their_heads_or_below_them() {
        let lines = |head: &str| [(head.to_owned(), "one two three four five six".to_owned())];
        assert_eq!(listing(&lines("ab"), Terminal::PLAIN), "ab  one two three four five six\n");
        assert_eq!(listing(&lines("ab"), NARROW), "ab  one two three four five\n    six\n");
        let below = "a long head\n    one two three four five\n    six\n";
        assert_eq!(listing(&lines("a long head"), NARROW), below);
        assert_eq!(listing(&[("none".to_owned(), String::new())], Terminal::PLAIN), "none\n");
    }
}
