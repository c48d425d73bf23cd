//! One cell: a finite number or a class, or the reason why not.

use crate::tables::{is_date, unread_number};

use super::missing::Spellings;
use crate::excerpt::{quoted, short};
use crate::readers::text_format::DecimalSign;

/// What a cell came to that is no value.
pub(super) enum Flaw {
    /// It is empty, or spells a missing value.
    Missing,
    /// It is something else, for this reason.
    Bad(String),
}

/// A finite number; `text_cure` says what to do about a cell that holds text.
///
/// Without a `text_cure` it is a text among numbers.
pub(super) fn number(
    cell: &str,
    (decimal, missing): (DecimalSign, &Spellings),
    text_cure: Option<&str>,
) -> Result<f64, Flaw> {
    match decimal.parse(cell) {
        // A number may be how a missing value is spelled, where the user says so.
        _ if missing.is_named(cell) => Err(Flaw::Missing),
        Some(number) if number.is_finite() => Ok(number),
        _ if missing.is_missing_number(cell) => Err(Flaw::Missing),
        Some(_) => Err(infinite("value", cell)),
        None => {
            let shown = quoted(cell);
            let what = likeness(cell).map_or("not a number".to_string(), |likeness| {
                format!("not a number but {likeness}")
            });
            Err(Flaw::Bad(match (number_cure(cell, decimal), text_cure) {
                (Some(cure), _) => format!("{shown} is not a number here; {cure}"),
                (None, Some(cure)) => format!("{shown} is {what}; {cure}"),
                (None, None) => format!(
                    "{shown} is {what}; correct it, or name {shown} among the missing values"
                ),
            }))
        }
    }
}

/// The name of a class.
pub(super) fn class<'c>(cell: &'c str, missing: &Spellings) -> Result<&'c str, Flaw> {
    if missing.is_missing(cell) {
        return Err(Flaw::Missing);
    }
    if cell.contains('\0') {
        return Err(Flaw::Bad(with_nul(cell)));
    }
    match cell.parse::<f64>() {
        Ok(number) if number.is_infinite() => Err(infinite("class", cell)),
        _ => Ok(cell),
    }
}

/// What is wrong with a text that holds a character of code 0.
pub(crate) fn with_nul(cell: &str) -> String {
    format!("{} holds a NUL character (code 0), as a damaged file does; remove it", quoted(cell))
}

fn infinite(what: &str, cell: &str) -> Flaw {
    Flaw::Bad(format!(
        "the {what} is infinite ({}); write a finite one or remove the row",
        short(cell)
    ))
}

/// The cure of a number that is written in a way that is not read: `1,5`, `1,234.5` or `12 %`; and of a date.
fn number_cure(cell: &str, decimal: DecimalSign) -> Option<&'static str> {
    if is_date(cell) {
        return Some(
            "it looks like a date: write what matters of it as numbers (the year, the day of the week, days since a \
             start), or leave the column out",
        );
    }
    if decimal == DecimalSign::Comma && cell.contains('.') {
        return Some(
            "write numbers with a decimal comma, as was asked for, and without thousands separators, as in 1234,5",
        );
    }
    let mut words = cell.split_whitespace();
    if words.clone().count() > 1 && words.all(|word| word.parse::<f64>().is_ok_and(f64::is_finite))
    {
        return Some("these are several numbers: read the file with the separator space");
    }
    unread_number(cell)
}

/// What a text with a number in it looks like: a bound such as `<0.5`, or a number and its unit.
fn likeness(cell: &str) -> Option<&'static str> {
    let reads = |text: &str| text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    if cell
        .strip_prefix(['<', '>', '≤', '≥', '~', '≈'])
        .is_some_and(|rest| reads(rest.strip_prefix('=').unwrap_or(rest)))
    {
        return Some("a bound (write the limit itself, or leave the cell empty)");
    }
    let (number, unit) = cell.split_once(' ')?;
    let is_unit =
        !unit.is_empty() && unit.len() <= 8 && !unit.contains(|sign: char| sign.is_ascii_digit());
    (reads(number) && is_unit).then_some("a number with its unit (write the unit in the header)")
}
