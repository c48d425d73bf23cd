//! The experiments of the paper that introduced NCA, measured again: figures 1 and 2 of Goldberger, Roweis, Hinton
//! and Salakhutdinov, Neighborhood Components Analysis, NIPS 2004.
//!
//! ```text
//! sets ──► cell (one method on one split) ──► workers ──► store ──► results ──► report
//!          method, parts                                            pictures    document
//! ```
//! A new row of figure 1 is a variant of `Method` (`method.rs`); tables, bars and JSON follow.

mod arguments;
mod cell;
mod document;
mod estimate;
mod method;
mod parts;
mod peer;
mod pictures;
mod report;
mod results;
mod run;
mod sets;
mod store;
mod workers;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

// Large buffers come and go with every pass over the data: the system allocator's page faults cost up to half
// of a fit's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            burn_nca_program::eprint_line(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
