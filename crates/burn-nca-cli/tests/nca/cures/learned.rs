//! Calls of `burn_nca_learn` that are refused, and what is done about them: what the program does not let a user ask for.

use std::path::Path;

use burn::tensor::{DType, Device};
use burn_nca_data::{
    Coincidences, Features, Labeled, Pairs, RegressionData, Result, SparseFeatures, Task,
};
use burn_nca_learn::baseline::{LdaConfig, PcaConfig, Projection, TruncatedSvdConfig};
use burn_nca_learn::encoder::{AnyEncoder, DiagonalMap, EncoderConfig, LinearMap};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::fit::{
    FitConfig, FitSession, OptimizerConfig, Start, StartWeights, StochasticConfig,
};
use burn_nca_learn::method::AnyMethod;
use burn_nca_learn::{Fitted, NcaConfig};

use super::calls::{Refused, caught, refused, varied};

pub(super) fn all() -> Vec<Refused> {
    [baselines(), starts(), methods()].into_iter().flatten().collect()
}

pub(super) fn device() -> Device {
    Device::flex()
}

/// Twelve rows of two features, in two classes.
pub(super) fn data() -> Labeled {
    Labeled::from_labels(features(12), (0..12).map(|row| row % 2).collect()).unwrap()
}

pub(super) fn features(rows: usize) -> Features {
    let row = |row: usize| [row as f64, (row * row % 7) as f64];
    Features::unnamed((0..rows).flat_map(row).collect(), 2).unwrap()
}

pub(super) fn numbers() -> RegressionData {
    RegressionData::new(features(12), "t", (0..12).map(|row| row as f64).collect()).unwrap()
}

pub(super) fn pairs() -> Coincidences {
    let pairs = Pairs::new(12, vec![(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    Coincidences::new(features(12), pairs).unwrap()
}

/// A method of these dimensions with a limit of two steps.
pub(super) fn estimator(method: &str, k: usize) -> Estimator {
    let mut estimator = Estimator::new(2, k, AnyMethod::named(method).unwrap());
    if let OptimizerConfig::Lbfgs(solver) = &mut estimator.fit.optimizer {
        solver.max_iterations = 2;
    }
    estimator
}

pub(super) fn fit(estimator: &Estimator) -> Result<Fitted> {
    estimator.fit(&data(), &device())
}

/// The estimator with other settings of the fit.
pub(super) fn with(estimator: Estimator, change: impl FnOnce(FitConfig) -> FitConfig) -> Estimator {
    let fit = change(estimator.fit.clone());
    estimator.with_fit(fit)
}

pub(super) fn linear(k: usize) -> AnyEncoder {
    let weight = [1.0, 0.5, -0.5, 1.0][..2 * k].to_vec();
    AnyEncoder::Linear(LinearMap::from_weight(&weight, [2, k], &device(), DType::F32))
}

/// What is refused of a file that runs for so many dimensions keep: that of another run, and a changed one.
pub(super) fn kept(again: &str, run: impl Fn(usize, &Path) -> Result<()>) -> [Refused; 2] {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept.json");
    let run = |k| run(k, &file);
    let delete = || std::fs::remove_file(&file).unwrap();
    run(1).unwrap();
    let (others, those) = (run(2), run(1));
    let whole = std::fs::read_to_string(&file).unwrap();
    delete();
    let deleted = run(2);
    std::fs::write(&file, whole.replacen("\"seconds\":", "\"seconds\":1", 1)).unwrap();
    let was_changed = run(1);
    std::fs::write(&file, whole).unwrap();
    let restored = run(1);
    delete();
    [
        refused(others).by("give those again", those).by(again, deleted),
        refused(was_changed)
            .by("restore the file", restored)
            .by("delete it to start again", run(1)),
    ]
}

fn baselines() -> Vec<Refused> {
    let one_class = Labeled::from_labels(features(4), vec![0; 4]).unwrap();
    let pca = |k: usize, rows: usize| PcaConfig::new(k).fit(&features(rows)).map(drop);
    let line = |columns: usize| {
        let row = |row: usize| vec![row as f64; columns];
        Features::unnamed((0..12).flat_map(row).collect(), columns).unwrap()
    };
    let counts = |columns: usize| {
        let entries = (0..4).map(|row| (row, row % columns, 1.0)).collect();
        SparseFeatures::new([4, columns], entries).unwrap()
    };
    let svd = || TruncatedSvdConfig::new(1).fit(&counts(3)).unwrap();
    let wide = SparseFeatures::new([50_000, 50_000], vec![(0, 0, 1.0), (7, 9, 2.0)]).unwrap();
    vec![
        varied([1, 2], |rows| pca(1, rows)),
        varied([0, 1], |k| pca(k, 12)),
        refused(LdaConfig::new(1).fit(&one_class)).cured(pca(1, 4)),
        varied([3, 2], |columns| Projection::euclidean(2).apply(&line(columns))),
        varied([2, 3], |columns| svd().apply(&counts(columns))),
        varied([6000, 1], |k| TruncatedSvdConfig::new(k).fit(&wide)),
    ]
}

fn starts() -> Vec<Refused> {
    let start = |start: Start, k| start.weight(&data(), k, 1);
    let of_diagonal = |start: Start| start.diagonal(2, 1);
    let given = |weight: &[f64]| Start::Given { weight: weight.to_vec() };
    let random = || Start::Random { scale: None };
    let identity = || given(&[1.0, 0.0, 0.0, 1.0]);
    let started = |start| with(estimator("nca", 2), |fit| fit.with_start(start));
    let init = |start| {
        caught(|| NcaConfig::new(2, 2).with_fit(FitConfig::new().with_start(start)).init(&device()))
    };
    let of_numbers =
        |start| with(estimator("mlkr", 2), |fit| fit.with_start(start)).fit(&numbers(), &device());
    let of_network = |start| fit(&started(start).with_encoder(EncoderConfig::mlp(&[3])));
    let warm = |method: &str, k, encoder: AnyEncoder| {
        estimator(method, k).fit_from(encoder, &data(), &device(), FitSession::new())
    };
    let diagonal = |scale: f64| {
        AnyEncoder::Diagonal(DiagonalMap::from_scale(&[scale, scale], &device(), DType::F32))
    };
    let network = EncoderConfig::mlp(&[3]).init(2, 2, &device());
    vec![
        varied([0, 1], |k| start(Start::Identity, k)),
        refused(of_diagonal(Start::Pca))
            .by("start from Auto", of_diagonal(Start::Auto))
            .by("Identity", of_diagonal(Start::Identity))
            .by("Random", of_diagonal(random()))
            .by("Given", of_diagonal(given(&[1.0, 1.0]))),
        varied([0.0, 0.1], |scale| start(Start::Random { scale: Some(scale) }, 1)),
        refused(start(given(&[1.0]), 1)).cured(start(given(&[1.0, 1.0]), 1)),
        varied([f64::NAN, 1.0], |value| start(given(&[1.0, value]), 1)),
        refused(init(Start::Pca))
            .by("start from auto", init(Start::Auto))
            .by("identity", init(Start::Identity))
            .by("random", init(random()))
            .by("a given map", init(identity()))
            .by("use `fit`", fit(&started(Start::Pca))),
        refused(of_numbers(Start::Lda))
            .by("start from auto", of_numbers(Start::Auto))
            .by("identity", of_numbers(Start::Identity))
            .by("random", of_numbers(random()))
            .by("PCA", of_numbers(Start::Pca))
            .by("a given map", of_numbers(identity())),
        refused(of_network(Start::Identity))
            .by("leave the start at auto", of_network(Start::Auto))
            .by("random", of_network(random())),
        refused(warm("ncfs", 2, linear(2)))
            .by("give a diagonal map", warm("ncfs", 2, diagonal(1.0)))
            .by("no start", fit(&estimator("ncfs", 2))),
        varied([0.0, 1.0], |scale| warm("ncfs", 2, diagonal(scale))),
        refused(warm("vsm", 2, linear(2)))
            .by("give a diagonal map", warm("vsm", 2, diagonal(1.0)))
            .by("fit GVSM", warm("gvsm", 2, linear(2))),
        varied([network, linear(2)], |encoder| warm("gvsm", 2, encoder)),
        varied([3, 2], |d_input| fit(&Estimator { d_input, ..estimator("nca", 1) })),
        varied([0, 2], |d_output| fit(&Estimator { d_output, ..estimator("nca", 1) })),
        varied([1, 2], |k| warm("nca", k, linear(2))),
    ]
}

fn methods() -> Vec<Refused> {
    let lca = |data: Labeled| estimator("lca", 1).fit(&data, &device());
    let lmnn = |data: Labeled| estimator("lmnn", 1).fit(&data, &device());
    let batches = |method: &AnyMethod| {
        let optimizer = OptimizerConfig::Adam(StochasticConfig::new().with_epochs(Some(1)));
        let estimator = Estimator { method: method.clone(), ..estimator("lca", 1) };
        fit(&with(estimator, |fit| fit.with_optimizer(optimizer)))
    };
    let em = AnyMethod::named("lca").unwrap();
    let gradient = em.with_setting("trainer", "gradient").unwrap();
    assert!(AnyMethod::named("nca").unwrap().takes(Task::Classes));
    vec![
        varied(["nope", "nca"], AnyMethod::named),
        refused(estimator("mlkr", 1).fit(&data(), &device()))
            .by("choose another method", fit(&estimator("nca", 1)))
            .by("give other data", estimator("mlkr", 1).fit(&numbers(), &device())),
        varied([data().with_weights(vec![0.5; 12]).unwrap(), data()], lca),
        refused(batches(&em))
            .by("leave the optimizer out", fit(&estimator("lca", 1)))
            .by("set the trainer to gradient", batches(&gradient)),
        varied([data().with_unlabeled(features(2)).unwrap(), data()], lmnn),
    ]
}
