//! What a baseline needs of the data, refused with the number and the cure.

use super::Groups;
use crate::error::{Error, Result};

/// Refuses data of fewer than two rows.
pub(super) fn require_two_rows(method: &str, rows: usize) -> Result<()> {
    if rows < 2 {
        return Err(Error::data(format!(
            "{method} needs at least two rows, the data have {rows}; add rows"
        )));
    }
    Ok(())
}

/// Refuses a map to no dimension.
pub(super) fn require_dimensions(method: &str, d_output: usize) -> Result<()> {
    if d_output == 0 {
        return Err(Error::setting(format!(
            "{method} was asked for 0 dimensions; ask for 1 or more"
        )));
    }
    Ok(())
}

/// Refuses data in which fewer than two classes have rows.
pub(super) fn require_two_classes(method: &str, groups: &Groups<'_>, cure: &str) -> Result<()> {
    let present = groups.counts().len();
    if present < 2 {
        return Err(Error::data(format!(
            "{method} needs at least two classes with rows, the data have {present}; {cure}"
        )));
    }
    Ok(())
}
