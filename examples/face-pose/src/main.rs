//! Learns the pose of faces from pairs that share it: section 5 of the NCA paper.

mod banks;
mod cli;
mod evaluation;
mod faces;
mod measure;
mod network;
mod picture;
mod progress;
mod results;
mod run;
mod training;

use std::process::ExitCode;

use burn_nca_learn::encoder::Mlp;
use clap::Parser;

use crate::cli::{Args, NetworkKind};
use crate::network::Cnn;

// Large buffers come and go with every step: the system allocator's page faults cost up to half of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = match args.encoder {
        NetworkKind::Mlp => run::run::<Mlp>(&args),
        NetworkKind::Cnn => run::run::<Cnn>(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            burn_nca_program::eprint_line(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
