//! Columns that runs of spaces and tabs separate.

use std::io::BufRead;

use crate::readers::decoding::Pieces;

pub(crate) const SPACES: u8 = b' ';

/// Text in which every run of spaces and tabs outside of quotes is one space, and lines begin and end with none.
#[derive(Default)]
struct SingleSpaces {
    in_line: bool,
    /// Whether a run follows the value.
    run: bool,
    quoted: bool,
    /// Whether the byte before closed it; another quote opens it again.
    closed: bool,
}

impl SingleSpaces {
    /// Adds some bytes to the text.
    fn push(&mut self, bytes: &[u8], text: &mut Vec<u8>) {
        for &byte in bytes {
            let closed = std::mem::take(&mut self.closed);
            match byte {
                b' ' | b'\t' if !self.quoted => self.run = self.in_line,
                b'\n' | b'\r' if !self.quoted => {
                    *self = Self::default();
                    text.push(byte);
                }
                _ => {
                    let starts = self.run || !self.in_line;
                    if self.run {
                        text.push(b' ');
                    }
                    if byte == b'"' {
                        self.closed = self.quoted;
                        self.quoted = !self.quoted && (starts || closed);
                    }
                    (self.in_line, self.run) = (true, false);
                    text.push(byte);
                }
            }
        }
    }
}

pub(crate) fn single_spaced(mut bytes: impl BufRead) -> impl BufRead {
    let mut spaces = SingleSpaces::default();
    Pieces::new(move |text: &mut Vec<u8>| {
        while text.is_empty() {
            let found = bytes.fill_buf()?;
            let count = found.len();
            if count == 0 {
                break;
            }
            spaces.push(found, text);
            bytes.consume(count);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn runs_become_one_space_and_quotes_keep_theirs() {
        for (text, expected) in [
            ("  a   b\t\tc  \n 1  2\t3\r\n", "a b c\n1 2 3\r\n"),
            ("\"x  y\"   z\n\n   \n\"a\"\"  b\" c", "\"x  y\" z\n\n\n\"a\"\"  b\" c"),
            ("5\"   pipe\n6\"  rod", "5\" pipe\n6\" rod"),
            ("größe   ä", "größe ä"),
        ] {
            for size in [1, 2, 7, 100] {
                let mut found = String::new();
                let reader = std::io::BufReader::with_capacity(size, text.as_bytes());
                single_spaced(reader).read_to_string(&mut found).unwrap();
                assert_eq!(found, expected, "{text:?}");
            }
        }
    }
}
