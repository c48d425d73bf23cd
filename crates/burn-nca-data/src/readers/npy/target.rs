//! The target of each row: an array of numbers, of text or of a column per class.

use super::header::Header;
use super::numbers::decoder;
use super::{Array, numbers, open_array, texts_of};
use crate::readers::class_names::classes_of;
use crate::readers::input::Input;
use crate::readers::promised::shape_text;
use crate::{Error, Hint, Message, Result, Setting, Target, TargetKind, TextValues};

/// The class that is none: the row of a NaN among labels.
pub(super) const NO_CLASS: &str = "NaN";

/// The target of each row of the array `x` of so many rows, and what to know of how it was read.
pub(super) fn read(
    y: Input<'_>,
    (x, rows): (&str, usize),
    task: TargetKind,
) -> Result<(Target, Vec<Message>)> {
    let origin = y.origin();
    let array = open_array(y)?;
    let shape = &array.header.shape[..];
    if !matches!(shape, [_] | [_, 1] | [1, _]) {
        if task == TargetKind::Classes
            && let Some(target) = one_hot(&array, rows)
        {
            let note = format!("{origin}: a column of 0 and 1 per class is read as classes from 0");
            return Ok((target, vec![note.into()]));
        }
        let cure = match shape {
            [n, _] if *n == rows as u64 => "save one column, as in y[:, 0]",
            _ => "give the features first and the target second",
        };
        return Err(Error::data(format!(
            "{origin} is of shape {}, and a target has one value per row; {cure}",
            shape_text(shape)
        )));
    }
    if array.len() != rows {
        return Err(Error::data(format!(
            "{x} has {rows} rows and {origin} has {} values; give the two arrays of one set",
            array.len()
        )));
    }
    match task {
        TargetKind::Numeric => Ok((Target::Numeric(finite_numbers(&origin, &array)?), Vec::new())),
        TargetKind::Classes => {
            let (labels, names) = classes_of(&class_names(&origin, &array)?);
            let has_nan = array.header.kind.is_text() && names.iter().any(|name| name == NO_CLASS);
            let note = has_nan.then(|| {
                format!(
                    "{origin}: \"nan\" is read as no class, which NumPy writes so in text; rename it if it is a class"
                )
            });
            Ok((Target::Classes { labels, names }, note.into_iter().map(Message::from).collect()))
        }
    }
}

/// The classes of an array `[n, c]` of one 1 per row and zeros.
fn one_hot(Array { header, bytes }: &Array, rows: usize) -> Option<Target> {
    let [n, classes] = header.shape[..] else { return None };
    let classes = usize::try_from(classes).ok().filter(|_| n == rows as u64)?;
    let mut values = Vec::new();
    if decoder(&header.kind)?(bytes, header.kind.is_big, &mut values).is_some() {
        return None;
    }
    let place =
        |row, class| if header.by_column { class * rows + row } else { row * classes + class };
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

/// As [`numbers`], for a target: none may be NaN or infinite.
fn finite_numbers(origin: &str, array: &Array) -> Result<Vec<f64>> {
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
fn class_names(origin: &str, array: &Array) -> Result<TextValues> {
    let Array { header: Header { kind, .. }, bytes } = array;
    // Integers are exact beyond 2^53, too.
    let from = if kind.is_big { i64::from_be_bytes } else { i64::from_le_bytes };
    let eights = bytes.as_chunks::<8>().0.iter().map(|value| from(*value));
    match (kind.letter, kind.width) {
        ('U' | 'S', _) => texts(origin, array),
        ('i', 8) => Ok(spelled(eights)),
        ('u', 8) => Ok(spelled(eights.map(i64::cast_unsigned))),
        ('b', 1) => Ok(spelled(numbers(origin, array)?.into_iter().map(|value| value != 0.0))),
        _ => whole_numbers(origin, &numbers(origin, array)?),
    }
}

/// The values of a column as text.
fn spelled(values: impl IntoIterator<Item = impl ToString>) -> TextValues {
    values.into_iter().map(|value| Some(value.to_string())).collect()
}

fn texts(origin: &str, array: &Array) -> Result<TextValues> {
    let names = texts_of(origin, array)?;
    match names.iter().position(|name| name.trim().is_empty()) {
        // NaN becomes `nan` where an array is made text.
        None => Ok(names
            .iter()
            .map(|name| name.trim())
            .map(|name| Some(if name.eq_ignore_ascii_case(NO_CLASS) { NO_CLASS } else { name }))
            .collect()),
        Some(row) => Err(Error::data(format!(
            "{origin}: the class of row {} is empty; name the class or remove the row",
            row + 1
        ))),
    }
}

fn whole_numbers(origin: &str, values: &[f64]) -> Result<TextValues> {
    if values.iter().all(|value| value.is_nan()) {
        return Err(Error::data(format!(
            "{origin}: no row has a class; give a class to some rows"
        )));
    }
    match values.iter().position(|value| !value.is_nan() && value.fract() != 0.0) {
        // Adding zero turns -0 into 0, which is the same class.
        None => Ok(spelled(values.iter().map(|value| value + 0.0))),
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
