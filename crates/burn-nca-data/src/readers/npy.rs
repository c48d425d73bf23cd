//! NumPy arrays (`.npy`).

mod header;
mod numbers;

use crate::hint::{Hint, Message, Setting};
use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::error::{Error, Result};
use crate::tables::Features;
use npyz::{DType, Deserialize, NpyFile, NpyHeader, Order, TypeChar};

use crate::excerpt::short;
use crate::readers::class_names::ClassColumn;
use crate::readers::idx::check_columns;
use crate::readers::input::{Input, name_file};
use crate::readers::promised::{Found, read_promised, room_for};
use crate::readers::table::{Table, Target, TargetKind};
use header::read_header;
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
pub(crate) fn read_features(mut input: Input<'_>) -> Result<Features> {
    let origin = input.origin();
    let header = open_header(&mut input, "numbers (astype(float))")?;
    let decoder = decoder(&header.dtype());
    let item = header.dtype().num_bytes().unwrap_or(0);
    let count = decoder.and_then(|_| usize::try_from(header.len()).ok());
    let mut values = room_for(&input, count, item);
    let (mut piece, mut bad) = (Vec::new(), None);
    let mut take = |bytes: &[u8]| {
        let Some((decode, big)) = decoder else { return };
        piece.clear();
        bad = bad.or(decode(bytes, big, &mut piece));
        values.extend_from_slice(&piece);
    };
    let found = match promised(&header) {
        Some(promised) => Some(read_promised(&mut input, promised, &mut take)?),
        None => None,
    };
    check_found(&origin, &header, found)?;
    // The rows of an array of records are no numbers whatever its shape.
    check_numbers(&origin, &header, bad)?;
    let [rows, columns] = header.shape()[..] else {
        let cure =
            if header.shape().len() < 2 { "x.reshape(-1, 1)" } else { "x.reshape(len(x), -1)" };
        return Err(Error::data(format!(
            "{origin} is of shape {}, and features are rows x columns; save {cure}",
            shape_text(header.shape())
        )));
    };
    if rows == 0 || columns == 0 {
        return Err(Error::data(format!(
            "{origin} is of shape {rows} x {columns} and holds no value; save an array with rows"
        )));
    }
    let (rows, columns) = (rows as usize, columns as usize);
    check_columns(&origin, columns)?;
    if header.order() == Order::Fortran {
        values = values.transposed(rows);
    }
    values.build_unnamed(columns).map_err(|error| name_file(&origin, error))
}

/// Reads the features from one array and the target of each row from another.
///
/// The target is `[n]` or `[n, 1]`. With [`TargetKind::Classes`] it may hold integers, booleans, text, or
/// floats that are whole numbers; with [`TargetKind::Numeric`] any finite number. Classes are ordered as
/// in a CSV file.
///
/// # Errors
/// As [`read_npy_features`]; or not one target per row, or a target that does not suit the task.
pub fn read_npy_pair(
    features: impl AsRef<Path>,
    target: impl AsRef<Path>,
    task: TargetKind,
) -> Result<Table> {
    read_pair(Input::open(features.as_ref())?, target.as_ref(), task)
}

/// As [`read_npy_pair`].
pub(crate) fn read_pair(x: Input<'_>, y: &Path, task: TargetKind) -> Result<Table> {
    read_inputs(x, Input::open(y)?, task)
}

/// As [`read_npy_pair`], of files or of arrays of an archive.
pub(crate) fn read_inputs(x: Input<'_>, y: Input<'_>, task: TargetKind) -> Result<Table> {
    let (x_origin, origin) = (x.origin(), y.origin());
    let features = read_features(x)?;
    let array = open_array(y)?;
    if !matches!(array.shape(), [_] | [_, 1] | [1, _]) {
        let (shape, rows) = (array.shape().to_vec(), features.rows());
        if task == TargetKind::Classes
            && let Some(target) = one_hot(array, rows)
        {
            let note = format!("{origin}: a column of 0 and 1 per class is read as classes from 0");
            let notes = vec![note.into()];
            return Ok(Table {
                features,
                target_name: "y".into(),
                target,
                without_class: None,
                notes,
            });
        }
        let cure = match shape[..] {
            [n, _] if n == rows as u64 => "save one column, as in y[:, 0]",
            _ => "give the features first and the target second",
        };
        return Err(Error::data(format!(
            "{origin} is of shape {}, and a target has one value per row; {cure}",
            shape_text(&shape)
        )));
    }
    if array.len() != features.rows() as u64 {
        return Err(Error::data(format!(
            "{} has {} rows and {origin} has {} values; give the two arrays of one set",
            x_origin,
            features.rows(),
            array.len()
        )));
    }
    let target = match task {
        TargetKind::Numeric => Target::Numeric(finite_numbers(&origin, array)?),
        TargetKind::Classes => class_names(&origin, array)?.index().into(),
    };
    let (target_name, notes) = ("y".into(), Vec::new());
    let table = Table { features, target_name, target, without_class: None, notes };
    Ok(table.set_apart(NO_CLASS))
}

/// An array and its values: as many bytes as its header promises, and not one more.
/// The class that is none: the row of a NaN among labels.
const NO_CLASS: &str = "NaN";

type Array = NpyFile<io::Cursor<Vec<u8>>>;

fn open_array(mut input: Input<'_>) -> Result<Array> {
    let origin = input.origin();
    let header = open_header(&mut input, "numbers (astype(float)) or as text (astype(str))")?;
    let mut values = Vec::new();
    let found = match promised(&header) {
        Some(promised) => Some(read_promised(&mut input, promised, |bytes| {
            values.extend_from_slice(bytes);
        })?),
        None => None,
    };
    check_found(&origin, &header, found)?;
    Ok(NpyFile::with_header(header, io::Cursor::new(values)))
}

/// Reads the header of an array of values, not of objects.
fn open_header(input: &mut Input<'_>, forms: &str) -> Result<NpyHeader> {
    let header = read_header(input)?;
    if header.uses_pickled_array() {
        return Err(Error::data(format!(
            "{} holds Python objects; save it as {forms}",
            input.origin()
        )));
    }
    Ok(header)
}

/// The bytes that the header promises, where a file may hold as many.
fn promised(header: &NpyHeader) -> Option<usize> {
    let item = header.dtype().num_bytes().unwrap_or(0);
    let count = header.shape().iter().try_fold(1_u64, |product, &size| product.checked_mul(size));
    // A product of zero may overflow on its way there.
    let count = if header.shape().contains(&0) { Some(0) } else { count };
    count.and_then(|count| usize::try_from(count).ok()?.checked_mul(item))
}

/// Refuses a file that holds fewer bytes than its header promises, or more.
fn check_found(origin: &str, header: &NpyHeader, found: Option<Found>) -> Result<()> {
    let found = match found {
        Some(Found::AsPromised) => return Ok(()),
        Some(Found::More) => "the file holds more".into(),
        Some(Found::Fewer(bytes)) => format!("the file holds {bytes} bytes"),
        None => "which no file holds".into(),
    };
    Err(Error::data(format!(
        "the header of {origin} promises {} values of {} bytes, {found}; save it again",
        shape_text(header.shape()),
        header.dtype().num_bytes().unwrap_or(0)
    )))
}

/// The real numbers of an array, whatever its shape.
pub(crate) fn read_numbers(input: Input<'_>) -> Result<Vec<f64>> {
    numbers(&input.origin(), open_array(input)?)
}

/// The only text of an array.
pub(crate) fn read_text(input: Input<'_>) -> Result<String> {
    let origin = input.origin();
    let array = open_array(input)?;
    let is_text =
        matches!(scalar(&array.dtype()), Some((TypeChar::UnicodeStr | TypeChar::ByteStr, _)));
    if !is_text || array.len() != 1 {
        return Err(Error::data(format!("{origin} is not one text; save it again")));
    }
    let mut texts: Vec<String> = array.into_vec().map_err(|error| damaged(&origin, error))?;
    Ok(texts.pop().unwrap_or_default())
}

/// Every value as a number, in the order of the file.
fn numbers(origin: &str, array: Array) -> Result<Vec<f64>> {
    let mut values = Vec::new();
    let header = array.header().clone();
    let bytes = array.into_inner().into_inner();
    let bad = decoder(&header.dtype()).and_then(|(decode, big)| decode(&bytes, big, &mut values));
    check_numbers(origin, &header, bad)?;
    Ok(values)
}

/// Refuses an array of other values than real numbers, and a byte that should be true or false and is neither.
fn check_numbers(origin: &str, header: &NpyHeader, bad: Option<u8>) -> Result<()> {
    if decoder(&header.dtype()).is_none() {
        let kind = header.dtype().descr();
        let cure = match kind.starts_with('[') {
            true => "save numpy.lib.recfunctions.structured_to_unstructured(x), or one field of it",
            false => "save it with astype(float)",
        };
        let text = format!(
            "{origin} holds values of type {}, not real numbers of at most 64 bits",
            short(&kind)
        );
        return Err(Error::data(Message::from(text).with_hint(Hint::edit(cure))));
    }
    match bad {
        None => Ok(()),
        Some(byte) => Err(damaged(origin, format_args!("invalid value for bool: {byte}"))),
    }
}

/// As [`numbers`], for a target: none may be NaN or infinite.
/// The classes of an array `[n, c]` of one 1 per row and zeros.
fn one_hot(array: Array, rows: usize) -> Option<Target> {
    let [n, classes] = array.shape()[..] else { return None };
    let (decode, big) = decoder(&array.header().dtype())?;
    let classes = usize::try_from(classes).ok().filter(|_| n == rows as u64)?;
    let mut values = Vec::new();
    let by_column = array.order() == Order::Fortran;
    if decode(&array.into_inner().into_inner(), big, &mut values).is_some() {
        return None;
    }
    let place = |row, class| if by_column { class * rows + row } else { row * classes + class };
    let class = |row: usize| {
        let of_row = || (0..classes).map(|class| values.get(place(row, class)).copied());
        let ones = of_row().filter(|value| *value == Some(1.0)).count();
        let zeros = of_row().filter(|value| *value == Some(0.0)).count();
        let class = of_row().position(|value| value == Some(1.0));
        class.filter(|_| ones == 1 && zeros + 1 == classes)
    };
    let labels = (0..rows).map(class).collect::<Option<Vec<usize>>>()?;
    Some(Target::Classes { labels, names: (0..classes).map(|class| class.to_string()).collect() })
}

fn finite_numbers(origin: &str, array: Array) -> Result<Vec<f64>> {
    let values = numbers(origin, array)?;
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(row) => Err(Error::data(format!(
            "{origin}: value {} is {}; remove the row or fill the value in",
            row + 1,
            values[row]
        ))),
    }
}

/// Every value as the name of a class.
fn class_names(origin: &str, array: Array) -> Result<ClassColumn> {
    match scalar(&array.dtype()) {
        Some((TypeChar::UnicodeStr | TypeChar::ByteStr, _)) => texts(origin, array),
        Some((TypeChar::Int, 8)) => each(origin, array, |value: i64| value.to_string()),
        Some((TypeChar::Uint, 8)) => each(origin, array, |value: u64| value.to_string()),
        Some((TypeChar::Bool, _)) => each(origin, array, |value: bool| value.to_string()),
        _ => whole_numbers(origin, &numbers(origin, array)?),
    }
}

fn texts(origin: &str, array: Array) -> Result<ClassColumn> {
    let names: Vec<String> = array.into_vec().map_err(|error| damaged(origin, error))?;
    match names.iter().position(|name| name.trim().is_empty()) {
        None => Ok(names.iter().map(|name| name.trim()).collect()),
        Some(row) => Err(Error::data(format!(
            "{origin}: the class of row {} is empty; name the class or remove the row",
            row + 1
        ))),
    }
}

fn whole_numbers(origin: &str, values: &[f64]) -> Result<ClassColumn> {
    if values.iter().all(|value| value.is_nan()) {
        return Err(Error::data(format!(
            "{origin}: no row has a class; give a class to some rows"
        )));
    }
    match values.iter().position(|value| !value.is_nan() && value.fract() != 0.0) {
        None => {
            let mut column = ClassColumn::default();
            // Adding zero turns -0 into 0, which is the same class.
            values.iter().for_each(|value| column.push(&(value + 0.0).to_string()));
            Ok(column)
        }
        Some(row) => {
            let text = format!(
                "{origin}: value {} is {}, and a class is a whole number or text",
                row + 1,
                values[row]
            );
            let give = Hint::edit("give classes");
            Err(Error::data(Message::from(text).with_hint(give).with_hint(Setting::Numbers)))
        }
    }
}

fn each<T: Deserialize>(
    origin: &str,
    array: Array,
    name: impl Fn(T) -> String,
) -> Result<ClassColumn> {
    let values = array.data::<T>().map_err(|error| damaged(origin, error))?;
    let mut column = ClassColumn::default();
    for value in values {
        column.push(&name(value.map_err(|error| damaged(origin, error))?));
    }
    Ok(column)
}

/// The type letter and the width in bytes (of text: in letters).
fn scalar(dtype: &DType) -> Option<(TypeChar, u64)> {
    match dtype {
        DType::Plain(kind) => Some((kind.type_char(), kind.size_field())),
        _ => None,
    }
}

fn damaged(origin: &str, error: impl Display) -> Error {
    Error::data(format!("{origin} holds a value that cannot be read ({error}); save it again"))
}

fn shape_text(shape: &[impl Display]) -> String {
    if shape.is_empty() {
        return "()".into();
    }
    short(&shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x "))
}

#[cfg(test)]
mod tests;
