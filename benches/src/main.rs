//! Measurements of whole operations, printed as one JSON line each: run by `peers/compare.py` and by hand.
//!
//! ```text
//! cargo run --release -p benches -- value-gradient --points 1797 --features 64 --dim 2
//! cargo run --release -p benches -- fit digits --dim 2
//! ```
#![allow(clippy::print_stdout)]

mod fit;
mod memory;
mod value_gradient;

use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures burn-nca and prints JSON.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    measurement: Measurement,
}

#[derive(Subcommand)]
enum Measurement {
    /// Value and gradient over all points, repeated.
    ValueGradient(value_gradient::Arguments),
    /// A whole fit of a data set.
    Fit(fit::Arguments),
}

fn main() -> anyhow::Result<()> {
    let report = match Arguments::parse().measurement {
        Measurement::ValueGradient(arguments) => value_gradient::run(&arguments)?,
        Measurement::Fit(arguments) => fit::run(&arguments)?,
    };
    println!("{report}");
    Ok(())
}
