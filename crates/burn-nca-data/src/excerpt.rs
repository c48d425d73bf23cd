//! Names and pieces of a file in messages: quoted, on one line, and short.

/// The most letters of a name or a cell that a message shows.
const SHOWN: usize = 60;

pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The text in quotation marks, on one line, cut to what a message can show.
pub fn quoted(text: &str) -> String {
    format!("{:?}", short(text))
}

/// The names of columns or classes, cut short where they are long, and the first 40 of very many.
#[cfg(feature = "readers")]
pub(crate) fn list(names: &[String]) -> String {
    first_of(names.iter().map(|name| on_one_line(name)), 40)
}

/// The names, or the first of more than `most`.
pub(crate) fn first_of(names: impl IntoIterator<Item = impl Into<String>>, most: usize) -> String {
    let mut shown: Vec<String> = names.into_iter().map(Into::into).collect();
    let all = shown.len();
    shown.truncate(most);
    if all <= most { shown.join(", ") } else { format!("{}, … ({all} in all)", shown.join(", ")) }
}

#[cfg(feature = "readers")]
fn on_one_line(name: &str) -> String {
    let needs_quotes = |letter: char| letter.is_control() || letter == ',';
    if name.contains(needs_quotes) { quoted(name) } else { short(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_short_text_is_kept() {
        assert_eq!(quoted("größe"), "\"größe\"");
        assert_eq!(quoted("two\nlines"), "\"two\\nlines\"");
        assert_eq!(short(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
        let names: Vec<String> = (0..784).map(|pixel| format!("p{pixel}")).collect();
        assert!(list(&names).ends_with("p39, … (784 in all)"));
        assert_eq!(list(&["a".into(), "b\tc".into()]), "a, \"b\\tc\"");
        assert_eq!(list(&["width, cm".into(), "a".into()]), "\"width, cm\", a");
    }
}
