//! NumPy arrays (`.npy`).

mod header;
mod numbers;
mod target;

use std::fmt::Display;
use std::path::Path;

use crate::excerpt::short;
use crate::hint::missing_hints;
use crate::readers::idx::check_columns;
use crate::readers::input::{Input, name_file};
use crate::readers::promised::{read_promised, room_for, shape_text};
use crate::{
    Error, Features, FeaturesBuilder, Hint, Message, RawColumn, RawTable, Result, Table,
    TargetKind, column_numbers,
};
use header::{Header, read_header};
use numbers::decoder;

/// Reads the rows of a 2-D array of numbers; columns are named `x1`, `x2`, ….
///
/// Floats and integers of every width and byte order, booleans, C and Fortran order, gzipped or
/// not. Integers beyond 2^53 are rounded to the nearest f64.
///
/// # Errors
/// The file cannot be read or is damaged, the array is not 2-D, holds no number (text, complex
/// numbers, dates, Python objects) or a value that is not finite (row and column are named).
pub fn read_npy_features(path: impl AsRef<Path>) -> Result<Features> {
    read_features(Input::open(path.as_ref())?)
}

/// As [`read_npy_features`].
pub(crate) fn read_features(input: Input<'_>) -> Result<Features> {
    let Rows { origin, values, columns, has_nan } = read_rows(input)?;
    if has_nan {
        let at = values.into_values().iter().position(|value| value.is_nan()).unwrap_or_default();
        let (row, column) = (at / columns + 1, at % columns + 1);
        let text = format!("{origin}: row {row}, column \"x{column}\" is NaN");
        return Err(Error::data(Message::from(text).with_hints(missing_hints(false))));
    }
    values.build(column_numbers(columns)).map_err(|error| name_file(&origin, error))
}

/// The rows of an array of numbers as a table, where NaN is a missing value.
pub(crate) fn read_raw_features(input: Input<'_>) -> Result<RawTable> {
    let Rows { origin, values, columns, .. } = read_rows(input)?;
    let values = values.into_values();
    let column = |(at, name): (usize, String)| {
        RawColumn::numbers(name, values.iter().skip(at).step_by(columns).copied().collect())
    };
    let columns = column_numbers(columns).into_iter().enumerate().map(column).collect();
    RawTable::new(columns).map_err(|error| name_file(&origin, error))
}

/// The rows of an array.
struct Rows {
    /// What messages call it.
    origin: String,
    /// Row by row.
    values: FeaturesBuilder,
    columns: usize,
    has_nan: bool,
}

fn read_rows(mut input: Input<'_>) -> Result<Rows> {
    let origin = input.origin();
    let header = open_header(&mut input, "numbers (astype(float))")?;
    let decode = decoder(&header.kind);
    let count = decode.and_then(|_| header.len());
    let mut values = room_for(&input, count, header.kind.bytes());
    let (mut piece, mut bad, mut has_nan) = (Vec::new(), None, false);
    let mut take = |bytes: &[u8]| {
        let Some(decode) = decode else { return };
        piece.clear();
        bad = bad.or(decode(bytes, header.kind.is_big, &mut piece));
        has_nan |= piece.iter().any(|value| value.is_nan());
        values.extend_from_slice(&piece);
    };
    read_values(&mut input, &header, &mut take)?;
    check_numbers(&origin, &header, bad)?;
    let [rows, columns] = header.shape[..] else {
        let cure =
            if header.shape.len() < 2 { "x.reshape(-1, 1)" } else { "x.reshape(len(x), -1)" };
        return Err(Error::data(format!(
            "{origin} is of shape {}, and features are rows x columns; save {cure}",
            shape_text(&header.shape)
        )));
    };
    if rows == 0 || columns == 0 {
        return Err(Error::data(format!(
            "{origin} is of shape {rows} x {columns} and holds no value; save an array with rows"
        )));
    }
    let (rows, columns) = (rows as usize, columns as usize);
    check_columns(&origin, columns)?;
    if header.by_column {
        values = values.transposed(rows);
    }
    Ok(Rows { origin, values, columns, has_nan })
}

/// The features of one array, and the target of each row, `[n]` or `[n, 1]`, from another; files, or arrays of an archive.
pub(crate) fn read_inputs(x: Input<'_>, y: Input<'_>, task: TargetKind) -> Result<Table> {
    let x_origin = x.origin();
    let features = read_features(x)?;
    let (target, notes) = target::read(y, (&x_origin, features.rows()), task)?;
    Ok(Table { notes, ..Table::new(features, "y", target) }.set_apart(target::NO_CLASS))
}

/// The same as a table whose last column is the target, where NaN is a missing value.
pub(crate) fn read_raw_inputs(x: Input<'_>, y: Input<'_>, task: TargetKind) -> Result<RawTable> {
    let x_origin = x.origin();
    let features = read_raw_features(x)?;
    let (target, notes) = target::read(y, (&x_origin, features.rows()), task)?;
    let mut columns = features.columns().to_vec();
    columns.extend(target.into_raw("y", target::NO_CLASS));
    Ok(RawTable::new(columns)?.with_notes(notes))
}

/// An array and its values: as many bytes as its header promises, and not one more.
struct Array {
    header: Header,
    bytes: Vec<u8>,
}

impl Array {
    /// Number of values.
    fn len(&self) -> usize {
        self.header.len().unwrap_or(0)
    }
}

fn open_array(mut input: Input<'_>) -> Result<Array> {
    let header = open_header(&mut input, "numbers (astype(float)) or as text (astype(str))")?;
    let mut bytes = Vec::new();
    read_values(&mut input, &header, |some| bytes.extend_from_slice(some))?;
    Ok(Array { header, bytes })
}

/// Reads the header of an array of values, not of objects or of records.
fn open_header(input: &mut Input<'_>, forms: &str) -> Result<Header> {
    let header = read_header(input)?;
    if header.kind.letter == 'O' || header.is_of_records() && header.descr.contains("|O") {
        return Err(Error::data(format!(
            "{} holds Python objects; save it as {forms}",
            input.origin()
        )));
    }
    // Whatever its shape.
    if header.is_of_records() {
        return Err(no_numbers(&input.origin(), &header));
    }
    Ok(header)
}

/// Takes the values of an array, some bytes at a time.
fn read_values(input: &mut Input<'_>, header: &Header, take: impl FnMut(&[u8])) -> Result<()> {
    let item = header.kind.bytes();
    let promised = header.len().and_then(|count| count.checked_mul(item));
    let found = read_promised(input, (promised, " bytes"), take)?;
    let Some(found) = found else { return Ok(()) };
    Err(Error::data(format!(
        "the header of {} promises {} values of {item} bytes, {found}; save it again",
        input.origin(),
        shape_text(&header.shape)
    )))
}

/// The real numbers of an array, whatever its shape.
pub(crate) fn read_numbers(input: Input<'_>) -> Result<Vec<f64>> {
    numbers(&input.origin(), &open_array(input)?)
}

/// The only text of an array.
pub(crate) fn read_text(input: Input<'_>) -> Result<String> {
    let origin = input.origin();
    let array = open_array(input)?;
    if !array.header.kind.is_text() || array.len() != 1 {
        return Err(Error::data(format!("{origin} is not one text; save it again")));
    }
    Ok(texts_of(&origin, &array)?.concat())
}

/// Every value as text, without the zeros that fill it up.
fn texts_of(origin: &str, array: &Array) -> Result<Vec<String>> {
    let kind = &array.header.kind;
    if kind.width == 0 {
        return Ok(vec![String::new(); array.len()]);
    }
    let from = if kind.is_big { u32::from_be_bytes } else { u32::from_le_bytes };
    let letter = |bytes: &[u8; 4]| char::from_u32(from(*bytes));
    let text = |value: &[u8]| match kind.letter {
        'U' => value.as_chunks().0.iter().map(letter).collect::<Option<String>>(),
        _ => String::from_utf8(value.to_vec()).ok(),
    };
    let texts = array.bytes.chunks_exact(kind.bytes()).map(text);
    texts
        .map(|text| text.map(|text| text.trim_end_matches('\0').to_string()))
        .collect::<Option<_>>()
        .ok_or_else(|| damaged(origin, "no text of Unicode"))
}

/// Every value as a number, in the order of the file.
fn numbers(origin: &str, Array { header, bytes }: &Array) -> Result<Vec<f64>> {
    let mut values = Vec::new();
    let bad =
        decoder(&header.kind).and_then(|decode| decode(bytes, header.kind.is_big, &mut values));
    check_numbers(origin, header, bad)?;
    Ok(values)
}

/// Refuses an array of other values than real numbers, and a byte that should be true or false and is neither.
fn check_numbers(origin: &str, header: &Header, bad: Option<u8>) -> Result<()> {
    if decoder(&header.kind).is_none() {
        return Err(no_numbers(origin, header));
    }
    match bad {
        None => Ok(()),
        Some(byte) => Err(damaged(origin, format_args!("invalid value for bool: {byte}"))),
    }
}

/// The error of an array of other values than real numbers.
fn no_numbers(origin: &str, header: &Header) -> Error {
    let cure = match header.is_of_records() {
        true => "save numpy.lib.recfunctions.structured_to_unstructured(x), or one field of it",
        false => "save it with astype(float)",
    };
    let text = format!(
        "{origin} holds values of type {}, not real numbers of at most 64 bits",
        short(&header.descr)
    );
    Error::data(Message::from(text).with_hint(Hint::edit(cure)))
}

fn damaged(origin: &str, error: impl Display) -> Error {
    Error::data(format!("{origin} holds a value that cannot be read ({error}); save it again"))
}

#[cfg(test)]
mod tests;
