//! The lines of a text, one at a time and in bounded memory.

use crate::error::{Error, Result};

use crate::readers::input::Input;

/// The longest line that is no comment, in bytes; of a longer comment the rest is passed over.
const LONGEST: usize = 4096;

/// Lines to read, in order and once.
pub(super) struct Lines<'a> {
    input: Input<'a>,
    line: Vec<u8>,
    number: usize,
}

impl<'a> Lines<'a> {
    pub fn new(input: Input<'a>) -> Self {
        Self { input, line: Vec::new(), number: 0 }
    }

    /// The number of the line that was read last, counted from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The next line without its end; none at the end.
    ///
    /// # Errors
    /// The file cannot be read, its gzip data are damaged, or a line is no text or longer than there are.
    pub fn next(&mut self) -> Result<Option<&str>> {
        self.line.clear();
        let mut any = false;
        loop {
            let bytes = self.input.fill()?;
            if bytes.is_empty() {
                break;
            }
            any = true;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let room = LONGEST.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            let cut = part.len() > room && self.line.first() != Some(&b'%');
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if cut {
                return Err(Error::data(format!(
                    "{}, line {} is longer than {LONGEST} bytes; write one entry per line",
                    self.input.origin(),
                    self.number + 1
                )));
            }
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        if self.line.first() == Some(&b'%') && self.number > 1 {
            // Comments may be in any encoding.
            return Ok(Some("%"));
        }
        match std::str::from_utf8(&self.line) {
            Ok(line) => Ok(Some(line.trim_end())),
            Err(_) => Err(Error::data(format!(
                "{}, line {} is no text; give a Matrix Market file",
                self.input.origin(),
                self.number
            ))),
        }
    }
}
