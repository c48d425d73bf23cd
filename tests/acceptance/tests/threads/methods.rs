//! Fits by every method give the same bits on any number of threads.

use acceptance::data::{Sample, lbfgs, network, overlapping};
use burn::tensor::Device;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Coincidences, Features, Pairs, RegressionData, Task, TensorFeatures};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::fit::exact::BlockConfig;
use burn_nca_learn::fit::{
    EarlyStoppingConfig, FitConfig, OptimizerConfig, Precision, SgdConfig, StochasticConfig,
};
use burn_nca_learn::method::{AnyMethod, MethodInfo, Uses};
use serde_json::Value;

use super::{bits, same_on_any_threads};

/// Rows of which every kernel and every block of rows has several tasks.
const ROWS: usize = 200;

/// Features: of as many dimensions each pair is computed for both of its points.
const COLUMNS: usize = 7;

fn sample() -> Sample {
    overlapping(ROWS, COLUMNS, 9, 21)
}

fn features() -> Features {
    Features::unnamed(sample().x, COLUMNS).unwrap()
}

fn numbers() -> RegressionData {
    let values = sample().x.chunks(COLUMNS).map(|row| row[0] + row[1] * row[2]).collect();
    RegressionData::new(features(), "price", values).unwrap()
}

fn pairs() -> Coincidences {
    let pairs = (0..ROWS - 9).map(|row| (row, row + 1 + row % 8, 1.0)).collect();
    Coincidences::new(features(), Pairs::new(ROWS, pairs).unwrap()).unwrap()
}

/// The three kinds of solver that the method uses, a few steps each; early stopping with batches.
fn fits(info: &MethodInfo) -> Vec<FitConfig> {
    // Many small blocks, so that every thread has some.
    let blocks = BlockConfig::new().with_rows(Some(7));
    let first = FitConfig::new().with_optimizer(lbfgs(2)).with_blocks(blocks);
    let batches = StochasticConfig::new().with_epochs(Some(2)).with_batch_size(Some(100));
    let others = [
        OptimizerConfig::Adam(batches.clone()),
        OptimizerConfig::Sgd(SgdConfig::new().with_batches(batches)),
    ];
    let uses = |wanted| info.uses.contains(&wanted);
    let early = uses(Uses::EarlyStopping).then(EarlyStoppingConfig::new);
    let other =
        |optimizer| first.clone().with_optimizer(optimizer).with_early_stopping(early.clone());
    let others = others.into_iter().filter(|_| uses(Uses::Optimizer)).map(other);
    std::iter::once(first.clone()).chain(others).collect()
}

/// Files with their names.
type Files = Vec<(String, Vec<u8>)>;

/// All that a fit gives, but for its times: the files of the model, and what it predicts.
fn all_of(fitted: &Fitted) -> (Files, Value, Vec<u64>) {
    let mut files = fitted.to_files().unwrap();
    let card = files.iter().position(|(name, _)| name == "model.json").unwrap();
    let mut card: Value = serde_json::from_slice(&files.remove(card).1).unwrap();
    assert!(card.as_object_mut().unwrap().remove("times").is_some());
    let rows = features();
    let embedding = Features::from_tensor(fitted.transform(&rows).unwrap()).unwrap();
    let mut numbers = embedding.values().to_vec();
    if let Ok(classes) = fitted.predict(&rows, 3) {
        numbers.extend(classes.into_iter().map(|class| class as f64));
    }
    if let Ok(found) = fitted.class_probabilities(&rows) {
        numbers.extend((0..ROWS).flat_map(|row| found.log_probabilities(row).to_vec()));
    }
    for found in [fitted.predict_numbers(&rows, 3), fitted.predict_kernel(&rows)] {
        numbers.extend(found.unwrap_or_default());
    }
    (files, card, bits(numbers))
}

/// The method, a small one where it sizes its own networks; by the gradient, where it has another way that takes no
/// batches.
fn for_solver(method: &AnyMethod, fit: &FitConfig) -> AnyMethod {
    let mut method = method.clone();
    let has = method.settings();
    let small = [("members", "2"), ("epochs", "3"), ("width", "64"), ("batch_size", "100")];
    for (name, value) in small.into_iter().filter(|(name, _)| has.contains_key(*name)) {
        method = method.with_setting(name, value).unwrap();
    }
    if has.contains_key("trainer") && fit.optimizer.batches().is_some() {
        method = method.with_setting("trainer", "gradient").unwrap();
    }
    method
}

fn fit(method: &AnyMethod, fit: &FitConfig) -> burn_nca_learn::Result<Fitted> {
    // LDA separates nine classes in eight dimensions at most: all of these methods have seven.
    let estimator = Estimator::new(COLUMNS, COLUMNS, for_solver(method, fit)).with_fit(fit.clone());
    let device = Device::flex();
    match method.info().task {
        Some(Task::Numbers) => estimator.fit(&numbers(), &device),
        Some(Task::Pairs) => estimator.fit(&pairs(), &device),
        None | Some(Task::Classes) => estimator.fit(&sample().labeled(), &device),
    }
}

#[test]
fn every_method_solver_and_precision_gives_the_same_bits() {
    let mut fitted = 0;
    for method in AnyMethod::all() {
        let info = method.info();
        for config in fits(&info) {
            for precision in [Precision::F32, Precision::F64] {
                let config = config.clone().with_precision(precision);
                let what = format!("{}, {precision:?}, {:?}", info.name, config.optimizer);
                same_on_any_threads(&what, || {
                    let found = fit(&method, &config);
                    all_of(&found.unwrap_or_else(|error| panic!("{what}: {error}")))
                });
                fitted += 1;
            }
        }
    }
    assert!(fitted >= 60, "{fitted} kinds of fit");
}

#[test]
fn a_network_gives_the_same_bits() {
    let method = AnyMethod::named("nca").unwrap();
    for config in fits(&method.info()) {
        let estimator = Estimator::new(COLUMNS, 2, method.clone()).with_fit(config);
        let estimator = estimator.with_encoder(network(8));
        same_on_any_threads("a network", || {
            all_of(&estimator.fit(&sample().labeled(), &Device::flex()).unwrap())
        });
    }
}
