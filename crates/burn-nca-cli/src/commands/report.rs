use std::path::Path;

use anyhow::{Context, Result, bail};
use burn_nca_files::read_regular_text;

use super::fit::{REPORT_JSON, REPORT_PAGE};
use crate::output;
use crate::report::continuous::{self, ContinuousReport};
use crate::report::{FORMAT, Report, page};

/// Writes a run's page again from its numbers.
///
/// # Errors
/// A folder without a readable `report.json`, or one of another version, or one whose fields do not fit together.
pub fn run(folder: &Path) -> Result<()> {
    let page = match open(folder)? {
        AnyReport::Classes(report) => page::render(&report),
        AnyReport::Continuous(report) => continuous::page::render(&report),
    };
    let page_path = folder.join(REPORT_PAGE);
    output::write_file(&page_path, page.as_bytes())?;
    output::print_text(&format!("{}\n", page_path.display()))
}

/// The numbers of a run.
pub(super) enum AnyReport {
    /// Of a fit of classes.
    Classes(Box<Report>),
    /// Of a fit of numbers or pairs.
    Continuous(Box<ContinuousReport>),
}

/// The numbers of a run.
///
/// # Errors
/// As [`run`].
pub(super) fn open(folder: &Path) -> Result<AnyReport> {
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
    let no_report = || format!("{} is no whole report; correct it, or fit again", path.display());
    Ok(if document.get("kind").is_some() {
        AnyReport::Continuous(Box::new(ContinuousReport::from_json(&text).with_context(no_report)?))
    } else {
        AnyReport::Classes(Box::new(Report::from_json(&text).with_context(no_report)?))
    })
}
