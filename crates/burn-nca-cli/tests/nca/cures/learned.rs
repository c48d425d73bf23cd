//! Calls of `burn_nca_learn` that are refused, and what is done about them: what the program does not let a user ask for.

use std::path::Path;

use burn::tensor::{DType, Device};
use burn_nca_data::{
    Coincidences, Features, Labeled, Pairs, RegressionData, Result, SparseFeatures, Task,
};
use burn_nca_learn::baseline::{LdaConfig, PcaConfig, Projection, Shrinkage, TruncatedSvdConfig};
use burn_nca_learn::encoder::{AnyEncoder, DiagonalMap, EncoderConfig, LinearMap};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::fit::{
    FitConfig, FitSession, OptimizerConfig, Start, StartWeights, StochasticConfig,
};
use burn_nca_learn::method::AnyMethod;
use burn_nca_learn::{Fitted, NcaConfig};

use super::worded::{Refused, caught, refused};

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
    Coincidences::new(features(12), Pairs::new(12, vec![(0, 1, 1.0), (2, 3, 1.0)]).unwrap())
        .unwrap()
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
    let whole = std::fs::read(&file).unwrap();
    delete();
    let deleted = run(2);
    let mut changed = whole.clone();
    let at = whole.windows(10).position(|word| word == b"\"seconds\":").unwrap();
    changed.insert(at + 10, b'1');
    std::fs::write(&file, changed).unwrap();
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

fn diagonal(scale: f64) -> AnyEncoder {
    AnyEncoder::Diagonal(DiagonalMap::from_scale(&[scale, scale], &device(), DType::F32))
}

fn network() -> AnyEncoder {
    EncoderConfig::mlp(&[3]).init(2, 2, &device())
}

fn baselines() -> Vec<Refused> {
    let one_row = |method: &dyn Fn(&Labeled) -> Result<()>, rows| {
        method(&Labeled::from_labels(features(rows), (0..rows).collect()).unwrap())
    };
    let lda = |k: usize, data: &Labeled| LdaConfig::new(k).fit(data).map(drop);
    let pca = |k: usize, data: &Labeled| PcaConfig::new(k).fit(data.features()).map(drop);
    let one_class = Labeled::from_labels(features(4), vec![0; 4]).unwrap();
    let line = |columns: usize| {
        let row = |row: usize| vec![row as f64; columns];
        let rows = Features::unnamed((0..12).flat_map(row).collect(), columns).unwrap();
        Labeled::from_labels(rows, (0..12).map(|row| row % 3).collect()).unwrap()
    };
    let shrunk = |amount| {
        LdaConfig::new(1).with_shrinkage(Shrinkage::Fixed { amount }).fit(&data()).map(drop)
    };
    let map = Projection::euclidean(2);
    let counts = |columns: usize| {
        SparseFeatures::new([4, columns], (0..4).map(|row| (row, row % columns, 1.0)).collect())
            .unwrap()
    };
    let svd = |k: usize| TruncatedSvdConfig::new(k).fit(&counts(3));
    let wide = SparseFeatures::new([50_000, 50_000], vec![(0, 0, 1.0), (7, 9, 2.0)]).unwrap();
    let large = |k: usize| TruncatedSvdConfig::new(k).fit(&wide);
    vec![
        refused(one_row(&|data| pca(1, data), 1)).by("add rows", one_row(&|data| pca(1, data), 2)),
        refused(pca(0, &data())).by("ask for 1 or more", pca(1, &data())),
        refused(lda(1, &one_class)).by("use PCA, which needs no classes", pca(1, &one_class)),
        refused(lda(2, &line(3))).by("ask for 1 or fewer", lda(1, &line(3))),
        refused(shrunk(2.0)).by("give a share from 0 to 1, such as 0.01", shrunk(0.01)),
        refused(map.apply(&line(3).features().clone()))
            .by("give the same columns", map.apply(&features(2))),
        refused(svd(1).unwrap().apply(&counts(2)))
            .by("give the same columns", svd(1).unwrap().apply(&counts(3))),
        refused(svd(4)).by("ask for 1 to 3", svd(3)),
        refused(large(6000)).by("ask for 5348 directions or fewer", large(1)),
    ]
}

fn starts() -> Vec<Refused> {
    let start = |start: Start, k| start.weight(&data(), k, 1);
    let of_diagonal = |start: Start| start.diagonal(2, 1);
    let given = |weight: &[f64]| Start::Given { weight: weight.to_vec() };
    let ones = || given(&[1.0, 1.0]);
    let random = |scale| start(Start::Random { scale: Some(scale) }, 1);
    let init = |start| {
        caught(|| NcaConfig::new(2, 2).with_fit(FitConfig::new().with_start(start)).init(&device()))
    };
    let identity = || given(&[1.0, 0.0, 0.0, 1.0]);
    let of_numbers =
        |start| with(estimator("mlkr", 2), |fit| fit.with_start(start)).fit(&numbers(), &device());
    let of_network = |start| {
        fit(&with(estimator("nca", 2), |fit| fit.with_start(start))
            .with_encoder(EncoderConfig::mlp(&[3])))
    };
    let warm = |method: &str, encoder: AnyEncoder| {
        estimator(method, 2).fit_from(encoder, &data(), &device(), FitSession::new())
    };
    let sized = |d, k| fit(&Estimator { d_input: d, d_output: k, ..estimator("nca", 1) });
    vec![
        refused(start(Start::Identity, 0)).by("ask for 1 or more", start(Start::Identity, 1)),
        refused(of_diagonal(Start::Pca))
            .by("start from Auto", of_diagonal(Start::Auto))
            .by("Identity", of_diagonal(Start::Identity))
            .by("Random", of_diagonal(Start::Random { scale: None }))
            .by("Given", of_diagonal(ones())),
        refused(random(0.0)).by("give a positive number, such as 0.1", random(0.1)),
        refused(start(given(&[1.0]), 1)).by("give 2 values row by row", start(ones(), 1)),
        refused(start(given(&[1.0, f64::NAN]), 1)).by("give finite numbers", start(ones(), 1)),
        refused(init(Start::Pca))
            .by("start from auto", init(Start::Auto))
            .by("identity", init(Start::Identity))
            .by("random", init(Start::Random { scale: None }))
            .by("a given map", init(identity()))
            .by("use `fit`", fit(&with(estimator("nca", 2), |fit| fit.with_start(Start::Pca)))),
        refused(of_numbers(Start::Lda))
            .by("start from auto", of_numbers(Start::Auto))
            .by("identity", of_numbers(Start::Identity))
            .by("random", of_numbers(Start::Random { scale: None }))
            .by("PCA", of_numbers(Start::Pca))
            .by("a given map", of_numbers(identity())),
        refused(of_network(Start::Identity))
            .by("leave the start at auto", of_network(Start::Auto))
            .by("random", of_network(Start::Random { scale: None })),
        refused(warm("ncfs", linear(2)))
            .by("give a diagonal map", warm("ncfs", diagonal(1.0)))
            .by("no start", fit(&estimator("ncfs", 2))),
        refused(warm("ncfs", diagonal(0.0)))
            .by("start from 1 (identity)", warm("ncfs", diagonal(1.0))),
        refused(warm("vsm", linear(2)))
            .by("give a diagonal map", warm("vsm", diagonal(1.0)))
            .by("fit GVSM", warm("gvsm", linear(2))),
        refused(warm("gvsm", network())).by("give a map", warm("gvsm", linear(2))),
        refused(sized(3, 1)).by("give d_input = 2", sized(2, 1)),
        refused(sized(2, 0)).by("ask for 1 or more (2 for a picture)", sized(2, 2)),
        refused(estimator("nca", 1).fit_from(linear(2), &data(), &device(), FitSession::new())).by(
            "give d_output = 2",
            estimator("nca", 2).fit_from(linear(2), &data(), &device(), FitSession::new()),
        ),
    ]
}

fn methods() -> Vec<Refused> {
    let names: Vec<&str> = AnyMethod::all().iter().map(|method| method.info().name).collect();
    let list = format!("the methods are {}", names.join(", "));
    let nca = || AnyMethod::named("nca");
    let lca = |data: Labeled| estimator("lca", 1).fit(&data, &device());
    let weighted = || data().with_weights(vec![0.5; 12]).unwrap();
    let partly = |method: &str, others: bool| {
        let data = if others { data().with_unlabeled(features(2)).unwrap() } else { data() };
        estimator(method, 1).fit(&data, &device())
    };
    let batches = |method: &AnyMethod| {
        let optimizer = OptimizerConfig::Adam(StochasticConfig::new().with_epochs(Some(1)));
        let estimator = Estimator { method: method.clone(), ..estimator("lca", 1) };
        fit(&with(estimator, |fit| fit.with_optimizer(optimizer)))
    };
    let em = AnyMethod::named("lca").unwrap();
    let gradient = em.with_setting("trainer", "gradient").unwrap();
    let takes = |method: AnyMethod| assert!(method.takes(Task::Classes));
    nca().map(takes).unwrap();
    vec![
        refused(AnyMethod::named("nope")).by(&list, nca()),
        refused(estimator("mlkr", 1).fit(&data(), &device()))
            .by("choose another method", fit(&estimator("nca", 1)))
            .by("give other data", estimator("mlkr", 1).fit(&numbers(), &device())),
        refused(lca(weighted())).by("leave them out", lca(data())),
        refused(batches(&em))
            .by("leave the optimizer out", fit(&estimator("lca", 1)))
            .by("set the trainer to gradient", batches(&gradient)),
        refused(partly("lmnn", true)).by("leave them out", partly("lmnn", false)),
    ]
}
