//! What a program says while it works: on stderr, and never at the cost of the work.

use std::io::{self, Write};

use crate::printable::printable;

/// Says a line on stderr, its control characters escaped. A stderr that is closed or full ends no run: the line is lost, the work continues.
pub fn eprint_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}
