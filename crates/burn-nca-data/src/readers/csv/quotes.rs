//! The sign of a lost quote: text right after a closing one.

/// Text after the closing quote of a value that spans lines, as where a quote was lost: the places of the value and the text.
/// Within one line no row can be lost, and `"5" pipe"` is left alone; spaces may be before the separator.
pub(super) fn text_after_quote(record: &[u8], separator: u8) -> Option<[usize; 2]> {
    let body = record.trim_ascii_end();
    if !body.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return None;
    }
    let mut at = 0;
    while at < body.len() {
        if body[at] == b'"' {
            let opened = at;
            at = end_of_quoted(body, opened);
            let spans_lines = body[opened..at].iter().any(|byte| matches!(byte, b'\n' | b'\r'));
            let rest = body[at..].iter().take_while(|byte| **byte != separator);
            let text = rest.clone().position(|byte| !byte.is_ascii_whitespace());
            if let Some(text) = text.filter(|_| spans_lines) {
                return Some([opened, at + text]);
            }
        }
        at += body[at..].iter().take_while(|byte| **byte != separator).count() + 1;
    }
    None
}

/// The place after the quote that closes the value opened at `opened`.
fn end_of_quoted(body: &[u8], opened: usize) -> usize {
    let mut at = opened + 1;
    while at < body.len() {
        if body[at] != b'"' {
            at += 1;
        } else if body.get(at + 1) == Some(&b'"') {
            at += 2;
        } else {
            return at + 1;
        }
    }
    body.len()
}
