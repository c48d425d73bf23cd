//! The experiment of J. J. Naudé and M. A. van Wyk, Generalized Similarity Metric Learning for a Variable Kernel
//! Classifier (2002), measured again: figures 3 and 4.
//!
//! ```text
//! cell (one noise, correlation and seed: all methods) ──► run (store, resume) ──► results ──► report
//! method, bayes                                                                               SVG, Markdown, JSON
//! ```

mod bayes;
mod cell;
mod method;
mod report;
mod results;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

// Large buffers come and go with every pass over the data: the system allocator's page faults cost up to half
// of a fit's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = "\
Examples, each after `cargo run --release -p gvsm-2002 --`:
  --seeds 2 --out runs/look     a first look
  --out runs/gvsm               both figures

Ctrl-C stops it; the same command with --resume resumes it.";

/// Measures the accuracy of VSM, GVSM and NCA on noisy exclusive-or against the correlation of the noise, and writes a
/// report with both figures of the paper.
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    /// New folder for the report, the figures and results.json.
    #[arg(long, value_name = "FOLDER", default_value = "runs/gvsm-2002")]
    pub out: PathBuf,

    /// Random training and test sets at each point of a curve.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,

    /// Random rows that each Bayes limit is taken on; with the default its standard error is below 0.1 points.
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_rows: u32,

    /// Resume the interrupted run of --out.
    #[arg(long)]
    pub resume: bool,

    /// No progress bar.
    #[arg(long, short)]
    pub quiet: bool,
}

fn main() -> ExitCode {
    match run::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            burn_nca_program::eprint_line(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
