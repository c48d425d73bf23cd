//! `nca report`: the page of a run, or its picture, written again from its numbers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use burn_nca_files::read_regular_text;

use crate::cli::ReportArgs;
use crate::failure::hinted;
use crate::fitting::run_folder::{REPORT_JSON, REPORT_PAGE};
use crate::output;
use burn_nca_report::{FORMAT, Report, picture_file};

pub fn run(args: &ReportArgs) -> Result<()> {
    let report = open(&args.run)?;
    let page = args.run.join(REPORT_PAGE);
    let mut written = &args.picture[..];
    if written.is_empty() {
        output::write_file(&page, report.page().as_bytes())?;
        written = std::slice::from_ref(&page);
    } else {
        write_pictures(&report, written)?;
    }
    let paths: Vec<String> = written.iter().map(|path| format!("{}\n", path.display())).collect();
    output::print_text(&paths.concat())
}

pub fn write_pictures(report: &Report, paths: &[PathBuf]) -> Result<()> {
    for path in paths {
        output::write_file(path, &picture_file(report, path)?)?;
    }
    Ok(())
}

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
        bail!(hinted(
            format!("{} has {found}, this program reads format {FORMAT}", path.display()),
            "use the program that wrote it, or fit again"
        ));
    }
    Report::from_document(document).with_context(|| {
        format!("{} is not a complete report; correct it, or fit again", path.display())
    })
}
