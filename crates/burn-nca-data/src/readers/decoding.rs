//! Text of another encoding, turned into UTF-8 while it is read.

use std::io::{self, BufRead, ErrorKind, Read};

use crate::readers::encodings::{Encoding, UTF_16BE, UTF_16LE};
use crate::{Message, Setting};

/// Why bytes cannot be made text; messages put the name of the file before it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotText(pub(crate) Message);

impl NotText {
    fn at(place: usize, encoding: &'static Encoding) -> io::Error {
        let text = format!("the bytes about {place} are no {} text", encoding.name());
        let message = Message::from(text).with_hint(Setting::Encoding(None));
        io::Error::new(ErrorKind::InvalidData, Self(message))
    }
}

/// The encoding that a byte order mark gives, other than UTF-8.
pub(crate) fn of_byte_order_mark(start: &[u8]) -> Option<&'static Encoding> {
    match start {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// A reader of text that is made a piece at a time: what `next` writes into an empty buffer, until it writes nothing.
pub(crate) struct Pieces<F> {
    next: F,
    text: Vec<u8>,
    at: usize,
}

impl<F: FnMut(&mut Vec<u8>) -> io::Result<()>> Pieces<F> {
    pub(crate) fn new(next: F) -> Self {
        Self { next, text: Vec::new(), at: 0 }
    }
}

impl<F: FnMut(&mut Vec<u8>) -> io::Result<()>> BufRead for Pieces<F> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.text.len() {
            self.text.clear();
            self.at = 0;
            (self.next)(&mut self.text)?;
        }
        Ok(&self.text[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

impl<F: FnMut(&mut Vec<u8>) -> io::Result<()>> Read for Pieces<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

/// A reader of UTF-8 over a reader of another encoding; a byte order mark of the encoding is left out.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn decoded(mut bytes: impl BufRead, encoding: &'static Encoding) -> impl BufRead {
    use encoding_rs::DecoderResult;

    const PIECE: usize = 1 << 14;
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let (mut ended, mut read) = (false, 0);
    Pieces::new(move |text: &mut Vec<u8>| {
        while text.is_empty() && !ended {
            let input = bytes.fill_buf()?;
            let last = input.is_empty();
            text.resize(PIECE, 0);
            let (result, used, written) =
                decoder.decode_to_utf8_without_replacement(input, text, last);
            bytes.consume(used);
            text.truncate(written);
            read += used;
            match result {
                DecoderResult::InputEmpty => ended = last,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => return Err(NotText::at(read, encoding)),
            }
        }
        Ok(())
    })
}

/// The same at once: a page has all of the file in memory already.
#[cfg(target_arch = "wasm32")]
pub(crate) fn decoded(mut bytes: impl BufRead, encoding: &'static Encoding) -> impl BufRead {
    Pieces::new(move |text: &mut Vec<u8>| {
        let mut all = Vec::new();
        bytes.read_to_end(&mut all)?;
        let decoded = encoding.decode(&all).map_err(|place| NotText::at(place, encoding))?;
        text.extend_from_slice(decoded.as_bytes());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(bytes: &[u8], encoding: &'static Encoding) -> io::Result<String> {
        let mut text = String::new();
        // In small pieces, so that characters are cut.
        let reader = io::BufReader::with_capacity(3, bytes);
        decoded(reader, encoding).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn every_encoding_becomes_utf_8_without_its_mark() {
        let text = "größe;n\n1;𝄞\n".repeat(3000);
        let units: Vec<u16> = std::iter::once(0xfeff).chain(text.encode_utf16()).collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(of_byte_order_mark(&little), Some(UTF_16LE));
        assert_eq!(text_of(&little, UTF_16LE).unwrap(), text);
        assert_eq!(text_of(&big, of_byte_order_mark(&big).unwrap()).unwrap(), text);
        assert_eq!(text_of(b"caf\xe9", encoding_rs::WINDOWS_1252).unwrap(), "café");
    }
}
