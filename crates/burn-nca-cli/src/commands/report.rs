//! `nca report`: the page of a run, written again from its numbers.

use std::path::Path;

use anyhow::{Context, Result, bail};
use burn_nca_files::read_regular_text;

use crate::fitting::run_folder::{REPORT_JSON, REPORT_PAGE};
use crate::output;
use crate::report::{FORMAT, Report};

/// Writes a run's page again from its numbers.
///
/// # Errors
/// A folder without a readable `report.json`, or one of another version, or one whose fields do not fit together.
pub fn run(folder: &Path) -> Result<()> {
    let page_path = folder.join(REPORT_PAGE);
    output::write_file(&page_path, open(folder)?.page().as_bytes())?;
    output::print_text(&format!("{}\n", page_path.display()))
}

/// The numbers of a run.
///
/// # Errors
/// As [`run`].
fn open(folder: &Path) -> Result<Report> {
    let path = folder.join(REPORT_JSON);
    let text = read_regular_text(&path).with_context(|| {
        format!("{} cannot be read; give the folder that nca fit --out wrote", path.display())
    })?;
    let document: serde_json::Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is not JSON; fit again", path.display()))?;
    let format = document.get("format").and_then(serde_json::Value::as_u64);
    if format != Some(u64::from(FORMAT)) {
        let found = format.map_or("no format".to_string(), |format| format!("format {format}"));
        bail!(
            "{} has {found}, this program reads format {FORMAT}; use the program that wrote it, or fit again",
            path.display()
        );
    }
    Report::from_document(document)
        .with_context(|| format!("{} is no whole report; correct it, or fit again", path.display()))
}
