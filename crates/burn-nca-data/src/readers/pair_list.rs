//! Pairs of rows that belong together, from a file.

use crate::readers::csv::{Record, Records, refuse_other_formats, separator_of};
use crate::readers::input::{Input, STANDARD_INPUT};
use crate::{DecimalSign, Error, Pairs, Result, quoted};
use std::path::Path;

/// Reads pairs of rows that belong together, for learning without labels.
///
/// ```text
/// a,b,weight         a header line, if any
/// 1,2,1              row 1 and row 2 of the data, counted from 1; the weight is 1 where it is left out
/// 2,3,0.5
/// ```
/// `rows` is the number of rows of the data. `.csv`, `.csv.gz`, or `-` for standard input; blank lines do
/// not matter.
///
/// # Errors
/// The file cannot be read or holds no pair; a line that is not `row,row` or `row,row,weight`; a row number
/// that is not a whole number from 1 to `rows`, a row paired with itself, or a weight that is negative or
/// not finite (the line is named); or no pair of positive weight.
pub fn read_pairs(path: impl AsRef<Path>, rows: usize) -> Result<Pairs> {
    let path = path.as_ref();
    let is_standard_input = path.as_os_str() == STANDARD_INPUT;
    let input = if is_standard_input { Input::standard_input()? } else { Input::open(path)? };
    refuse_other_formats(&input)?;
    let origin = input.origin();
    let separator = separator_of(input.start(), DecimalSign::Point);
    let mut records = Records::new(input, separator)?;
    let mut pairs = Vec::new();
    let mut header_may_come = true;
    while let Some(record) = records.read_filled()? {
        let is_header = header_may_come && record.fields().all(|cell| cell.parse::<f64>().is_err());
        header_may_come = false;
        if !is_header {
            let flaw = |flaw| Error::data(format!("{origin}, line {}: {flaw}", record.line));
            pairs.push(pair(record, rows).map_err(flaw)?);
        }
    }
    if pairs.is_empty() {
        return Err(Error::data(format!(
            "{origin} holds no pair; write one a line, as in 1,2 or 1,2,0.5 (row, row, weight)"
        )));
    }
    Pairs::new(rows, pairs).map_err(|error| Error::data(format!("{origin}: {error}")))
}

/// One line as a pair of rows counted from 0, or what is wrong with it.
fn pair(record: &Record, rows: usize) -> Result<(usize, usize, f64), String> {
    let weight = match record.len() {
        2 => 1.0,
        3 => weight(record.field(2))?,
        cells => {
            return Err(format!(
                "the number of cells is {cells}; a pair is row,row or row,row,weight"
            ));
        }
    };
    let (a, b) = (row(record.field(0), rows)?, row(record.field(1), rows)?);
    if a == b {
        return Err(format!("row {} is paired with itself; remove the line", a + 1));
    }
    Ok((a, b, weight))
}

fn row(cell: &str, rows: usize) -> Result<usize, String> {
    match cell.parse::<usize>() {
        Ok(row) if (1..=rows).contains(&row) => Ok(row - 1),
        Ok(row) => Err(format!(
            "there is no row {row}: the data have {rows} rows, counted from 1; correct the number"
        )),
        Err(_) => {
            Err(format!("{} is no row number; give a whole number from 1 to {rows}", quoted(cell)))
        }
    }
}

fn weight(cell: &str) -> Result<f64, String> {
    match cell.parse::<f64>() {
        Ok(weight) if weight >= 0.0 && weight.is_finite() => Ok(weight),
        Ok(weight) => Err(format!("the weight is {weight}; give a finite number of 0 or more")),
        Err(_) => Err(format!("{} is no weight; give a finite number of 0 or more", quoted(cell))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::temporary::file;

    fn read(text: &str, rows: usize) -> Result<Pairs> {
        let (_folder, path) = file("pairs.csv", text);
        read_pairs(path, rows)
    }

    #[test]
    fn a_header_blank_lines_and_weights_are_up_to_the_writer() {
        let expected = [(0, 2, 1.0), (1, 2, 0.25)];
        for text in
            ["1,3\n2,3,0.25\n", "a,b,weight\n 1 , 3 ,1\n\n2,3,0.25", "a,b\r\n1,3\r\n2,3,.25"]
        {
            assert_eq!(read(text, 3).unwrap().iter().collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
