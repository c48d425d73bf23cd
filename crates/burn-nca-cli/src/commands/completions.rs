//! `nca completions`: what a shell needs to complete the command line.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::output;

/// Prints the completions of a shell.
///
/// # Errors
/// A closed stdout.
pub fn run(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "nca", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
