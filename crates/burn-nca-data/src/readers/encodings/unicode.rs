//! UTF-8 and UTF-16 by the names of `encoding_rs`, as far as this crate uses it.

/// An encoding, by its name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Encoding(&'static str);

pub(crate) static UTF_8: &Encoding = &Encoding("UTF-8");
pub(crate) static UTF_16LE: &Encoding = &Encoding("UTF-16LE");
pub(crate) static UTF_16BE: &Encoding = &Encoding("UTF-16BE");

impl Encoding {
    pub(crate) fn for_label(label: &[u8]) -> Option<&'static Self> {
        match label.trim_ascii().to_ascii_lowercase().as_slice() {
            b"utf-8" | b"utf8" => Some(UTF_8),
            b"utf-16" | b"utf-16le" | b"utf16" => Some(UTF_16LE),
            b"utf-16be" => Some(UTF_16BE),
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.0
    }

    /// The text of bytes in UTF-16, without a byte order mark; or how many there are up to those that are none.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<String, usize> {
        let from = if self == UTF_16BE { u16::from_be_bytes } else { u16::from_le_bytes };
        let (units, half) = bytes.as_chunks::<2>();
        let (mut text, mut read) = (String::new(), 0);
        for letter in char::decode_utf16(units.iter().map(|unit| from(*unit))) {
            let letter = letter.map_err(|lone| {
                // The first unit of a pair is known to be alone by the next.
                let units = if lone.unpaired_surrogate() < 0xdc00 { 2 } else { 1 };
                bytes.len().min(read + 2 * units)
            })?;
            if read > 0 || letter != '\u{feff}' {
                text.push(letter);
            }
            read += 2 * letter.len_utf16();
        }
        if half.is_empty() { Ok(text) } else { Err(bytes.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_what_encoding_rs_makes_of_it() {
        let text = "größe,名前,𝒜𝓑,x\n1,2\n";
        let units: Vec<u16> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(UTF_16LE.decode(&little).as_deref(), Ok(text));
        assert_eq!(UTF_16BE.decode(&big).as_deref(), Ok(text));
        for label in ["utf-8", "UTF-16", "utf-16be", "utf-16le", " utf8 "] {
            let theirs = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().name();
            assert_eq!(Encoding::for_label(label.as_bytes()).unwrap().name(), theirs);
        }
        assert_ne!(UTF_8, UTF_16LE);
    }

    #[test]
    fn half_a_character_is_no_text() {
        for (bytes, read) in [
            (&[0x41][..], 1),
            (&[0x35, 0xd8], 2),
            (&[0x35, 0xd8, 0x41, 0x00, 0x42, 0x00], 4),
            (&[0x41, 0x00, 0x00, 0xdc], 4),
        ] {
            assert_eq!(UTF_16LE.decode(bytes), Err(read));
        }
    }
}
