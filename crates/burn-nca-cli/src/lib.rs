//! The program `nca` as a function, which the program and the Python package call.

mod cli;
mod commands;
mod failure;
mod fitting;
mod hint;
mod logging;
mod output;
mod process;
mod source;
mod tables;

use std::ffi::OsString;

use clap::Parser;

/// Runs the program with these arguments, of which the first is its name, and returns its exit code.
///
/// Wrong usage and `--help` end the process, as a program does.
pub fn run(arguments: Vec<OsString>) -> u8 {
    let cli = cli::Cli::parse_from(&arguments);
    process::keep_arguments(arguments);
    let command = match cli.command {
        cli::Command::Fit(_) => hint::CommandKind::Fit,
        cli::Command::Predict(_) | cli::Command::Transform(_) => hint::CommandKind::Embed,
        _ => hint::CommandKind::Use,
    };
    match commands::run(cli) {
        Ok(()) => 0,
        // `nca … | head` closes the pipe when it has seen enough.
        Err(error) if failure::is_closed_pipe(&error) => 0,
        Err(error) => {
            output::eprint_line(&format!("error: {}", failure::text(&error)));
            output::hint(failure::hint(&error, command).as_deref());
            failure::exit_code(&error)
        }
    }
}
