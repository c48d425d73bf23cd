//! Small models of every method and with every part that a model may have: those of the gallery, and as this version fits
//! them.

mod data;
mod using;

pub use data::{classes, numbers, pairs, raw};
pub use using::use_model;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use burn::tensor::Device;
use burn_nca_learn::baseline::TruncatedSvdConfig;
use burn_nca_learn::data::{
    Categorical, Features, Labeled, Missing, PreparationConfig, RegressionData, ScalingKind,
    SparseFeatures, Task, TrainingData,
};
use burn_nca_learn::encoder::{Activation, EncoderConfig, HiddenLayers};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::fit::{
    ConjugateGradientConfig, EarlyStoppingConfig, FitConfig, LbfgsConfig, OptimizerConfig, Penalty,
    Precision, SgdConfig, Start, StochasticConfig,
};
use burn_nca_learn::method::{AnyMethod, Mlkr, Nca};
use burn_nca_learn::{Fitted, NcaConfig};

/// The files of a model's folder.
pub const FILES: [&str; 3] = ["model.json", "encoder.bpk", "references.bpk"];

pub fn gallery() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/gallery")
}

/// The folders in a folder, by name.
pub fn folders(folder: &Path) -> BTreeMap<String, PathBuf> {
    let inside = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let name = |path: PathBuf| (path.file_name().unwrap().to_str().unwrap().to_string(), path);
    inside.filter(|path| path.is_dir()).map(name).collect()
}

/// The folders of all models of the gallery, by version and name.
pub fn of_gallery() -> BTreeMap<String, PathBuf> {
    let versions = folders(&gallery()).into_iter();
    let of_version = |(version, folder): (String, PathBuf)| {
        folders(&folder).into_iter().map(move |(name, model)| (format!("{version}/{name}"), model))
    };
    versions.flat_map(of_version).collect()
}

/// A model of each method, under the method's name, and one with each part that those lack.
pub fn of_today() -> Vec<(String, Fitted)> {
    let methods = AnyMethod::all();
    let of_methods = methods.iter().map(|method| (method.info().name, fitted(method)));
    let set = |method: &str, name: &str, value: &str| {
        let method = AnyMethod::named(method).unwrap().with_setting(name, value).unwrap();
        fitted(&method)
    };
    let parts = [
        ("prepared", prepared()),
        ("weighted", of(&weighted(), Estimator::new(3, 2, Nca::new().into()))),
        ("weighted-numbers", of(&weighted_numbers(), Estimator::new(3, 2, Mlkr::new().into()))),
        ("sparse", sparse()),
        ("fixed-shrinkage", set("lda", "shrinkage", "0.5")),
        ("given-width", set("soft-nca", "width", "2.5")),
    ];
    let all = of_methods.chain(parts).chain(of_nca());
    all.map(|(name, model)| (name.to_string(), model)).collect()
}

pub fn two_steps() -> FitConfig {
    FitConfig::new()
        .with_optimizer(OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(2)))
}

/// A model of these data after two steps of L-BFGS.
fn of<D: TrainingData>(data: &D, estimator: Estimator) -> Fitted {
    estimator.with_fit(two_steps()).fit(data, &Device::flex()).unwrap()
}

/// The method with the settings that make its model small.
fn small(method: &AnyMethod) -> AnyMethod {
    let settings = method.settings();
    let small = [
        ("members", "2"),
        ("epochs", "2"),
        ("width", "4"),
        ("embedding", "2"),
        ("frequencies", "2"),
    ];
    let own = small.iter().filter(|(name, _)| settings.contains_key(*name));
    own.fold(method.clone(), |method, (name, value)| method.with_setting(name, value).unwrap())
}

/// A model of the method, in as many dimensions as it can.
fn fitted(method: &AnyMethod) -> Fitted {
    let device = Device::flex();
    let small = small(method);
    let of_dimension = |k: usize| {
        let estimator = Estimator::new(3, k, small.clone()).with_fit(two_steps());
        match method.info().task {
            Some(Task::Numbers) => estimator.fit(&numbers(), &device),
            Some(Task::Pairs) => estimator.fit(&pairs(), &device),
            None | Some(Task::Classes) => estimator.fit(&classes(), &device),
        }
    };
    let failed = |error| panic!("{}: {error}", method.info().name);
    of_dimension(3).or_else(|_| of_dimension(2)).unwrap_or_else(failed)
}

/// Of a table with a missing value, text and booleans.
fn prepared() -> Fitted {
    let config = PreparationConfig {
        missing: Missing::Mean,
        indicators: true,
        categorical: Categorical::Auto,
        ..PreparationConfig::default()
    };
    let rows: Vec<usize> = (0..12).collect();
    let preparation = config.fit(&raw(), &rows).unwrap();
    let made = preparation.apply(&raw()).unwrap().features;
    let columns = made.columns();
    let data = classes().with_features(made).unwrap();
    let model = of(&data, Estimator::new(columns, 2, Nca::new().into()));
    model.with_preparation(preparation).unwrap()
}

fn weighted() -> Labeled {
    classes().with_weights((0..12).map(|row| 0.5 + f64::from(row % 4)).collect()).unwrap()
}

fn weighted_numbers() -> RegressionData {
    let targets = (0..24).map(|at| f64::from(at * at % 7)).collect();
    let targets = Features::new(targets, ["price", "area"].map(String::from).to_vec()).unwrap();
    let data = RegressionData::with_targets(classes().features().clone(), targets).unwrap();
    data.with_weights((0..12).map(|row| 0.5 + f64::from(row % 4)).collect()).unwrap()
}

/// Of sparse rows, fitted on a reduction of them.
fn sparse() -> Fitted {
    let words = |row: usize| [row % 2, 2 + row % 3, 5 + row * row % 2];
    let count = |row: usize, word: usize| (row, word, 1.0 + ((row + 2 * word) % 4) as f64);
    let entries = (0..12).flat_map(|row| words(row).map(|word| count(row, word))).collect();
    let counts = SparseFeatures::new([12, 7], entries).unwrap();
    let svd = TruncatedSvdConfig::new(3).fit(&counts).unwrap();
    let rows = classes().with_features(svd.apply(&counts).unwrap()).unwrap();
    let names = (0..7).map(|word| format!("word {word}")).collect();
    let reduced = of(&rows, Estimator::new(3, 2, Nca::new().into()));
    reduced.through(&svd.projection, names).unwrap()
}

/// Every kind of encoder and of optimizer, and the settings of a fit.
fn of_nca() -> [(&'static str, Fitted); 5] {
    let batches = || StochasticConfig::new().with_epochs(Some(2)).with_batch_size(Some(6));
    let decay = batches().with_weight_decay(Some(0.01));
    let tanh = HiddenLayers { activation: Activation::Tanh, ..vec![3].into() };
    let regularized = HiddenLayers { sizes: vec![3, 2], ..HiddenLayers::regularized() };
    let sgd = SgdConfig::new().with_batches(batches());
    let gradient = ConjugateGradientConfig::new().with_max_iterations(2);
    let weight = vec![1.0, 0.0, 0.5, 0.0, 1.0, -0.5];
    let by = |optimizer| FitConfig::new().with_optimizer(optimizer);
    let stopping = EarlyStoppingConfig::new().with_share(0.25);
    let network = by(OptimizerConfig::Adam(batches())).with_early_stopping(Some(stopping));
    let diagonal = by(OptimizerConfig::Sgd(sgd))
        .with_start_perplexity(Some(3.0))
        .with_l2(0.01)
        .with_penalty(Some(Penalty::Spread));
    let conjugate = by(OptimizerConfig::ConjugateGradient(gradient))
        .with_start(Start::Random { scale: Some(0.5) })
        .with_scaling(ScalingKind::MinMax)
        .with_stop_at(Some(1))
        .with_time_budget(Some(60.0))
        .with_precision(Precision::F64);
    let given = two_steps().with_start(Start::Given { weight }).with_scaling(ScalingKind::Common);
    let regular = by(OptimizerConfig::Adam(decay));
    [
        ("network", 2, EncoderConfig::Mlp(tanh), network),
        ("regularized", 2, EncoderConfig::Mlp(regularized), regular),
        ("diagonal", 3, EncoderConfig::Diagonal, diagonal),
        ("conjugate-gradient", 2, EncoderConfig::Linear, conjugate),
        ("given-start", 2, EncoderConfig::Linear, given),
    ]
    .map(|(name, k, encoder, fit)| {
        let config = NcaConfig::new(3, k).with_encoder(encoder).with_fit(fit);
        (name, config.fit(&classes(), &Device::flex()).unwrap())
    })
}
