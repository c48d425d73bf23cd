//! What the parts of an Arrow file claim: where they are, and how much they unpack to.
//!
//! arrow-ipc 60.1 takes a claim at its word where it unpacks LZ4, so that a damaged one would end the process for want of
//! memory; and a part beyond the end of its message makes it panic.

use std::io::{Read, Seek, SeekFrom};

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{RecordBatch, root_as_footer, root_as_message};

use super::reason::Reason;
use crate::readers::format::Format;

/// What LZ4 and Zstandard can unpack a byte to, rounded up to a power of two.
const MOST_UNPACKED: u64 = 1 << 16;

/// The most bytes of one part, the values of a column in one batch.
const MOST_BYTES: u64 = 1 << 32;

/// The end of a file: the length of its footer and the magic bytes.
const TRAILER: u64 = 10;

/// What a message begins with before its length; those of old writers begin with the length.
const CONTINUATION: [u8; 4] = [0xff; 4];

pub(super) fn check(format: Format, mut source: impl Read + Seek) -> Result<(), Reason> {
    let length = source.seek(SeekFrom::End(0))?;
    let mut source = Messages { source, length };
    if format == Format::ArrowStream { source.check_stream() } else { source.check_file() }
}

struct Messages<R> {
    source: R,
    length: u64,
}

impl<R: Read + Seek> Messages<R> {
    fn check_stream(&mut self) -> Result<(), Reason> {
        let mut at = 0;
        while at < self.length {
            let mut size = self.bytes(at, 4)?;
            at += 4;
            if size == CONTINUATION {
                size = self.bytes(at, 4)?;
                at += 4;
            }
            let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]);
            if size == 0 {
                break;
            }
            let metadata = self.bytes(at, size.into())?;
            at += u64::from(size);
            at += self.check_message(&metadata, at)?;
        }
        Ok(())
    }

    fn check_file(&mut self) -> Result<(), Reason> {
        let end = self.length.checked_sub(TRAILER).ok_or_else(Reason::cut_off)?;
        let trailer = self.bytes(end, TRAILER)?;
        let trailer = trailer.try_into().map_err(|_| Reason::cut_off())?;
        let footer = read_footer_length(trailer)? as u64;
        let start = end.checked_sub(footer).ok_or_else(Reason::cut_off)?;
        let footer = self.bytes(start, footer)?;
        let footer = root_as_footer(&footer)?;
        let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches());
        for block in blocks.flat_map(|blocks| blocks.iter()) {
            let (at, size) = (size_of(block.offset())?, size_of(block.metaDataLength())?);
            size_of(block.bodyLength())?;
            let metadata = self.bytes(at, size)?;
            let skipped = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
            self.check_message(metadata.get(skipped..).ok_or_else(Reason::cut_off)?, at + size)?;
        }
        Ok(())
    }

    /// Checks a message whose body is there, and gives the length of the body.
    fn check_message(&mut self, metadata: &[u8], body: u64) -> Result<u64, Reason> {
        let message = root_as_message(metadata)?;
        let length = size_of(message.bodyLength())?;
        let batch = message.header_as_record_batch();
        let dictionary = message.header_as_dictionary_batch();
        if let Some(batch) = batch.or_else(|| dictionary.and_then(|dictionary| dictionary.data())) {
            self.check_batch(batch, body, length)?;
        }
        Ok(length)
    }

    fn check_batch(
        &mut self,
        batch: RecordBatch<'_>,
        body: u64,
        length: u64,
    ) -> Result<(), Reason> {
        for part in batch.buffers().into_iter().flat_map(|parts| parts.iter()) {
            let (offset, packed) = (size_of(part.offset())?, size_of(part.length())?);
            if offset.checked_add(packed).is_none_or(|end| end > length) {
                return Err(Reason::cut_off());
            }
            if batch.compression().is_none() || packed < 8 {
                continue;
            }
            let at = body.checked_add(offset).ok_or_else(Reason::cut_off)?;
            let claim = self.bytes(at, 8)?.try_into().map_err(|_| Reason::cut_off())?;
            // Minus one where a part is not packed.
            let claim = u64::try_from(i64::from_le_bytes(claim)).unwrap_or(0);
            if claim > MOST_BYTES || claim > packed.saturating_mul(MOST_UNPACKED) {
                return Err(Reason::Format(format!(
                    "a part of {packed} bytes claims to be {claim} bytes unpacked"
                )));
            }
        }
        Ok(())
    }

    fn bytes(&mut self, at: u64, count: u64) -> Result<Vec<u8>, Reason> {
        if at.checked_add(count).is_none_or(|end| end > self.length) {
            return Err(Reason::cut_off());
        }
        self.source.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        self.source.by_ref().take(count).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == count { Ok(bytes) } else { Err(Reason::cut_off()) }
    }
}

/// A place or a length, which is not negative.
fn size_of(claim: impl TryInto<u64>) -> Result<u64, Reason> {
    claim.try_into().map_err(|_| Reason::cut_off())
}
