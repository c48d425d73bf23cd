//! What a terminal can show, and text for it.

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

    /// A terminal that says it has so many columns; containers and `expect` say 0 where nobody knows.
    pub fn of_width(columns: Option<u16>, styled: bool) -> Self {
        Self { width: columns.filter(|columns| *columns > 0), styled, unicode: true }
    }
}

/// The page's minus, dash and fixed blank as the letters people type and search for.
pub fn searchable(text: &str) -> String {
    text.replace(['−', '–'], "-").replace('\u{a0}', " ")
}

/// The sentence broken at blanks to the terminal's width, ended by a newline.
pub fn wrapped(sentence: &str, terminal: Terminal) -> String {
    let width = terminal.width.map_or(usize::MAX, usize::from);
    let mut text = String::new();
    let mut line = 0;
    for word in searchable(sentence).split(' ') {
        let length = word.chars().count();
        if line > 0 && line + 1 + length > width {
            text.push('\n');
            line = 0;
        } else if line > 0 {
            text.push(' ');
            line += 1;
        }
        text.push_str(word);
        line += length;
    }
    text + "\n"
}
