use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::fit::{REPORT_JSON, REPORT_PAGE};
use crate::output;
use crate::report::{FORMAT, Report, page};

/// Writes a run's page again from its numbers.
///
/// # Errors
/// A folder without a readable `report.json`, or one of another version.
pub fn run(folder: &Path) -> Result<()> {
    let path = folder.join(REPORT_JSON);
    let text = fs::read_to_string(&path).with_context(|| {
        format!("{} cannot be read; give the folder that nca fit --out wrote", path.display())
    })?;
    let report = read(&path, &text)?;
    let page_path = folder.join(REPORT_PAGE);
    output::write_file(&page_path, page::render(&report).as_bytes())?;
    output::print(&format!("{}\n", page_path.display()))
}

fn read(path: &Path, text: &str) -> Result<Report> {
    let document: serde_json::Value = serde_json::from_str(text)
        .with_context(|| format!("{} is not JSON; fit again", path.display()))?;
    let format = document.get("format").and_then(serde_json::Value::as_u64);
    if format != Some(u64::from(FORMAT)) {
        let found = format.map_or("no format".to_string(), |format| format!("format {format}"));
        bail!(
            "{} has {found}, this program reads format {FORMAT}; use the program that wrote it, or fit again",
            path.display()
        );
    }
    Report::from_json(text)
        .with_context(|| format!("{} is not a report; fit again", path.display()))
}
