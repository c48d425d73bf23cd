//! The same bits on any number of threads: fits by every method, and what surrounds a fit.
//!
//! A process of its own: another test may draw from the generator of the device, which all of a process share.

#![allow(clippy::unwrap_used)] // all of this crate is a test

use acceptance::data::{Sample, lbfgs, network, overlapping, uniform};
use acceptance::setup::matrix;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::baseline::{
    Groups, LdaConfig, PcaConfig, Projection, RcaConfig, TruncatedSvdConfig, WhiteningConfig,
    lda_rca,
};
use burn_nca_learn::data::{
    Coincidences, Features, Labeled, Pairs, RegressionData, SparseFeatures, Task, host_values,
};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::estimator::tune::{TuneConfig, TuneSession};
use burn_nca_learn::evaluate::perplexities;
use burn_nca_learn::fit::exact::BlockConfig;
use burn_nca_learn::fit::{
    EarlyStoppingConfig, FitConfig, OptimizerConfig, Precision, START_PERPLEXITY, SgdConfig, Start,
    StochasticConfig, perplexity_factor,
};
use burn_nca_learn::method::{AnyMethod, MethodInfo, Uses};
use burn_nca_learn::neighbors::{
    Exclude, NearestConfig, Neighbors, Numbers, Rule, SearchMethod, leave_one_out_kernel_means,
    leave_one_out_probabilities,
};
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Fitted, NcaConfig, Result};
use serde_json::Value;

/// What `work` gives on one thread, which must be what it gives on two, on many, and where the caller is of no pool.
fn same_on_any_threads<T: PartialEq + Send>(what: &str, work: impl Fn() -> T + Sync) -> T {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&work)
    };
    let one = on(1);
    for threads in [2, 64] {
        // No `assert_eq`: all numbers would be printed.
        assert!(one == on(threads), "{what}: 1 and {threads} threads differ");
    }
    assert!(one == work(), "{what}: 1 thread and the threads of the program differ");
    one
}

/// The bits of each number.
fn bits(numbers: impl IntoIterator<Item = f64>) -> Vec<u64> {
    numbers.into_iter().map(f64::to_bits).collect()
}

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

/// All that a fit gives, but for its times: the settings and files of the model, and what it predicts.
fn all_of(fitted: &Fitted) -> (Value, Files, Vec<u64>) {
    let mut files = fitted.to_files().unwrap();
    let card = files.iter().position(|(name, _)| name == "model.json").unwrap();
    let mut card: Value = serde_json::from_slice(&files.remove(card).1).unwrap();
    assert!(card.as_object_mut().unwrap().remove("times").is_some());
    let rows = features();
    let mut numbers = host_values(fitted.transform(&rows).unwrap());
    if let Ok(found) = fitted.class_probabilities(&rows) {
        numbers.extend((0..ROWS).flat_map(|row| found.log_probabilities(row).to_vec()));
    }
    numbers
        .extend(fitted.predict(&rows, 3).unwrap_or_default().into_iter().map(|class| class as f64));
    for found in [fitted.predict_numbers(&rows, 3), fitted.predict_kernel(&rows)] {
        numbers.extend(found.unwrap_or_default());
    }
    (card, files, bits(numbers))
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

fn fit(
    method: &AnyMethod,
    encoder: Option<EncoderConfig>,
    fit: &FitConfig,
) -> burn_nca_learn::Result<Fitted> {
    // LDA separates nine classes in eight dimensions at most: all of these methods have seven.
    let estimator = Estimator::new(COLUMNS, COLUMNS, for_solver(method, fit)).with_fit(fit.clone());
    let estimator = match encoder {
        Some(encoder) => estimator.with_encoder(encoder),
        None => estimator,
    };
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
        // And a network by NCA.
        let networks = (info.name == "nca").then(|| Some(network(8)));
        for encoder in [None].into_iter().chain(networks) {
            for config in fits(&info) {
                for precision in [Precision::F32, Precision::F64] {
                    let config = config.clone().with_precision(precision);
                    let what = format!("{}, {encoder:?}, {config:?}", info.name);
                    same_on_any_threads(&what, || {
                        let found = fit(&method, encoder.clone(), &config);
                        all_of(&found.unwrap_or_else(|error| panic!("{what}: {error}")))
                    });
                    fitted += 1;
                }
            }
        }
    }
    assert!(fitted >= 60, "{fitted} kinds of fit");
}

/// Three blocks of rows and two stripes of columns.
#[test]
fn closed_forms_of_many_rows_and_columns() {
    let data = overlapping(2100, 70, 5, 1).labeled();
    // Fewer rows than columns: their span.
    let few = data.select(&(0..60).collect::<Vec<_>>());
    same_on_any_threads("covariance", || bits(Groups::of_classes(&data).within_covariance()));
    let pca = |k, data: &Labeled| Ok(PcaConfig::new(k).fit(data.features())?.projection);
    type Fit<'a> = &'a (dyn Fn(&Labeled) -> Result<Projection> + Sync);
    let fits: [(&str, &Labeled, Fit); 6] = [
        ("whitening", &data, &|data| WhiteningConfig::new().fit(data.features())),
        ("RCA", &data, &|data| RcaConfig::new().fit(data)),
        ("LDA", &data, &|data| Ok(LdaConfig::new(4).fit(data)?.projection)),
        ("LDA, then RCA", &data, &|data| lda_rca(data, &LdaConfig::new(3))),
        ("PCA", &data, &|data| pca(60, data)),
        ("PCA in the span", &few, &|data| pca(50, data)),
    ];
    for (name, data, fit) in fits {
        same_on_any_threads(name, || {
            let map = fit(data).unwrap();
            (bits(map.matrix()), bits(map.apply(data.features()).unwrap().values().to_vec()))
        });
    }
}

#[test]
fn decompositions_of_sparse_rows() {
    let entries = (0..6000).map(|at| (at * 7 % 1500, at * at % 199, 1.0 + (at % 11) as f64));
    let mut entries: Vec<(usize, usize, f64)> = entries.collect();
    entries.sort_by_key(|entry| (entry.0, entry.1));
    entries.dedup_by_key(|entry| (entry.0, entry.1));
    let features = SparseFeatures::new([1500, 200], entries).unwrap();
    for center in [false, true] {
        same_on_any_threads("truncated SVD", || {
            let svd = TruncatedSvdConfig::new(5).with_center(center).fit(&features).unwrap();
            let embedded = svd.apply(&features).unwrap();
            (bits(svd.singular_values.clone()), bits(embedded.values().to_vec()))
        });
    }
}

fn tensor(values: &[f64], k: usize, dtype: DType) -> Tensor<2> {
    matrix(values, k, (&Device::flex(), dtype))
}

fn entries(found: &Neighbors) -> Vec<(Vec<u32>, Vec<u64>)> {
    let of_row = |row| (found.indices(row).to_vec(), bits(found.sq_distances(row).to_vec()));
    (0..found.rows()).map(of_row).collect()
}

/// On a grid, where many distances are equal; by every method, which must all find the same.
#[test]
fn neighbors_by_every_method() {
    // Of the last, a tree is tried where no method is named.
    for (n, m, d, steps) in [(400, 1500, 2, 20.0), (300, 2500, 7, 3.0), (1000, 4000, 20, 2.0)] {
        let grid = |count: usize, seed| {
            let x: Vec<f64> =
                uniform(count * d, seed).into_iter().map(|x| (steps * x).round()).collect();
            tensor(&x, d, DType::F32)
        };
        let (references, queries) = (grid(m, 1), grid(n, 2));
        let [by_force, by_tree, by_itself] =
            [SearchMethod::BruteForce, SearchMethod::Tree, SearchMethod::Auto].map(|method| {
                let search = NearestConfig::new(5).with_method(method);
                same_on_any_threads(&format!("{method:?} in {d} dimensions"), || {
                    entries(&search.search(&queries, &references, None).unwrap())
                })
            });
        assert!(by_force == by_tree && by_force == by_itself, "in {d} dimensions");
    }
}

#[test]
fn rules_over_neighbors_and_the_scale_of_a_start() {
    let (n, k) = (700, 3);
    let sample = overlapping(n, k, 4, 3);
    let values: Vec<f64> = sample.x.chunks(k).map(|row| row[0] * row[1]).collect();
    for dtype in [DType::F32, DType::F64] {
        let z = tensor(&sample.x, k, dtype);
        same_on_any_threads("probabilities", || {
            let found = leave_one_out_probabilities(&z, &sample.y, 4).unwrap();
            bits((0..n).flat_map(|row| found.log_probabilities(row).to_vec()))
        });
        same_on_any_threads("kernel means", || {
            bits(leave_one_out_kernel_means(&z, Numbers::new(&values, 1)).unwrap())
        });
        same_on_any_threads("perplexities", || bits(perplexities(&z).unwrap()));
        same_on_any_threads("L1 neighbors", || {
            entries(&Rule::Manhattan.nearest(&z, &z, 3, Exclude::nothing()).unwrap())
        });
        let factor = || perplexity_factor(&z, START_PERPLEXITY, 1).unwrap().to_bits();
        same_on_any_threads("the scale of a start", factor);
    }
}

#[test]
fn a_search_for_settings() {
    let config = NcaConfig::new(4, 2).with_fit(FitConfig::new().with_optimizer(lbfgs(5)));
    let (estimator, data) = (config.estimator(), burn_nca_data::bundled::iris());
    let tune = TuneConfig::new()
        .with_folds(3)
        .with_criteria(vec![Criterion::F, Criterion::G])
        .with_l2(Some(vec![0.01]))
        .with_starts(Some(vec![Start::Pca, Start::Lda]))
        .with_start_perplexities(vec![None, Some(START_PERPLEXITY)])
        .with_steps(vec![0, 2]);
    same_on_any_threads("search", || {
        let search = estimator.search(&tune, &data, &Device::flex(), TuneSession::new());
        let mut found = search.unwrap();
        assert_eq!(found.trials.len(), 8);
        found.trials.iter_mut().for_each(|trial| trial.seconds = 0.0);
        let choice = found.choice.unwrap();
        // Numbers in the shortest text that gives them back.
        (serde_json::to_string(&found.trials).unwrap(), choice.trial, choice.stop_at)
    });
}
