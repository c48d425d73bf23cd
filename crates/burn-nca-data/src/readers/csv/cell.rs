//! One cell: a finite number or a class, or the reason why not.

use crate::tables::is_number;
use crate::{DecimalSign, Hint, Message, Setting, is_date, number_hints, quoted};

use super::missing::Spellings;
use crate::excerpt::short;

/// A finite number, `None` of a missing value, or what is wrong with the cell; `text_hints` say what to do about one that
/// holds text.
///
/// Without them it is a text among numbers.
pub(super) fn number(
    cell: &str,
    (decimal, missing): (DecimalSign, &Spellings),
    text_hints: Option<&[Hint]>,
) -> Result<Option<f64>, Message> {
    match decimal.parse(cell) {
        // A number may be how a missing value is spelled, where the user says so.
        _ if missing.is_named(cell) => Ok(None),
        Some(number) if number.is_finite() => Ok(Some(number)),
        _ if missing.is_missing_number(cell) => Ok(None),
        Some(_) => Err(infinite("value", cell)),
        None => {
            let shown = quoted(cell);
            let what = likeness(cell).map_or("not a number".to_string(), |likeness| {
                format!("not a number but {likeness}")
            });
            let message = |text: &str| Message::from(format!("{shown} is {text}"));
            Err(match (number_flaw(cell, decimal), text_hints) {
                (Some((why, hints)), _) => {
                    message(&format!("not a number here{why}")).with_hints(hints)
                }
                (None, Some(hints)) => message(&what).with_hints(hints.iter().cloned()),
                (None, None) => message(&what)
                    .with_hint(Hint::edit("correct it"))
                    .with_hint(Setting::MissingValue(cell.to_string())),
            })
        }
    }
}

/// The name of a class, `None` of a missing value; `inf` is one among words, not among numbers.
pub(super) fn class<'c>(
    cell: &'c str,
    missing: &Spellings,
    among_numbers: bool,
) -> Result<Option<&'c str>, Message> {
    if missing.is_missing(cell) {
        return Ok(None);
    }
    if cell.contains('\0') {
        return Err(with_nul(cell).into());
    }
    infinite_class(cell, among_numbers).map_or(Ok(Some(cell)), Err)
}

/// What is wrong with an infinite class among numbers.
pub(crate) fn infinite_class(cell: &str, among_numbers: bool) -> Option<Message> {
    let is_infinite = || cell.parse::<f64>().is_ok_and(f64::is_infinite);
    (among_numbers && is_infinite()).then(|| infinite("class", cell))
}

pub(crate) fn with_nul(cell: &str) -> String {
    format!("{} holds a NUL character (code 0), as a damaged file does; remove it", quoted(cell))
}

pub(crate) fn infinite(what: &str, cell: &str) -> Message {
    let shown = short(cell);
    format!("the {what} is infinite ({shown}); write a finite one or remove the row").into()
}

/// Why a number that is written in a way that is not read (`1,5`, `1,234.5`, `12 %`) or a date is none, and what to do.
fn number_flaw(cell: &str, decimal: DecimalSign) -> Option<(&'static str, Vec<Hint>)> {
    if is_date(cell) {
        let edit = "write what matters of it as numbers (the year, the day of the week, days since a start)";
        return Some((" but looks like a date", vec![Hint::edit(edit), Setting::Ignore.into()]));
    }
    if decimal == DecimalSign::Comma && cell.contains('.') {
        let edit = "write numbers with a decimal comma, as was asked for, and without thousands separators, as in 1234,5";
        return Some(("", vec![Hint::edit(edit)]));
    }
    let mut words = cell.split_whitespace();
    if words.clone().count() > 1 && words.all(is_number) {
        let edit = Hint::edit("write one number per cell");
        return Some((" but several", vec![edit, Setting::SeparatorSpace.into()]));
    }
    number_hints(cell).map(|hints| ("", hints))
}

/// What a text with a number in it looks like: a bound such as `<0.5`, or a number and its unit.
fn likeness(cell: &str) -> Option<&'static str> {
    let bound = cell.strip_prefix(['<', '>', '≤', '≥', '~', '≈']);
    if bound.is_some_and(|rest| is_number(rest.strip_prefix('=').unwrap_or(rest).trim())) {
        return Some("a bound (write the limit itself, or leave the cell empty)");
    }
    let (number, unit) = cell.split_once(' ')?;
    let is_unit =
        !unit.is_empty() && unit.len() <= 8 && !unit.contains(|sign: char| sign.is_ascii_digit());
    (is_number(number.trim()) && is_unit)
        .then_some("a number with its unit (write the unit in the header)")
}
