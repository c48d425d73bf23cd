//! A plain Burn project, with its own network and its own loop, that takes only the loss from burn-nca.
//!
//! ```text
//! cargo run --release -p reuse-the-loss              # NCA
//! cargo run --release -p reuse-the-loss -- sup-con   # or: g, soft-nearest-neighbor, proxy-nca
//! ```
#![allow(clippy::print_stdout)] // what a training loop prints

mod data;
mod network;
mod training;

use burn::tensor::Device;
use burn_nca_learn::objective::{
    Criterion, NcaLossConfig, ProxyNcaLossConfig, SoftNearestNeighborLossConfig, SupConLossConfig,
};

use data::Digits;
use training::{accuracy, train};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::flex();
    let digits = Digits::load(&device)?;
    println!(
        "5-NN on raw pixels: {:.2} %",
        100.0 * accuracy(&digits, |images| images.flatten(1, 2))?
    );
    let on = device.autodiff();
    let trained = match std::env::args().nth(1).as_deref().unwrap_or("nca") {
        "nca" => train(&digits, NcaLossConfig::new().init(), &on),
        "g" => train(&digits, NcaLossConfig::new().with_criterion(Criterion::G).init(), &on),
        "soft-nearest-neighbor" => {
            train(&digits, SoftNearestNeighborLossConfig::new().init(&on), &on)
        }
        "sup-con" => train(&digits, SupConLossConfig::new().init(&on), &on),
        "proxy-nca" => {
            train(&digits, ProxyNcaLossConfig::new(10, network::DIMENSIONS).init(&on), &on)
        }
        other => Err(format!(
            "{other:?} is no loss; name one of nca, g, soft-nearest-neighbor, sup-con, proxy-nca"
        )
        .into()),
    };
    trained.map(|_| ())
}
