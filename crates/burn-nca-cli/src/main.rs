//! `nca`: neighborhood components analysis from the command line; a thin shell over the library.

mod cli;
mod commands;
mod date;
mod failure;
mod fitting;
mod hint;
mod logging;
mod output;
mod process;
mod source;
mod tables;

use std::process::ExitCode;

use clap::Parser;

// Large buffers come and go with every pass over the data: the system allocator's page faults cost up to half
// of a fit's time on the CPU.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let command = match cli.command {
        cli::Command::Fit(_) => hint::CommandKind::Fit,
        _ => hint::CommandKind::Use,
    };
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        // `nca … | head` closes the pipe when it has seen enough.
        Err(error) if failure::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::eprint_line(&format!("error: {}", failure::text(&error)));
            output::hint(failure::hint(&error, command).as_deref());
            failure::exit_code(&error)
        }
    }
}
