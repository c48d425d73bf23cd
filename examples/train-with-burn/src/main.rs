//! A metric model in Burn's `Learner`: the bundled digits, with metrics, checkpoints and early stopping.
//!
//! ```text
//! cargo run --release -p train-with-burn
//! cargo run --release -p train-with-burn -- --memory 500 --chunk 32 --epochs 20
//! cargo run --release -p train-with-burn -- --resume 18 --epochs 30
//! ```
#![allow(clippy::print_stdout)] // a program's result

mod arguments;
mod data;
mod learning;
mod lines;

use burn::tensor::Device;
use burn_nca_learn::encoder::MlpConfig;
use burn_nca_learn::objective::{
    MemoryLossConfig, SoftNearestNeighborLossConfig, TemperatureConfig,
};
use clap::Parser;

use arguments::Arguments;
use data::Digits;
use learning::learn;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    arguments.check()?;
    let device = Device::flex().autodiff();
    let digits = Digits::load()?;
    let network = MlpConfig::new(64, vec![128], arguments.dim).init_seeded(0, &device);
    let temperature = TemperatureConfig::new(1.0).with_learned(true);
    let loss = SoftNearestNeighborLossConfig::new().with_temperature(temperature).init(&device);
    match arguments.memory {
        0 => learn(network, loss, &digits, &arguments),
        capacity => {
            let config = MemoryLossConfig::new(capacity, arguments.dim).with_warm_up(20);
            learn(network, config.init(loss, &device), &digits, &arguments)
        }
    }
}
