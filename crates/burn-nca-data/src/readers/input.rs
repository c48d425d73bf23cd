//! A file (or standard input) that is opened once and read once, unpacked where it is gzip.
//!
//! Its first bytes can be looked at before it is read, so that the format is known; a pipe, which gives every byte
//! only once, is read like a file.

use crate::readers::decoding::{NotText, decoded, of_byte_order_mark};
use crate::readers::encodings::{Encoding, UTF_8};
use crate::readers::format::Format;
use crate::readers::once;
use crate::readers::spaces::single_spaced;
use crate::{Error, Result};
use flate2::bufread::MultiGzDecoder;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The word for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// How many bytes can be looked at before the input is read.
pub(crate) const START: usize = 1 << 16;

/// What packed data unpack to at most, as far as memory is set aside for it.
const PACKED: u64 = 16;

/// The most bytes of a file that is packed, or comes through a pipe, and has to be held in memory as a whole: its last
/// bytes are read first.
pub(crate) const MOST_HELD: usize = 1 << 30;

pub(crate) struct Input<'a> {
    path: PathBuf,
    start: Vec<u8>,
    bytes: Box<dyn BufRead + 'a>,
    packed: Option<&'static str>,
    is_decoded: bool,
    pub(super) read: u64,
    /// The bytes of a file, unpacked or not.
    stored: Option<u64>,
}

impl<'a> Input<'a> {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        if let Some(bytes) = once::take(path) {
            return Self::new(path.into(), BufReader::with_capacity(START, bytes));
        }
        let file = File::open(path).map_err(|source| io_error(path, source))?;
        let stored = file.metadata().ok().filter(Metadata::is_file).map(|file| file.len());
        let input = Self::new(path.into(), BufReader::with_capacity(START, file))?;
        if stored.is_none() {
            once::remember(path, input.format());
        }
        Ok(Self { stored, ..input })
    }

    pub(crate) fn standard_input() -> Result<Self> {
        let (word, path) = (Path::new(STANDARD_INPUT), "standard input".into());
        if let Some(bytes) = once::take(word) {
            return Self::new(path, BufReader::with_capacity(START, bytes));
        }
        let input = Self::new(path, io::stdin().lock())?;
        once::remember(word, input.format());
        Ok(input)
    }

    /// Bytes that are in memory already; `origin` is what messages call them.
    pub(crate) fn of_bytes(origin: &str, bytes: &'a [u8]) -> Result<Self> {
        Self::new(origin.into(), bytes)
    }

    /// The unpacked bytes of a file in a zip archive; `origin` is what messages call it.
    pub(crate) fn of_zip(origin: &str, bytes: Box<dyn BufRead + 'a>) -> Result<Self> {
        let (path, packed) = (origin.into(), Some("zip"));
        let (start, is_decoded, stored) = (Vec::new(), false, None);
        Self { path, start, bytes, packed, is_decoded, read: 0, stored }.looked_at()
    }

    fn new(path: PathBuf, mut bytes: impl BufRead + 'a) -> Result<Self> {
        let failed = |source| io_error(&path, source);
        let mut magic = Vec::new();
        bytes.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut magic).map_err(failed)?;
        let is_gzip = magic == GZIP_MAGIC;
        let bytes = Cursor::new(magic).chain(bytes);
        let bytes: Box<dyn BufRead + 'a> = if is_gzip {
            Box::new(BufReader::with_capacity(START, MultiGzDecoder::new(bytes)))
        } else {
            Box::new(bytes)
        };
        let packed = is_gzip.then_some("gzip");
        let (start, is_decoded, stored) = (Vec::new(), false, None);
        let input = Self { path, start, bytes, packed, is_decoded, read: 0, stored }.looked_at()?;
        if let Some((what, cure)) = Format::foreign(&input.start) {
            return Err(Error::data(format!("{} is {what}; {cure}", input.origin())));
        }
        match of_byte_order_mark(&input.start) {
            Some(encoding) => input.decoded(encoding),
            None => Ok(input),
        }
    }

    /// The input with its start known and still to be read.
    fn looked_at(mut self) -> Result<Self> {
        self.start = self.read_at_most(START)?;
        self.read = 0;
        self.bytes = Box::new(Cursor::new(self.start.clone()).chain(self.bytes));
        Ok(self)
    }

    /// The input as UTF-8, from this encoding; as it is where a byte order mark gives another one.
    pub(crate) fn decoded(self, encoding: &'static Encoding) -> Result<Self> {
        if encoding == UTF_8 || self.is_decoded {
            return Ok(self);
        }
        Self { bytes: Box::new(decoded(self.bytes, encoding)), is_decoded: true, ..self }
            .looked_at()
    }

    /// The same text with single spaces between values.
    pub(crate) fn with_single_spaces(self) -> Result<Self> {
        Self { bytes: Box::new(single_spaced(self.bytes)), is_decoded: true, ..self }.looked_at()
    }

    /// The file once more, to be read in any order; none where it is packed, a pipe or in memory.
    #[cfg(feature = "parquet")]
    pub(crate) fn regular_file(&self) -> Result<Option<File>> {
        if self.size().is_none() {
            return Ok(None);
        }
        File::open(&self.path).map(Some).map_err(|source| io_error(&self.path, source))
    }

    /// The same file with its bytes turned into text.
    #[cfg(feature = "parquet")]
    pub(crate) fn into_text(self, bytes: Box<dyn BufRead + 'a>) -> Result<Self> {
        Self { bytes, is_decoded: true, packed: None, ..self }.looked_at()
    }

    pub(crate) fn origin(&self) -> String {
        self.path.display().to_string()
    }

    /// The first bytes, whether or not they were read since: all of them, or [`START`].
    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }

    pub(crate) fn format(&self) -> Format {
        Format::of(&self.start)
    }

    /// Some of the bytes that follow; none at the end.
    pub(crate) fn fill(&mut self) -> Result<&[u8]> {
        while let Err(source) = self.bytes.fill_buf() {
            if source.kind() != ErrorKind::Interrupted {
                return Err(self.failed(source));
            }
        }
        // The buffer is filled: asked again, it only hands out what it holds.
        self.bytes.fill_buf().map_err(|source| io_error(&self.path, source))
    }

    /// Marks so many of the bytes of [`Input::fill`] as read.
    pub(crate) fn consume(&mut self, count: usize) {
        self.bytes.consume(count);
        self.read += count as u64;
    }

    /// Puts bytes back that were read last, to be read again.
    pub(crate) fn put_back(&mut self, bytes: Vec<u8>) {
        self.read = self.read.saturating_sub(bytes.len() as u64);
        let rest = std::mem::replace(&mut self.bytes, Box::new(io::empty()));
        self.bytes = Box::new(Cursor::new(bytes).chain(rest));
    }

    /// The bytes that there are in all, where that is known: not of a pipe, and not of packed data.
    pub(crate) fn size(&self) -> Option<u64> {
        self.stored.filter(|_| self.packed.is_none() && !self.is_decoded)
    }

    /// The most bytes that memory may be set aside for; 0 where nothing is known. Packed data unpack to some more than they
    /// are, seldom to sixteen times as much.
    pub(crate) fn room(&self) -> u64 {
        let times = if self.packed.is_some() { PACKED } else { 1 };
        self.stored.map_or(0, |stored| stored.saturating_mul(times))
    }

    /// The next `limit` bytes, or all that are left. Memory grows with what is there, not with `limit`.
    pub(crate) fn read_at_most(&mut self, limit: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(limit.min(START));
        self.read_onto(&mut bytes, limit)?;
        Ok(bytes)
    }

    /// As [`read_at_most`](Self::read_at_most), behind other bytes.
    pub(crate) fn read_onto(&mut self, bytes: &mut Vec<u8>, limit: usize) -> Result<()> {
        self.read_by(bytes, limit, |from, onto| from.read_to_end(onto))
    }

    /// The next line with its end, or its first `limit` bytes; nothing at the end.
    pub(crate) fn read_line(&mut self, limit: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(limit.min(START));
        self.read_by(&mut bytes, limit, |from, onto| from.read_until(b'\n', onto))?;
        Ok(bytes)
    }

    fn read_by(
        &mut self,
        bytes: &mut Vec<u8>,
        limit: usize,
        read: impl FnOnce(&mut dyn BufRead, &mut Vec<u8>) -> io::Result<usize>,
    ) -> Result<()> {
        let before = bytes.len();
        let outcome = read(&mut self.bytes.by_ref().take(limit as u64), bytes);
        self.read += (bytes.len() - before) as u64;
        outcome.map(drop).map_err(|source| self.failed(source))
    }

    /// All bytes, to be held in memory: those of a file, and at most so many of anything else, which
    /// may be without end. Messages call them `kind`.
    pub(crate) fn read_held(&mut self, kind: &str, most: usize) -> Result<Vec<u8>> {
        if self.stored.is_some() && self.packed.is_none() {
            return self.read_at_most(usize::MAX);
        }
        let bytes = self.read_at_most(most + 1)?;
        if bytes.len() <= most {
            return Ok(bytes);
        }
        Err(Error::data(format!(
            "{} is {kind} of more than {} MiB that is packed or comes through a pipe; give the file itself, unpacked",
            self.origin(),
            most >> 20
        )))
    }

    fn failed(&self, source: io::Error) -> Error {
        if let Some(NotText(reason)) = source.get_ref().and_then(|inner| inner.downcast_ref()) {
            let named = |text| format!("{}: {text}", self.path.display());
            return Error::data(reason.clone().map_text(named));
        }
        let Some(packed) = self.packed else { return io_error(&self.path, source) };
        Error::data(format!(
            "{}: the {packed} data are damaged after {} unpacked bytes ({source}); \
             fetch or write the file again",
            self.path.display(),
            self.read
        ))
    }
}

fn io_error(path: &Path, source: io::Error) -> Error {
    let kind = source.kind();
    let source = match kind {
        ErrorKind::NotFound => io::Error::new(kind, "there is no such file; check the path"),
        ErrorKind::IsADirectory => {
            io::Error::new(kind, "this is a folder; give the path of a file in it")
        }
        _ => source,
    };
    Error::io(path, source)
}

/// Puts the name of the file before the message of a data error.
pub(crate) fn name_file(origin: &str, error: Error) -> Error {
    match error {
        Error::Data(message) => Error::data(message.map_text(|text| format!("{origin}: {text}"))),
        other => other,
    }
}

#[cfg(test)]
mod tests;
