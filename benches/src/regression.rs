//! Numeric targets: predictions by learned metrics compared with predictions without learning, over many splits.
//!
//! Everything that is chosen (k, kernel width, l2) is chosen inside the training part. A split that is done
//! is stored at once; the same command continues where an earlier one was stopped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_data::{CsvOptions, TargetKind, read_csv, read_splits};
use burn_nca_learn::Estimator;
use burn_nca_learn::baseline::PcaConfig;
use burn_nca_learn::data::{
    AgreementWidth, Features, RegressionData, Scaling, ScalingKind, Split, TensorFeatures,
    random_split,
};
use burn_nca_learn::evaluate::RegressionScores;
use burn_nca_learn::fit::{EarlyStoppingConfig, FitConfig};
use burn_nca_learn::method::{AnyMethod, Mlkr, SoftNca};
use burn_nca_learn::neighbors::{
    Numbers, kernel_means, leave_one_out_kernel_means, nearest, nearest_means, nearest_others,
};
use burn_nca_learn::objective::Criterion;
use burn_nca_program::{eprint_line, write_file};
use clap::Args;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

/// The k of k-NN that leave-one-out chooses from.
const NEIGHBORS: std::ops::RangeInclusive<usize> = 1..=20;

/// Folds of a choice inside the training part.
const FOLDS: usize = 3;

/// The weights of the L2 penalty to choose from.
const PENALTIES: [f64; 5] = [0.0, 3e-3, 1e-2, 3e-2, 1e-1];

#[derive(Args)]
pub struct Arguments {
    /// A CSV file whose last column is the target.
    data: PathBuf,
    /// The name of the set in the results.
    #[arg(long)]
    name: String,
    /// The train and test rows, a column a split; without it 70/30 at random, seeded by the split's number.
    #[arg(long)]
    splits: Option<PathBuf>,
    /// Number of splits.
    #[arg(long, default_value_t = 40)]
    limit: usize,
    /// The device.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// The file of results; sets and splits that it holds already are kept.
    #[arg(long, default_value = "benches/results/regression.json")]
    out: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<Value> {
    let device = burn_nca_learn::device::open(&arguments.device)?;
    let options = CsvOptions { task: TargetKind::Numeric, ..CsvOptions::default() };
    let data = read_csv(&arguments.data, &options)?.into_regression()?;
    let mut splits = match &arguments.splits {
        Some(path) => read_splits(path, data.rows())?,
        None => (0..arguments.limit)
            .map(|seed| random_split(data.rows(), 0.3, seed as u64))
            .collect::<Result<_, _>>()?,
    };
    splits.truncate(arguments.limit);
    let results = Mutex::new(Results::open(&arguments.out, &arguments.name, &data)?);
    let open: Vec<usize> = {
        let results = results.lock().expect("no thread has panicked with the results");
        (0..splits.len()).filter(|split| !results.holds(*split)).collect()
    };
    open.par_iter().try_for_each(|&split| -> Result<()> {
        let scores = Trial { data: &data, split: &splits[split], device: &device }.scores()?;
        let mut results = results.lock().expect("no thread has panicked with the results");
        results.insert(split, scores)?;
        eprint_line(&format!("{}: {} of {} splits", arguments.name, results.done(), splits.len()));
        Ok(())
    })?;
    Ok(json!({
        "measurement": "regression", "name": arguments.name, "splits": splits.len(),
        "out": arguments.out,
    }))
}

/// The file of results: for each set, for each split, for each method its R², RMSE and MAE.
struct Results {
    path: PathBuf,
    name: String,
    document: Map<String, Value>,
}

impl Results {
    fn open(path: &Path, name: &str, data: &RegressionData) -> Result<Self> {
        let mut document = match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("{} is not a file of results", path.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let set = document.entry(name).or_insert_with(|| json!({ "splits": {} }));
        set["rows"] = json!(data.rows());
        set["columns"] = json!(data.features().columns());
        set["target"] = json!(data.targets().names()[0]);
        Ok(Self { path: path.to_path_buf(), name: name.to_string(), document })
    }

    fn splits(&self) -> &Value {
        &self.document[&self.name]["splits"]
    }

    fn holds(&self, split: usize) -> bool {
        self.splits().get(format!("{split:02}")).is_some()
    }

    fn done(&self) -> usize {
        self.splits().as_object().map_or(0, Map::len)
    }

    /// Adds a split and writes the file atomically.
    fn insert(&mut self, split: usize, scores: BTreeMap<String, Value>) -> Result<()> {
        self.document[&self.name]["splits"][format!("{split:02}")] = json!(scores);
        let text = serde_json::to_string_pretty(&self.document)? + "\n";
        write_file(&self.path, text.as_bytes())
    }
}

/// One split of a set.
struct Trial<'a> {
    data: &'a RegressionData,
    split: &'a Split,
    device: &'a Device,
}

/// The training and test rows in some space.
struct Space {
    train: Tensor<2>,
    test: Tensor<2>,
}

impl Trial<'_> {
    fn scores(&self) -> Result<BTreeMap<String, Value>> {
        let (train, test) =
            (self.data.select(&self.split.train), self.data.select(&self.split.test));
        let truth = test.targets().values();
        let mut scores = BTreeMap::new();
        let mut note = |method: &str, predicted: &[f64]| -> Result<()> {
            let found = RegressionScores::of(predicted, truth)?;
            let score = json!({ "r2": found.r2(), "rmse": found.rmse(), "mae": found.mae() });
            scores.insert(method.to_string(), score);
            Ok(())
        };
        let known = train.targets().values();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        note("mean", &vec![mean; truth.len()])?;
        let scaling = Scaling::fit(ScalingKind::Standardize, train.features());
        let (x, y) = (scaling.apply(train.features())?, scaling.apply(test.features())?);
        let euclidean = self.space(&x, &y);
        note("Euclidean, k-NN", &by_neighbors(&euclidean, known)?)?;
        note("Euclidean, kernel", &by_scaled_kernel(&euclidean, known)?)?;
        let pca = PcaConfig::new(2).fit(&x)?.projection;
        let flat = self.space(&pca.apply(&x)?, &pca.apply(&y)?);
        note("PCA-2, k-NN", &by_neighbors(&flat, known)?)?;
        for (name, candidates) in learned(x.columns()) {
            let config = self.choose(&candidates, &train)?;
            let model = config.fit(&train, self.device)?;
            let space = Space {
                train: model.references().clone(),
                test: model.transform(test.features())?,
            };
            note(&format!("{name}, kernel"), &model.predict_kernel(test.features())?)?;
            note(&format!("{name}, k-NN"), &by_neighbors(&space, known)?)?;
        }
        Ok(scores)
    }

    fn space(&self, train: &Features, test: &Features) -> Space {
        let place = |features: &Features| features.to_tensor(self.device, DType::F64);
        Space { train: place(train), test: place(test) }
    }

    /// The candidate of the best R² by the kernel rule, in a cross-validation on the training rows.
    fn choose<'c>(
        &self,
        candidates: &'c [Estimator],
        train: &RegressionData,
    ) -> Result<&'c Estimator> {
        let mut best = (f64::NEG_INFINITY, &candidates[0]);
        if candidates.len() == 1 {
            return Ok(best.1);
        }
        let folds = folds(train.rows());
        for candidate in candidates {
            let mut errors = 0.0;
            for (fold, held_out) in folds.iter().enumerate() {
                let others: Vec<usize> = (0..FOLDS).filter(|other| *other != fold).collect();
                let others: Vec<usize> =
                    others.iter().flat_map(|other| &folds[*other]).copied().collect();
                let model = candidate.fit(&train.select(&others), self.device)?;
                let held_out = train.select(held_out);
                let predicted = model.predict_kernel(held_out.features())?;
                let truth = held_out.targets().values();
                errors += predicted.iter().zip(truth).map(|(p, t)| (p - t).powi(2)).sum::<f64>();
            }
            if -errors > best.0 {
                best = (-errors, candidate);
            }
        }
        Ok(best.1)
    }
}

/// What is learned: a name, and the configurations to choose from.
fn learned(d: usize) -> Vec<(String, Vec<Estimator>)> {
    let mlkr = || AnyMethod::from(Mlkr::new());
    let soft = |criterion| AnyMethod::from(SoftNca { criterion, width: AgreementWidth::Median });
    let mut all = Vec::new();
    for (suffix, k) in [("", d), ("-2", 2)] {
        let config = |method, fit| Estimator::new(d, k, method).with_fit(fit);
        let fixed = |method, l2| vec![config(method, FitConfig::new().with_l2(l2))];
        let penalized = |method: AnyMethod| {
            let of = |l2| config(method.clone(), FitConfig::new().with_l2(l2));
            PENALTIES.into_iter().map(of).collect::<Vec<_>>()
        };
        let stop = FitConfig::new().with_early_stopping(Some(EarlyStoppingConfig::new()));
        all.extend([
            (format!("MLKR{suffix}, no l2"), fixed(mlkr(), 0.0)),
            (format!("MLKR{suffix}, early stopping, no l2"), vec![config(mlkr(), stop)]),
            (format!("MLKR{suffix}, l2 0.01"), fixed(mlkr(), 0.01)),
            (format!("MLKR{suffix}, l2 0.02"), fixed(mlkr(), 0.02)),
            (format!("MLKR{suffix}, l2 by CV"), penalized(mlkr())),
            (format!("soft NCA{suffix} f, no l2"), fixed(soft(Criterion::F), 0.0)),
            (format!("soft NCA{suffix} g, no l2"), fixed(soft(Criterion::G), 0.0)),
            (format!("soft NCA{suffix} f, l2 0.02"), fixed(soft(Criterion::F), 0.02)),
            (format!("soft NCA{suffix} g, l2 0.02"), fixed(soft(Criterion::G), 0.02)),
        ]);
    }
    all
}

/// The rows in parts of nearly one size, at random but always the same.
fn folds(rows: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(0));
    (0..FOLDS).map(|fold| order.iter().skip(fold).step_by(FOLDS).copied().collect()).collect()
}

/// Means of the k nearest, k by the leave-one-out error of the training rows.
fn by_neighbors(space: &Space, known: &[f64]) -> Result<Vec<f64>> {
    let numbers = Numbers::new(known, 1);
    let most = (*NEIGHBORS.end()).min(known.len() - 1);
    let others = nearest_others(&space.train, most)?;
    let mut best = (f64::INFINITY, 1);
    for k in *NEIGHBORS.start()..=most {
        let error = squared_error(&nearest_means(&others, numbers, k)?, known);
        if error < best.0 {
            best = (error, k);
        }
    }
    let neighbors = nearest(&space.test, &space.train, best.1, None)?;
    Ok(nearest_means(&neighbors, numbers, best.1)?)
}

/// The kernel rule in the space as it is but for one scale, by the leave-one-out error of the training rows.
fn by_scaled_kernel(space: &Space, known: &[f64]) -> Result<Vec<f64>> {
    let numbers = Numbers::new(known, 1);
    let mut best = (f64::INFINITY, 1.0);
    for exponent in -6..=8 {
        let scale = 2f64.powf(f64::from(exponent) / 2.0);
        let train = space.train.clone().mul_scalar(scale);
        let error = squared_error(&leave_one_out_kernel_means(&train, numbers)?, known);
        if error < best.0 {
            best = (error, scale);
        }
    }
    let scaled = |points: &Tensor<2>| points.clone().mul_scalar(best.1);
    Ok(kernel_means(&scaled(&space.test), &scaled(&space.train), numbers, None)?)
}

fn squared_error(predicted: &[f64], truth: &[f64]) -> f64 {
    predicted.iter().zip(truth).map(|(p, t)| (p - t).powi(2)).sum()
}
