//! One cell: a finite number or a class, or the reason why not.

use crate::tables::is_date;

use super::missing::{is_missing, is_missing_number};
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
pub(super) fn number(cell: &str, decimal: DecimalSign, text_cure: &str) -> Result<f64, Flaw> {
    match decimal.parse(cell) {
        Some(number) if number.is_finite() => Ok(number),
        _ if is_missing_number(cell) => Err(Flaw::Missing),
        Some(_) => Err(infinite("value", cell)),
        None => Err(Flaw::Bad(match number_cure(cell, decimal) {
            Some(cure) => format!("{} is not a number here; {cure}", quoted(cell)),
            None => format!("{} is not a number; {text_cure}", quoted(cell)),
        })),
    }
}

/// The name of a class.
pub(super) fn class(cell: &str) -> Result<&str, Flaw> {
    if is_missing(cell) {
        return Err(Flaw::Missing);
    }
    match cell.parse::<f64>() {
        Ok(number) if !number.is_finite() => Err(infinite("class", cell)),
        _ => Ok(cell),
    }
}

fn infinite(what: &str, cell: &str) -> Flaw {
    Flaw::Bad(format!(
        "the {what} is infinite ({}); write a finite one or remove the row",
        short(cell)
    ))
}

/// The cure of a number that is written in a way that is not read: `1,5`, `1,234.5` or `12 %`; and of a date.
fn number_cure(cell: &str, decimal: DecimalSign) -> Option<&'static str> {
    let reads = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
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
    if cell.contains(',') && (reads(&cell.replace(',', ".")) || reads(&cell.replace(',', ""))) {
        return Some(
            "write numbers with a decimal point and without thousands separators, as in 1234.5",
        );
    }
    let share = cell.strip_suffix('%')?;
    reads(share.trim_end()).then_some("write numbers without the percent sign")
}
