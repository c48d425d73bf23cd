//! NumPy arrays (`.npy`).

mod header;

use std::fmt::Display;
use std::io;
use std::path::Path;

use burn_nca::data::Features;
use burn_nca::{Error, Result};
use half::f16;
use npyz::{DType, Deserialize, Endianness, NpyFile, Order, TypeChar};

use crate::class_names::ClassColumn;
use crate::excerpt::short;
use crate::idx::check_columns;
use crate::input::{Input, name_file};
use crate::table::{Table, Target, Task};
use header::read_header;

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
    let origin = input.origin();
    let array = open_array(input)?;
    let [rows, columns] = array.shape()[..] else {
        let cure =
            if array.shape().len() < 2 { "x.reshape(-1, 1)" } else { "x.reshape(len(x), -1)" };
        return Err(Error::data(format!(
            "{origin} is of shape {}, and features are rows x columns; save {cure}",
            shape_text(array.shape())
        )));
    };
    if rows == 0 || columns == 0 {
        return Err(Error::data(format!(
            "{origin} is of shape {rows} x {columns} and holds no value; save an array with rows"
        )));
    }
    let (rows, columns) = (rows as usize, columns as usize);
    check_columns(&origin, columns)?;
    let order = array.order();
    let mut values = numbers(&origin, array)?;
    if order == Order::Fortran {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| row + column * rows));
        values = cells.map(|cell| values[cell]).collect();
    }
    Features::unnamed(values, columns).map_err(|error| name_file(&origin, error))
}

/// Reads the features from one array and the target of each row from another.
///
/// The target is `[n]` or `[n, 1]`. With [`Task::Classes`] it may hold integers, booleans, text, or
/// floats that are whole numbers; with [`Task::Numeric`] any finite number. Classes are ordered as
/// in a CSV file.
///
/// # Errors
/// As [`read_npy_features`]; or not one target per row, or a target that does not suit the task.
pub fn read_npy_pair(
    features: impl AsRef<Path>,
    target: impl AsRef<Path>,
    task: Task,
) -> Result<Table> {
    read_pair(Input::open(features.as_ref())?, target.as_ref(), task)
}

/// As [`read_npy_pair`].
pub(crate) fn read_pair(x: Input<'_>, y: &Path, task: Task) -> Result<Table> {
    read_inputs(x, Input::open(y)?, task)
}

/// As [`read_npy_pair`], of files or of arrays of an archive.
pub(crate) fn read_inputs(x: Input<'_>, y: Input<'_>, task: Task) -> Result<Table> {
    let (x_origin, origin) = (x.origin(), y.origin());
    let features = read_features(x)?;
    let array = open_array(y)?;
    if !matches!(array.shape(), [_] | [_, 1]) {
        return Err(Error::data(format!(
            "{origin} is of shape {}, and a target has one value per row; give the features first and the target \
             second",
            shape_text(array.shape())
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
        Task::Numeric => Target::Numeric(finite_numbers(&origin, array)?),
        Task::Classes => {
            let names = class_texts(&origin, array)?;
            let classes = names.iter().map(String::as_str).collect::<ClassColumn>().index();
            classes.map_err(|error| name_file(&origin, error))?.into()
        }
    };
    Ok(Table { features, target_name: "y".into(), target, without_class: None })
}

/// An array and its values: as many bytes as its header promises, and not one more.
type Array = NpyFile<io::Cursor<Vec<u8>>>;

fn open_array(mut input: Input<'_>) -> Result<Array> {
    let origin = input.origin();
    let header = read_header(&mut input)?;
    if header.uses_pickled_array() {
        return Err(Error::data(format!(
            "{origin} holds Python objects; save it as numbers (astype(float)) or as text \
             (astype(str))"
        )));
    }
    let item = header.dtype().num_bytes().unwrap_or(0);
    let count = header.shape().iter().try_fold(1_u64, |product, &size| product.checked_mul(size));
    // A product of zero may overflow on its way there.
    let count = if header.shape().contains(&0) { Some(0) } else { count };
    let promised =
        count.and_then(|count| usize::try_from(count).ok()?.checked_mul(item)?.checked_add(1));
    let values = match promised {
        Some(limit) => input.read_at_most(limit)?,
        None => Vec::new(),
    };
    if promised == Some(values.len() + 1) {
        return Ok(NpyFile::with_header(header, io::Cursor::new(values)));
    }
    let found = match promised {
        Some(limit) if values.len() == limit => "the file holds more".into(),
        Some(_) => format!("the file holds {} bytes", values.len()),
        None => "which no file holds".into(),
    };
    Err(Error::data(format!(
        "the header of {origin} promises {} values of {item} bytes, {found}; save it again",
        shape_text(header.shape())
    )))
}

/// Every value as a number, in the order of the file.
fn numbers(origin: &str, array: Array) -> Result<Vec<f64>> {
    let dtype = array.dtype();
    let kind = scalar(&dtype);
    let values = match kind {
        Some((TypeChar::Float, 2)) => Ok(half_numbers(&dtype, array.into_inner().get_ref())),
        Some((TypeChar::Float, 4)) => each(array, <f64 as From<f32>>::from),
        Some((TypeChar::Float, 8)) => array.into_vec(),
        Some((TypeChar::Int, 1)) => each(array, <f64 as From<i8>>::from),
        Some((TypeChar::Int, 2)) => each(array, <f64 as From<i16>>::from),
        Some((TypeChar::Int, 4)) => each(array, <f64 as From<i32>>::from),
        Some((TypeChar::Int, 8)) => each(array, |value: i64| value as f64),
        Some((TypeChar::Uint, 1)) => each(array, <f64 as From<u8>>::from),
        Some((TypeChar::Uint, 2)) => each(array, <f64 as From<u16>>::from),
        Some((TypeChar::Uint, 4)) => each(array, <f64 as From<u32>>::from),
        Some((TypeChar::Uint, 8)) => each(array, |value: u64| value as f64),
        Some((TypeChar::Bool, _)) => each(array, |value: bool| f64::from(u8::from(value))),
        _ => {
            return Err(Error::data(format!(
                "{origin} holds values of type {}, not real numbers of at most 64 bits; \
                 save it with astype(float)",
                short(&dtype.descr())
            )));
        }
    };
    values.map_err(|error| damaged(origin, error))
}

fn half_numbers(dtype: &DType, bytes: &[u8]) -> Vec<f64> {
    let big = matches!(dtype, DType::Plain(kind) if kind.endianness() == Endianness::Big);
    let halves = bytes.chunks_exact(2).map(|half| {
        let half = [half[0], half[1]];
        if big { u16::from_be_bytes(half) } else { u16::from_le_bytes(half) }
    });
    halves.map(|bits| f16::from_bits(bits).to_f64()).collect()
}

/// As [`numbers`], for a target: none may be NaN or infinite.
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
fn class_texts(origin: &str, array: Array) -> Result<Vec<String>> {
    let names = match scalar(&array.dtype()) {
        Some((TypeChar::UnicodeStr | TypeChar::ByteStr, _)) => array.into_vec(),
        Some((TypeChar::Int, 8)) => each(array, |value: i64| value.to_string()),
        Some((TypeChar::Uint, 8)) => each(array, |value: u64| value.to_string()),
        Some((TypeChar::Bool, _)) => each(array, |value: bool| value.to_string()),
        _ => return whole_numbers(origin, &finite_numbers(origin, array)?),
    };
    let names = names.map_err(|error| damaged(origin, error))?;
    match names.iter().position(|name| name.trim().is_empty()) {
        None => Ok(names.into_iter().map(|name| name.trim().to_owned()).collect()),
        Some(row) => Err(Error::data(format!(
            "{origin}: the class of row {} is empty; name the class or remove the row",
            row + 1
        ))),
    }
}

fn whole_numbers(origin: &str, values: &[f64]) -> Result<Vec<String>> {
    match values.iter().position(|value| value.fract() != 0.0) {
        // Adding zero turns -0 into 0, which is the same class.
        None => Ok(values.iter().map(|value| (value + 0.0).to_string()).collect()),
        Some(row) => Err(Error::data(format!(
            "{origin}: value {} is {}, and a class is a whole number or text; \
             give classes, or read the target with Task::Numeric",
            row + 1,
            values[row]
        ))),
    }
}

fn each<T: Deserialize, U>(array: Array, convert: impl Fn(T) -> U) -> io::Result<Vec<U>> {
    let values = array.data::<T>().map_err(io::Error::other)?;
    values.map(|value| value.map(&convert)).collect()
}

/// The type letter and the width in bytes (of text: in letters).
fn scalar(dtype: &DType) -> Option<(TypeChar, u64)> {
    match dtype {
        DType::Plain(kind) => Some((kind.type_char(), kind.size_field())),
        _ => None,
    }
}

fn damaged(origin: &str, error: io::Error) -> Error {
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
