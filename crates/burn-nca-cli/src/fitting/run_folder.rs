//! The folder of a run of `nca`, and what is kept there to go on with.

use std::path::Path;

use anyhow::Result;
use burn_nca_program::RunFolder;

/// The state of an interrupted fit.
pub const CHECKPOINT: &str = "checkpoint.json";
/// The finished trials of an interrupted search.
pub const TRIALS: &str = "trials.json";

/// Prepares the folder of a new run, or goes on with an interrupted one.
///
/// # Errors
/// As [`RunFolder::open`].
pub fn open(target: &Path, resume: bool) -> Result<RunFolder> {
    RunFolder::open(target, resume, &[CHECKPOINT, TRIALS])
}
