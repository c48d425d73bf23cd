//! The tables of Cui Xiao's slides on NCA, measured again: k-NN on iris, and the time of three ways to write the
//! gradient.
//!
//! ```text
//! iris (k-NN and NCA on one split) ──┐
//! spelling (three gradients) ──► timing ──┴──► report: Markdown, JSON, SVG, PNG
//! ```

mod iris;
mod report;
mod spelling;
mod timing;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use burn_nca_learn::device;
use burn_nca_program::{Bar, RunFolder, print, write_file};
use clap::Parser;

use report::Results;

/// Measures the slides' iris table and their timing table, and writes a report.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 100)]
struct Arguments {
    /// New folder for REPORT.md, the figure and results.json.
    #[arg(long, value_name = "FOLDER", default_value = "runs/slides")]
    out: PathBuf,

    /// No progress bar.
    #[arg(long, short)]
    quiet: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            burn_nca_program::eprint_line(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Measures both tables. It takes seconds, so that there is nothing to resume.
fn run(args: &Arguments) -> Result<()> {
    let folder = RunFolder::open(&args.out, false, &[])?;
    let device = device::open("cpu")?;
    let sets = timing::sets()?;
    let bar = Bar::new("{bar:24} {percent} %  {msg}", args.quiet).with_length(1 + sets.len());
    let scores = iris::scores(&device)?;
    bar.step(1, "timing".to_string());
    let mut times = Vec::new();
    for set in &sets {
        times.push(set.measure(&device)?);
        bar.step(1 + times.len(), "timing".to_string());
    }
    bar.finish();
    let results = Results::new(scores, times);
    report::figure(&results)?.write(&folder.file("iris"))?;
    let text = report::markdown(&results);
    write_file(&folder.file("REPORT.md"), text.as_bytes())?;
    write_file(&folder.file("results.json"), &serde_json::to_vec_pretty(&results)?)?;
    folder.finish()?;
    print(&format!("{text}\nreport: {}\n", args.out.join("REPORT.md").display()))
}
