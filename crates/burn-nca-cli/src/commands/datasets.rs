//! `nca datasets`: the sets that need no file.

use anyhow::Result;
use burn_nca_datasets::catalogue;

use crate::output;

/// Lists the sets that need no file.
///
/// # Errors
/// A closed stdout.
pub fn run() -> Result<()> {
    let width = catalogue().iter().map(|set| set.name.len()).max().unwrap_or(0);
    let lines = catalogue().iter().map(|set| format!("{:width$}  {}\n", set.name, set.description));
    output::print(&lines.collect::<String>())
}
