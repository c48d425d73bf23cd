//! The commands: a file each, or a few lines here.

mod demo;
mod devices;
mod evaluate;
mod export;
mod fit;
mod info;
mod loaded;
mod methods;
mod predict;
mod report;
mod training_rows;
mod transform;

use anyhow::Result;
use burn_nca_data::catalog;
use burn_nca_program::Terminal;
use burn_nca_program::terminal::listing;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{Cli, Command};
use crate::{logging, output};

pub fn run(cli: Cli) -> Result<()> {
    logging::start(cli.verbose);
    match cli.command {
        Command::Fit(args) => fit::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Devices { test } => devices::run(test),
        Command::Methods(args) => methods::run(&args),
        Command::Datasets => list_datasets(),
        Command::Demo(args) => demo::run(&args),
        Command::Completions { shell } => print_completions(shell),
    }
}

fn list_datasets() -> Result<()> {
    let lines = catalog().iter().map(|set| (set.name.to_string(), set.description.to_string()));
    output::print(&listing(&lines.collect::<Vec<_>>(), Terminal::of_stdout()))
}

fn print_completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "nca", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
