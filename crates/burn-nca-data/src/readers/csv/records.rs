//! The records of delimited text, one at a time and in bounded memory.
//!
//! csv-core separates the fields; here are the limits, the lines, and the quotes that are never closed.

use crate::{Error, Hint, Message, Result, Setting, quoted};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::quotes::text_after_quote;
use crate::readers::input::{Input, START};
use crate::readers::spaces::SPACES;

/// The longest record, in bytes: some five million numbers.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// The most columns of a table, whatever the format.
pub(crate) const MAX_COLUMNS: usize = 1 << 22;

const BLOCK: usize = 4 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) struct Records<'a> {
    input: Input<'a>,
    origin: String,
    parser: Reader,
    separator: u8,
    lines: Lines,
    /// Those before the record that was read last.
    lines_before: Lines,
    /// The bytes of the record as they are in the file.
    raw: Vec<u8>,
    /// The bytes of its fields, without quotes and separators, and how many were filled.
    unquoted: (Vec<u8>, usize),
    record: Record,
    /// Where each field of the parser's buffer ends, and how many there are.
    ends: (Vec<usize>, usize),
}

#[derive(Default)]
pub(crate) struct Record {
    text: String,
    ends: Vec<usize>,
    pub(crate) line: usize,
    /// The first blank line between the record before and this one.
    pub(crate) blank_line: Option<usize>,
}

impl Record {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A field without the spaces around it.
    pub(crate) fn field(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        self.text[start..self.ends[at]].trim()
    }

    /// All fields, without the spaces around them.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.field(at))
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.len() == 1 && !self.text.is_empty() && self.text.trim().is_empty()
    }
}

impl<'a> Records<'a> {
    pub(crate) fn new(mut input: Input<'a>, separator: u8) -> Result<Self> {
        if separator == SPACES {
            input = input.with_single_spaces()?;
        }
        if input.start().starts_with(BYTE_ORDER_MARK) {
            input.read_at_most(BYTE_ORDER_MARK.len())?;
        }
        Ok(Self {
            origin: input.origin(),
            input,
            parser: started_parser(separator),
            separator,
            lines: Lines::default(),
            lines_before: Lines::default(),
            raw: Vec::new(),
            unquoted: (vec![0; 1 << 12], 0),
            record: Record::default(),
            ends: (vec![0; 1 << 6], 0),
        })
    }

    /// The next record that is not an empty line; none at the end.
    pub(crate) fn read(&mut self) -> Result<Option<&Record>> {
        self.skip_line_ends()?;
        self.raw.clear();
        (self.unquoted.1, self.ends.1) = (0, 0);
        if !self.fill_record()? {
            return Ok(None);
        }
        self.check_quotes()?;
        self.keep_text()?;
        self.lines_before = self.lines;
        self.lines.add(&self.raw);
        Ok(Some(&self.record))
    }

    /// As [`read`](Self::read), without lines of nothing but spaces.
    pub(crate) fn read_filled(&mut self) -> Result<Option<&Record>> {
        loop {
            match self.read()? {
                None => return Ok(None),
                Some(record) if record.is_blank() => {}
                Some(_) => return Ok(Some(&self.record)),
            }
        }
    }

    /// As [`read`](Self::read), without an empty value after a separator at the end of a row of `columns` values.
    pub(super) fn read_row(&mut self, columns: usize) -> Result<Option<&Record>> {
        if self.read()?.is_none() {
            return Ok(None);
        }
        let record = &mut self.record;
        if record.len() == columns + 1 && record.field(columns).is_empty() {
            record.ends.pop();
        }
        Ok(Some(record))
    }

    /// Puts the record that was read last back, to be read again.
    pub(super) fn put_back(&mut self) {
        self.lines = self.lines_before;
        self.input.put_back(std::mem::take(&mut self.raw));
    }

    pub(super) fn size(&self) -> Option<u64> {
        self.input.size()
    }

    /// Hands out whole lines, many at a time, of which `take` says how many bytes it took; what it leaves, and all that
    /// follows, is for [`read`](Self::read), as is a last line without an end.
    pub(super) fn each_block(&mut self, mut take: impl FnMut(&[u8]) -> usize) -> Result<()> {
        self.skip_line_ends()?;
        // The line before is at its end, whether or not there was another byte to it.
        self.raw = vec![b'\n'];
        let (mut block, mut size) = (Vec::new(), START);
        loop {
            let more = size - block.len();
            self.input.read_onto(&mut block, more)?;
            let lines = block.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let taken = if lines > 0 { take(&block[..lines]) } else { 0 };
            self.lines.add(&block[..taken]);
            if block.len() < size || taken < lines || lines == 0 {
                self.input.put_back(block.split_off(taken));
                return Ok(());
            }
            block.drain(..lines);
            size = BLOCK.min(2 * size);
        }
    }

    /// Reads the line ends before a record, and notes where it begins.
    fn skip_line_ends(&mut self) -> Result<()> {
        // A line feed after a carriage return still ends the record before.
        let mut in_line_end = self.raw.last() == Some(&b'\r');
        self.record.blank_line = None;
        loop {
            let bytes = self.input.fill()?;
            let count = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let line_ends = &bytes[..count];
            let Some(last) = line_ends.last() else { break };
            let skipped = usize::from(in_line_end && line_ends[0] == b'\n');
            in_line_end = *last == b'\r';
            self.lines.add(&line_ends[..skipped]);
            if count > skipped && self.record.blank_line.is_none() {
                self.record.blank_line = Some(self.lines.current());
            }
            self.lines.add(&line_ends[skipped..]);
            self.input.consume(count);
        }
        self.record.line = self.lines.current();
        Ok(())
    }

    fn fill_record(&mut self) -> Result<bool> {
        loop {
            let bytes = self.input.fill()?;
            let at_end = bytes.is_empty();
            if at_end && self.raw.is_empty() {
                return Ok(false);
            }
            // The end of the file is the end of a line, unless a quote is open: then the line end is one more
            // byte of the quoted value, and the record is not complete.
            let bytes = if at_end { b"\n" } else { bytes };
            let (unquoted, ends) = (&mut self.unquoted, &mut self.ends);
            let (result, used, text, fields) = self.parser.read_record(
                bytes,
                &mut unquoted.0[unquoted.1..],
                &mut ends.0[ends.1..],
            );
            self.raw.extend_from_slice(&bytes[..used]);
            (unquoted.1, ends.1) = (unquoted.1 + text, ends.1 + fields);
            if !at_end {
                self.input.consume(used);
            }
            match result {
                ReadRecordResult::Record | ReadRecordResult::End => return Ok(true),
                ReadRecordResult::InputEmpty if at_end => return Err(self.open_quote()),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    let length = (2 * unquoted.0.len()).min(MAX_BYTES + START);
                    unquoted.0.reserve_exact(length - unquoted.0.len());
                    unquoted.0.resize(length, 0);
                }
                ReadRecordResult::OutputEndsFull => ends.0.resize(2 * ends.0.len(), 0),
            }
            self.check_size()?;
        }
    }

    fn check_size(&self) -> Result<()> {
        let limit = if self.raw.len() > MAX_BYTES {
            format!("{} MiB", MAX_BYTES >> 20)
        } else if self.ends.1 > MAX_COLUMNS {
            format!("{MAX_COLUMNS} values")
        } else {
            return Ok(());
        };
        Err(Error::data(format!(
            "{}, line {}: the row has more than {limit}, the limit; end each row with a line end, and close every \
             quote",
            self.origin, self.record.line
        )))
    }

    fn open_quote(&self) -> Error {
        let field = self.ends.1;
        let start = field.checked_sub(1).map_or(0, |before| self.ends.0[before]);
        let swallowed = &self.unquoted.0[start..self.unquoted.1];
        Error::data(format!(
            "{}, line {}: the quote that opens value {} ({}) is never closed, the file ends inside it; close it, or \
             remove it",
            self.origin,
            self.lines.after(&self.unquoted.0[..start]),
            field + 1,
            quoted(&String::from_utf8_lossy(&swallowed[..swallowed.len().min(1 << 10)]))
        ))
    }

    /// Refuses a record of several lines that a lost quote may have made of several rows.
    fn check_quotes(&self) -> Result<()> {
        let Some([opened, text]) = text_after_quote(&self.raw, self.separator) else {
            return Ok(());
        };
        Err(Error::data(format!(
            "{}, line {}: text follows the quote that closes the value from line {}; if a quote was lost, add it, \
             and write a quote within a value twice (\"\")",
            self.origin,
            self.lines.after(&self.raw[..text]),
            self.lines.after(&self.raw[..opened])
        )))
    }

    fn keep_text(&mut self) -> Result<()> {
        let bytes = &self.unquoted.0[..self.unquoted.1];
        let ends = &self.ends.0[..self.ends.1];
        let text = std::str::from_utf8(bytes)
            .ok()
            .filter(|text| ends.iter().all(|end| text.is_char_boundary(*end)));
        let Some(text) = text else { return Err(self.no_text()) };
        self.record.text.clear();
        self.record.text.push_str(text);
        self.record.ends.clear();
        self.record.ends.extend_from_slice(ends);
        Ok(())
    }

    fn no_text(&self) -> Error {
        let fields = &self.unquoted.0[..self.unquoted.1];
        let text_before = std::str::from_utf8(fields).err().map_or(0, |error| error.valid_up_to());
        let line = self.lines.after(&fields[..text_before]);
        let text = format!("{}, line {line} is not UTF-8 text", self.origin);
        let save = Hint::edit("save the file as UTF-8");
        Error::data(Message::from(text).with_hint(save).with_hint(Setting::Encoding(None)))
    }
}

/// A parser that has read an empty line: on its first read it would take away a byte order mark and, where nothing
/// else has come yet, take that for the end of the file.
fn started_parser(separator: u8) -> Reader {
    let mut parser = ReaderBuilder::new().delimiter(separator).build();
    parser.read_record(b"\n", &mut [0], &mut [0]);
    parser
}

/// Counts lines as an editor does: by line feeds, or where there are none by carriage returns.
#[derive(Clone, Copy, Default)]
struct Lines {
    feeds: usize,
    returns: usize,
}

impl Lines {
    fn add(&mut self, bytes: &[u8]) {
        self.feeds += bytes.iter().filter(|byte| **byte == b'\n').count();
        self.returns += bytes.iter().filter(|byte| **byte == b'\r').count();
    }

    /// The line that the byte after these is on, counted from 1.
    fn after(mut self, bytes: &[u8]) -> usize {
        self.add(bytes);
        self.current()
    }

    /// The line that the next byte is on, counted from 1.
    fn current(self) -> usize {
        1 + if self.feeds > 0 { self.feeds } else { self.returns }
    }
}
