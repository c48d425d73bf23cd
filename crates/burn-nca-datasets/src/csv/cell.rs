//! One cell: a finite number or a class, or the reason why not.

/// The words by which spreadsheets and statistics programs mark a missing value.
const MISSING: [&str; 6] = ["NA", "N/A", "#N/A", "null", "None", "?"];

const FILL: &str = "fill the value in or remove the row";

/// A finite number; `text_cure` says what to do about a cell that holds text.
pub(super) fn number(cell: &str, text_cure: &str) -> Result<f64, String> {
    match cell.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(number) if number.is_nan() => Err(format!("the value is NaN; {FILL}")),
        Ok(_) => Err(format!("the value is infinite ({cell}); {FILL}")),
        Err(_) if cell.is_empty() => Err(format!("the cell is empty; {FILL}")),
        Err(_) if MISSING.contains(&cell) => Err(format!("the value is missing ({cell}); {FILL}")),
        Err(_) => Err(format!("{cell:?} is not a number; {text_cure}")),
    }
}

/// The name of a class.
pub(super) fn class(cell: &str) -> Result<String, String> {
    const NAME: &str = "name the class or remove the row";
    if cell.is_empty() {
        return Err(format!("the class is empty; {NAME}"));
    }
    match cell.parse::<f64>() {
        Ok(number) if !number.is_finite() => Err(format!("the class is {cell}; {NAME}")),
        _ => Ok(cell.to_owned()),
    }
}
