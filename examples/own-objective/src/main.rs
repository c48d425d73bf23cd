//! Objectives of one's own, fitted, scored and compared: large margin nearest neighbors, and weighted NCA.
//!
//! ```text
//! cargo run --release -p own-objective
//! ```
#![allow(clippy::print_stdout)] // what an example prints

mod large_margin;
mod target_neighbors;
#[cfg(test)]
mod tests;
mod weighted_nca;

use burn::module::Module;
use burn::tensor::{DType, Device};
use burn_nca_learn::data::{Labeled, Scaling, ScalingKind, TensorFeatures, stratified_split};
use burn_nca_learn::encoder::{Encoder, LinearMap, LinearMapConfig};
use burn_nca_learn::evaluate::{Accuracy, ClassScores};
use burn_nca_learn::fit::{FitConfig, FitSession, Problem, Solution, minimize};
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLossConfig, Objective};
use burn_nca_learn::{Fitted, MetricModel, NcaConfig, Result};

use large_margin::LargeMargin;
use target_neighbors::TargetNeighbors;
use weighted_nca::{WeightedNca, WeightedRows, balanced};

const NEIGHBORS: usize = 3;
const SPLITS: u64 = 10;

fn main() -> Result<()> {
    let device = Device::flex();
    println!("{NEIGHBORS}-NN on 30 % held-out rows, mean of {SPLITS} splits");

    println!("\nwine, accuracy");
    let names = ["Euclidean", "large margin", "NCA, recommended"];
    compare(&burn_nca_data::bundled::wine(), names, accuracy, |split| {
        let target = TargetNeighbors::new(split.scaled.clone(), NEIGHBORS, &device)?;
        let nca = NcaConfig::recommended(13, 13).fit(&split.train, &device)?;
        let margin = split.learn(LargeMargin { push: 0.5 }, &target, &device)?;
        Ok([split.euclidean(&device)?, margin, split.predict(&nca)?])
    })?;

    println!(
        "\nbalance, where one row in thirteen is of the rare class: mean recall of the classes"
    );
    let names = ["Euclidean", "NCA", "weighted NCA"];
    compare(&burn_nca_data::generate::balance(), names, mean_recall, |split| {
        let classes = ClassIndex::of(&split.scaled, &device)?;
        let weights = balanced(split.scaled.labels(), split.scaled.classes());
        let weighted = WeightedRows::new(split.scaled.labels(), &weights, &device)?;
        let g = NcaLossConfig::new().with_criterion(Criterion::G).init();
        let nca = split.learn(g, &classes, &device)?;
        let weighted = split.learn(WeightedNca {}, &weighted, &device)?;
        Ok([split.euclidean(&device)?, nca, weighted])
    })
}

/// Prints the mean score of three methods over splits of a table, from the classes that they predict of the test rows.
fn compare(
    data: &Labeled,
    names: [&str; 3],
    score: fn(&[usize], &Labeled) -> Result<f64>,
    predict: impl Fn(&Split) -> Result<[Vec<usize>; 3]>,
) -> Result<()> {
    let mut sums = [0.0; 3];
    for seed in 0..SPLITS {
        let split = Split::new(data, seed)?;
        for (sum, predicted) in sums.iter_mut().zip(predict(&split)?) {
            *sum += score(&predicted, &split.test)?;
        }
    }
    for (name, sum) in names.iter().zip(sums) {
        println!("{name:18} {:.2} %", 100.0 * sum / SPLITS as f64);
    }
    Ok(())
}

fn accuracy(predicted: &[usize], test: &Labeled) -> Result<f64> {
    Ok(Accuracy::of(predicted, test.labels())?.value().expect("there are test rows"))
}

fn mean_recall(predicted: &[usize], test: &Labeled) -> Result<f64> {
    let scores = ClassScores::of(predicted, test.labels(), test.classes())?;
    Ok(scores.balanced_accuracy().expect("there are test rows"))
}

/// Training and test rows of a table.
struct Split {
    train: Labeled,
    /// The training rows as they are learned from.
    scaled: Labeled,
    scaling: Scaling,
    test: Labeled,
}

impl Split {
    fn new(data: &Labeled, seed: u64) -> Result<Self> {
        let split = stratified_split(data.labels(), 0.3, seed)?;
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let scaling = Scaling::fit(ScalingKind::Standardize, train.features());
        let scaled = train.with_features(scaling.apply(train.features())?)?;
        Ok(Self { train, scaled, scaling, test })
    }

    /// What the map that an objective learns predicts of the test rows.
    fn learn<O: Objective>(
        &self,
        objective: O,
        target: &O::Target,
        device: &Device,
    ) -> Result<Vec<usize>> {
        let learned = fit(objective, &self.scaled, target, device)?.module.encoder.valid();
        self.predict(&self.model(learned, device)?)
    }

    /// What the distance of the scaled features predicts of the test rows.
    fn euclidean(&self, device: &Device) -> Result<Vec<usize>> {
        let d = self.train.features().columns();
        self.predict(&self.model(LinearMapConfig::new(d, d).init(device), device)?)
    }

    /// An encoder with its scaling and training rows is a model that predicts and is saved like any other.
    fn model<E: Encoder>(&self, encoder: E, device: &Device) -> Result<Fitted<E>> {
        Fitted::of_classes(encoder, self.scaling.clone(), &self.train, device)
    }

    fn predict<E: Encoder>(&self, model: &Fitted<E>) -> Result<Vec<usize>> {
        model.predict(self.test.features(), NEIGHBORS)
    }
}

/// Learns a full metric of scaled rows by an objective.
fn fit<O: Objective>(
    objective: O,
    train: &Labeled,
    target: &O::Target,
    device: &Device,
) -> Result<Solution<MetricModel<LinearMap, O>>> {
    let d = train.features().columns();
    let start = LinearMapConfig::new(d, d).init(&device.clone().autodiff());
    let x = train.features().to_tensor(device, DType::F32);
    let problem = Problem::new(MetricModel::new(start, objective), &x, target);
    minimize(&problem, &FitConfig::new(), FitSession::new())
}
