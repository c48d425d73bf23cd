//! An objective of one's own: large margin nearest neighbours, fitted, scored and compared.
//!
//! ```text
//! cargo run --release -p own-objective
//! ```
#![allow(clippy::print_stdout)] // what an example prints

mod large_margin;
mod target_neighbours;
#[cfg(test)]
mod tests;

use burn::module::Module;
use burn::tensor::{DType, Device};
use burn_nca::data::{Labelled, Scaling, ScalingKind, stratified_split};
use burn_nca::encoder::{Encoder, LinearMap, LinearMapConfig};
use burn_nca::evaluate::Accuracy;
use burn_nca::fit::{FitConfig, FitSession, Problem, Solution, minimise};
use burn_nca::{Fitted, MetricModel, NcaConfig};

use large_margin::LargeMargin;
use target_neighbours::TargetNeighbours;

const NEIGHBOURS: usize = 3;
const SPLITS: u64 = 10;

fn main() -> burn_nca::Result<()> {
    let device = Device::flex();
    let data = burn_nca_datasets::bundled::wine();
    println!("wine, 3-NN on 30 % held-out rows, mean of {SPLITS} splits");
    let mut sums = [0.0; 3];
    for seed in 0..SPLITS {
        let split = stratified_split(data.labels(), 0.3, seed)?;
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let scaling = Scaling::fit(ScalingKind::Standardise, train.features());
        let scaled = train.with_features(scaling.apply(train.features())?)?;
        let identity = LinearMapConfig::new(13, 13).init(&device);
        let margin = fit(&scaled, &device)?.module.encoder.valid();
        // An encoder with its scaling and training rows becomes a model that predicts and is saved like any other.
        let euclidean = Fitted::of_classes(identity, scaling.clone(), &train, &device)?;
        let margin = Fitted::of_classes(margin, scaling, &train, &device)?;
        let nca = NcaConfig::recommended(13, 13).fit(&train, &device)?;
        sums[0] += accuracy(&euclidean, &test)?;
        sums[1] += accuracy(&margin, &test)?;
        sums[2] += accuracy(&nca, &test)?;
    }
    for (name, sum) in ["Euclidean", "large margin", "NCA, recommended"].iter().zip(sums) {
        println!("{name:18} {:.2} %", 100.0 * sum / SPLITS as f64);
    }
    Ok(())
}

/// Learns a full metric of scaled rows by the large margin.
fn fit(
    train: &Labelled,
    device: &Device,
) -> burn_nca::Result<Solution<MetricModel<LinearMap, LargeMargin>>> {
    let d = train.features().columns();
    let target = TargetNeighbours::new(train.clone(), NEIGHBOURS, device)?;
    let start = LinearMapConfig::new(d, d).init(&device.clone().autodiff());
    let x = train.features().to_tensor(device, DType::F32);
    let problem = Problem::new(MetricModel::new(start, LargeMargin { push: 0.5 }), &x, &target);
    minimise(&problem, &FitConfig::new(), FitSession::new())
}

/// The 3-NN accuracy of a model on test rows.
fn accuracy<E: Encoder>(model: &Fitted<E>, test: &Labelled) -> burn_nca::Result<f64> {
    let predicted = model.predict(test.features(), NEIGHBOURS)?;
    Ok(Accuracy::of(&predicted, test.labels())?.value().expect("there are test rows"))
}
