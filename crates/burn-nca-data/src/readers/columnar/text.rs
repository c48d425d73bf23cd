//! The rows of a Parquet or Arrow file as text.

use std::io::{self, BufReader, Cursor, ErrorKind, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{DecimalSign, Error, Result};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;
use rayon::prelude::*;

use super::cells::Cells;
use super::claims;
use super::reason::Reason;
use crate::readers::decoding::{NotText, Pieces};
use crate::readers::format::Format;
use crate::readers::input::{Input, MOST_HELD};

const BATCH: usize = 1 << 18;

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// The rows of a Parquet or Arrow file as delimited text: a header line, then one line per row (more where a text holds
/// line ends). Numbers have this decimal sign, as those that are text are to have.
pub(crate) fn as_text(mut input: Input<'_>, decimal: DecimalSign) -> Result<Input<'_>> {
    let (origin, format) = (input.origin(), input.format());
    let opened = match input.regular_file()? {
        Some(file) => opened(format, file, BufReader::new),
        None => {
            opened(format, Bytes::from(input.read_held(format.name(), MOST_HELD)?), Cursor::new)
        }
    };
    let started = opened.and_then(|(schema, mut batches)| {
        if schema.fields().is_empty() {
            return Err(Reason::Values("there is no column; write at least two".into()));
        }
        let first = next(&mut batches)?;
        let cells = Cells::new(&schema, first.as_ref(), decimal);
        Ok((cells, first.into_iter().map(Ok).chain(batches)))
    });
    let (cells, mut batches) =
        started.map_err(|reason| Error::data(format!("{origin}: {}", reason.in_words(format))))?;
    let (header, mut rows) = (cells.header(), 0);
    let mut write = move |text: &mut Vec<u8>| -> Result<(), Reason> {
        while text.is_empty() {
            // A few batches for each thread, and the rows before each.
            let mut some = Vec::new();
            while some.len() < 2 * rayon::current_num_threads() {
                let Some(batch) = next(&mut batches)? else { break };
                let before = rows;
                rows += batch.num_rows();
                some.push((before, batch));
            }
            if some.is_empty() {
                break;
            }
            let texts = some
                .par_iter()
                .map(|(before, batch)| unless_it_panics(|| cells.rows_of(batch, *before)));
            text.extend(texts.collect::<Result<Vec<_>, Reason>>()?.concat());
        }
        Ok(())
    };
    let lines = Pieces::new(move |text: &mut Vec<u8>| {
        write(text).map_err(|reason| {
            io::Error::new(ErrorKind::InvalidData, NotText(reason.in_words(format).into()))
        })
    });
    input.into_text(Box::new(Cursor::new(header).chain(lines)))
}

/// The columns and the rows of a file, or of its bytes in memory.
fn opened<S: ChunkReader + 'static, R: Read + Seek + 'static>(
    format: Format,
    source: S,
    reader: fn(S) -> R,
) -> Result<(SchemaRef, Batches), Reason> {
    unless_it_panics(|| match format {
        Format::Parquet => {
            let builder = ParquetRecordBatchReaderBuilder::try_new(source)?;
            let rows = (BATCH / builder.schema().fields().len().max(1)).clamp(1, 8192);
            // What the writer says of its table is in this schema alone.
            let schema = builder.schema().clone();
            Ok((schema, Box::new(builder.with_batch_size(rows).build()?) as Batches))
        }
        _ => {
            let mut reader = reader(source);
            claims::check(format, &mut reader)?;
            reader.rewind()?;
            if format == Format::ArrowStream {
                let reader = StreamReader::try_new(reader, None)?;
                return Ok((reader.schema(), Box::new(reader) as Batches));
            }
            let reader = FileReader::try_new(reader, None)?;
            Ok((reader.schema(), Box::new(reader) as Batches))
        }
    })
}

/// What the readers of the formats do, where some kinds of damage make them panic.
fn unless_it_panics<T>(work: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Reason::of_panic(&*panic)))
}

fn next(
    batches: &mut impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<Option<RecordBatch>, Reason> {
    unless_it_panics(|| Ok(batches.next().transpose()?))
}

#[cfg(test)]
mod tests;
