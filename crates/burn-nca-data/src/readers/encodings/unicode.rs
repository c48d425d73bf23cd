//! UTF-8 and UTF-16 with the interface of `encoding_rs`, as far as this crate uses it.

/// An encoding, by its name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Encoding(&'static str);

pub(crate) static UTF_8: &Encoding = &Encoding("UTF-8");
pub(crate) static UTF_16LE: &Encoding = &Encoding("UTF-16LE");
pub(crate) static UTF_16BE: &Encoding = &Encoding("UTF-16BE");

impl Encoding {
    /// The encoding of this name on the web.
    pub(crate) fn for_label(label: &[u8]) -> Option<&'static Self> {
        match label.trim_ascii().to_ascii_lowercase().as_slice() {
            b"utf-8" | b"utf8" => Some(UTF_8),
            b"utf-16" | b"utf-16le" | b"utf16" => Some(UTF_16LE),
            b"utf-16be" => Some(UTF_16BE),
            _ => None,
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        self.0
    }

    /// A decoder of UTF-16 that leaves a byte order mark out; text in UTF-8 is read as it is, without one.
    pub(crate) fn new_decoder_with_bom_removal(&'static self) -> Decoder {
        Decoder { encoding: self, odd: None, high: None, begun: false }
    }
}

/// How far a decoder came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DecoderResult {
    /// All of the input is taken.
    InputEmpty,
    /// The output has no room for another character.
    OutputFull,
    /// What the last bytes are not: text. With their number.
    Malformed(u8),
}

/// UTF-16, a piece at a time.
pub(crate) struct Decoder {
    encoding: &'static Encoding,
    /// The first byte of a unit.
    odd: Option<u8>,
    /// The first unit of a pair.
    high: Option<u16>,
    begun: bool,
}

impl Decoder {
    /// The encoding that is decoded.
    pub(crate) fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Decodes as much as there is room for; gives how many bytes were read and written.
    pub(crate) fn decode_to_utf8_without_replacement(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        last: bool,
    ) -> (DecoderResult, usize, usize) {
        const LONGEST: usize = 4;
        let mut written = 0;
        for (read, byte) in input.iter().enumerate() {
            if output.len() - written < LONGEST {
                return (DecoderResult::OutputFull, read, written);
            }
            let Some(first) = self.odd.take() else {
                self.odd = Some(*byte);
                continue;
            };
            let unit = match self.encoding == UTF_16BE {
                true => u16::from_be_bytes([first, *byte]),
                false => u16::from_le_bytes([first, *byte]),
            };
            if !std::mem::replace(&mut self.begun, true) && unit == 0xfeff {
                continue;
            }
            let text = match self.high.take() {
                None if (0xd800..0xdc00).contains(&unit) => {
                    self.high = Some(unit);
                    continue;
                }
                None => char::from_u32(unit.into()),
                Some(high) => char::decode_utf16([high, unit]).next().and_then(Result::ok),
            };
            let Some(text) = text else {
                return (DecoderResult::Malformed(2), read + 1, written);
            };
            written += text.encode_utf8(&mut output[written..]).len();
        }
        let whole = self.odd.is_none() && self.high.is_none();
        let result = match last && !whole {
            true => DecoderResult::Malformed(1),
            false => DecoderResult::InputEmpty,
        };
        (result, input.len(), written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], encoding: &'static Encoding, piece: usize) -> Option<String> {
        let mut decoder = encoding.new_decoder_with_bom_removal();
        let (mut text, mut at) = (Vec::new(), 0);
        loop {
            let end = bytes.len().min(at + piece);
            let mut output = [0; 7];
            let (result, read, written) = decoder.decode_to_utf8_without_replacement(
                &bytes[at..end],
                &mut output,
                end == bytes.len(),
            );
            at += read;
            text.extend_from_slice(&output[..written]);
            match result {
                DecoderResult::Malformed(_) => return None,
                DecoderResult::InputEmpty if at == bytes.len() => {
                    return String::from_utf8(text).ok();
                }
                _ => {}
            }
        }
    }

    #[test]
    fn utf_16_in_pieces_of_any_size_is_what_encoding_rs_makes_of_it() {
        let text = "größe,名前,𝒜𝓑,x\n1,2\n";
        let units: Vec<u16> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for piece in 1..9 {
            assert_eq!(decoded(&little, UTF_16LE, piece).as_deref(), Some(text));
            assert_eq!(decoded(&big, UTF_16BE, piece).as_deref(), Some(text));
        }
        assert_eq!(encoding_rs::UTF_16LE.decode_with_bom_removal(&little).0, text);
    }

    #[test]
    fn half_a_character_is_no_text() {
        assert_eq!(decoded(&[0x41], UTF_16LE, 8), None);
        assert_eq!(decoded(&[0x35, 0xd8], UTF_16LE, 8), None);
        assert_eq!(decoded(&[0x35, 0xd8, 0x41, 0x00], UTF_16LE, 8), None);
        assert_eq!(decoded(&[0x00, 0xdc], UTF_16LE, 8), None);
    }

    #[test]
    fn the_encodings_have_the_names_of_the_web() {
        assert_eq!(UTF_16LE.new_decoder_with_bom_removal().encoding().name(), "UTF-16LE");
        for label in ["utf-8", "UTF-16", "utf-16be", "utf-16le", " utf8 "] {
            let (own, theirs) = (
                Encoding::for_label(label.as_bytes()),
                encoding_rs::Encoding::for_label(label.as_bytes()),
            );
            assert_eq!(own.map(Encoding::name), theirs.map(|encoding| encoding.name()), "{label}");
        }
        assert_eq!(Encoding::for_label(b"latin1"), None);
    }
}
