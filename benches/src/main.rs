//! Measurements of whole operations, printed as one JSON line each: run by `peers/compare.py` and by hand.
//!
//! ```text
//! cargo run --release -p benches -- value-gradient --points 1797 --features 64 --dim 2
//! cargo run --release -p benches -- fit digits --dim 2
//! cargo run --release -p benches -- entropy-k --out benches/results/entropy-k.json
//! ```
#![allow(clippy::print_stdout)]

mod batch_loss;
mod defaults;
mod entropy_k;
mod fit;
mod guide;
mod memory;
mod regression;
mod results;
mod search;
mod tune;
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
    /// A batch loss among candidates, or the stochastic rule.
    BatchLoss(batch_loss::Arguments),
    /// A whole fit of a data set.
    Fit(fit::Arguments),
    /// The small experiments behind `docs/guide`.
    Guide(guide::Arguments),
    /// Predictions of a numeric target over many splits.
    Regression(regression::Arguments),
    /// The k of k-NN from the entropy of p, compared with a k chosen by cross-validation and the stochastic rule.
    EntropyK(entropy_k::Arguments),
    /// A nearest-neighbor search between two NumPy files.
    Search(search::Arguments),
    /// The default of `nca fit` compared with fixed settings and Euclidean distance, over given folds.
    Defaults(defaults::Arguments),
    /// Tuned NCA compared with plain NCA and fixed settings, over given splits.
    Tune(tune::Arguments),
}

fn main() -> anyhow::Result<()> {
    let report = match Arguments::parse().measurement {
        Measurement::ValueGradient(arguments) => value_gradient::run(&arguments)?,
        Measurement::BatchLoss(arguments) => batch_loss::run(&arguments)?,
        Measurement::Fit(arguments) => fit::run(&arguments)?,
        Measurement::Guide(arguments) => guide::run(&arguments)?,
        Measurement::Regression(arguments) => regression::run(&arguments)?,
        Measurement::EntropyK(arguments) => entropy_k::run(&arguments)?,
        Measurement::Search(arguments) => search::run(&arguments)?,
        Measurement::Defaults(arguments) => defaults::run(&arguments)?,
        Measurement::Tune(arguments) => tune::run(&arguments)?,
    };
    println!("{report}");
    Ok(())
}
