//! What is refused of sparse tables, whatever the format of their file.

use crate::{Error, Result};

/// Rows that a file of few entries may have; beyond, there must be entries for one row in [`ROWS_AN_ENTRY`].
const FEW_ROWS: usize = 1 << 16;

/// Empty rows, and columns, cost memory, too.
const ROWS_AN_ENTRY: usize = 16;

/// Refuses a sparse table that is nearly nothing but empty rows or columns.
pub(crate) fn check_emptiness(
    origin: &str,
    [rows, columns]: [usize; 2],
    entries: usize,
) -> Result<()> {
    for (name, size) in [("rows", rows), ("columns", columns)] {
        if size > FEW_ROWS && size / ROWS_AN_ENTRY > entries {
            return Err(Error::data(format!(
                "{origin} has {size} {name} and only {entries} entries; leave out {name} without an entry"
            )));
        }
    }
    Ok(())
}

pub(crate) fn missing_labels_error(rows: &str) -> Error {
    Error::data(format!(
        "{rows} is a sparse table without its targets; give the pair FILE.mtx,TARGETS.csv or FILE.npz,TARGETS.csv"
    ))
}
