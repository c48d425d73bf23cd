//! Table 1 of the paper that introduced latent coincidence analysis (Der and Saul, NIPS 2012), measured again, with
//! NCA for comparison.
//!
//! ```text
//! sets (rows, protocol) ──► cell (one method on one split) ──► store ──► report
//!       reduce, deslant      method
//! ```
//! A new column of the table is a variant of `Method` (`method.rs`). `figures` measures figures 2 and 4 and draws figure 3; figure 5
//! is the table as bars. `chosen` is LMNN with settings that held-out rows choose.

mod arguments;
mod cell;
mod chosen;
mod deslant;
mod draw;
mod energies;
mod figures;
mod gaussian;
mod method;
mod paper;
mod passes;
mod reduce;
mod report;
mod run;
mod sets;
mod store;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

// Large buffers come and go with every pass over the data: the system allocator's page faults cost up to half
// of a fit's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let run = match (arguments.figures, arguments.choose) {
        (true, _) => figures::run,
        (_, true) => chosen::run,
        _ => run::run,
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            burn_nca_program::eprint_line(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
