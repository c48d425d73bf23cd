//! The bytes of an array as text.

use super::header::Kind;

/// Every text of an array of a kind that is one, without the zeros that fill it up; `None` where one is no text.
pub(super) fn texts(kind: &Kind, bytes: &[u8], count: usize) -> Option<Vec<String>> {
    if kind.width == 0 {
        return Some(vec![String::new(); count]);
    }
    let letter = |bytes: &[u8; 4]| {
        char::from_u32(if kind.is_big {
            u32::from_be_bytes(*bytes)
        } else {
            u32::from_le_bytes(*bytes)
        })
    };
    let text = |value: &[u8]| match kind.letter {
        'U' => value.as_chunks().0.iter().map(letter).collect::<Option<String>>(),
        _ => String::from_utf8(value.to_vec()).ok(),
    };
    let whole = bytes.chunks_exact(kind.bytes()).map(text);
    whole.map(|text| text.map(|text| text.trim_end_matches('\0').to_string())).collect()
}
