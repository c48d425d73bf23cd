//! `nca datasets`: the sets that need no file.

use anyhow::Result;
use burn_nca_data::catalog;
use burn_nca_program::Terminal;
use burn_nca_program::terminal::listing;

use crate::output;

/// Lists the sets that need no file.
///
/// # Errors
/// A closed stdout.
pub fn run() -> Result<()> {
    let lines = catalog().iter().map(|set| (set.name.to_string(), set.description.to_string()));
    output::print(&listing(&lines.collect::<Vec<_>>(), Terminal::of_stdout()))
}
