//! Swap the encoder: NCA on the MNIST digits with a linear map, a network or a convolutional network, under one
//! flag; trained by a loop of plain Burn, with a loss of burn-nca.
//!
//! ```text
//! mnist --data DIR --encoder linear --dim 32 --out runs/mnist-linear
//! ```

mod arguments;
mod augment;
mod batches;
mod checkpoint;
mod digits;
mod embedding;
mod encoder;
mod evaluation;
mod picture;
mod recipe;
mod run;
mod search_table;
mod training;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

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
