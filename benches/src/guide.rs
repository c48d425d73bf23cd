//! The small experiments behind the pages of `docs/guide`, on bundled sets: every page's table is one of them.

use burn::tensor::{DType, Device};
use burn_nca_learn::data::{Labeled, ScalingKind, Split, stratified_split};
use burn_nca_learn::evaluate::{Accuracy, Quantiles, Spread, expected_accuracy, perplexities};
use burn_nca_learn::fit::{FitConfig, LbfgsConfig, OptimizerConfig, Start, StochasticConfig};
use burn_nca_learn::neighbors::class_probabilities;
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Error, NcaConfig};
use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};

/// Splits of each experiment: seeds 0 to 4.
const SPLITS: u64 = 5;

/// Share of each class that is held out.
const TEST_SHARE: f64 = 0.3;

#[derive(Args)]
pub struct Arguments {
    /// The device.
    #[arg(long, default_value = "cpu")]
    device: String,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<Value> {
    let device = burn_nca_learn::device::open(&arguments.device)?;
    Ok(json!({
        "measurement": "guide",
        "splits": SPLITS,
        "objective": objectives(&device)?,
        "batch_size": batch_sizes(&device)?,
        "scale": scales(&device)?,
    }))
}

/// Criterion and penalty on three sets, to full and to two dimensions.
fn objectives(device: &Device) -> anyhow::Result<Vec<Value>> {
    let settings = [
        ("f", Criterion::F, 0.0),
        ("f, l2 0.01", Criterion::F, 1e-2),
        ("g", Criterion::G, 0.0),
        ("g, l2 0.01", Criterion::G, 1e-2),
    ];
    let mut rows = Vec::new();
    for set in ["wine", "balance", "digits"] {
        let data = burn_nca_data::open(set, &Default::default())?.into_labeled()?;
        let d = data.features().columns();
        for (name, criterion, l2) in settings {
            let config =
                NcaConfig::new(d, 2).with_criterion(criterion).with_fit(plain().with_l2(l2));
            rows.push(row(json!({"set": set, "objective": name}), &config, &data, device)?);
        }
    }
    Ok(rows)
}

/// Mini-batches of digits to ten dimensions, compared with the exact fit.
fn batch_sizes(device: &Device) -> anyhow::Result<Vec<Value>> {
    let data = burn_nca_data::open("digits", &Default::default())?.into_labeled()?;
    let config = |optimizer| {
        NcaConfig::new(64, 10)
            .with_criterion(Criterion::G)
            .with_fit(plain().with_l2(1e-3).with_optimizer(optimizer))
    };
    let mut rows = Vec::new();
    for batch_size in [25, 50, 100, 200, 400, 1257] {
        // As many steps for every size, so that only the neighbors of a step differ.
        let epochs = (batch_size * 600 / 1257).max(1);
        let adam =
            StochasticConfig::new().with_batch_size(Some(batch_size)).with_epochs(Some(epochs));
        let name = json!({"fit": "adam", "batch_size": batch_size, "epochs": epochs});
        rows.push(row(name, &config(OptimizerConfig::Adam(adam)), &data, device)?);
    }
    let exact = config(OptimizerConfig::Lbfgs(LbfgsConfig::new()));
    rows.push(row(json!({"fit": "lbfgs"}), &exact, &data, device)?);
    Ok(rows)
}

/// The scale of a random start of digits to two dimensions: what the fit can see from it.
fn scales(device: &Device) -> anyhow::Result<Vec<Value>> {
    let data = burn_nca_data::open("digits", &Default::default())?.into_labeled()?;
    let mut rows = Vec::new();
    for scale in [0.001, 0.01, 0.125, 1.0, 10.0] {
        let fit = plain().with_start(Start::Random { scale: Some(scale) });
        let start = fit
            .clone()
            .with_optimizer(OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(0)));
        let at_start = NcaConfig::new(64, 2).with_fit(start);
        let fitted = NcaConfig::new(64, 2).with_fit(fit);
        rows.push(json!({
            "scale": scale,
            "start": row(json!({}), &at_start, &data, device)?,
            "end": row(json!({}), &fitted, &data, device)?,
        }));
    }
    Ok(rows)
}

/// The settings that every experiment starts from, named one by one: they must not follow the defaults.
fn plain() -> FitConfig {
    FitConfig::new()
        .with_scaling(ScalingKind::Standardize)
        .with_l2(0.0)
        .with_early_stopping(None)
        .with_optimizer(OptimizerConfig::Lbfgs(LbfgsConfig::new()))
}

/// The means over the splits, next to the subject of the row.
fn row(about: Value, config: &NcaConfig, data: &Labeled, device: &Device) -> anyhow::Result<Value> {
    let scores: Vec<Scores> = (0..SPLITS)
        .into_par_iter()
        .map(|seed| {
            let split = stratified_split(data.labels(), TEST_SHARE, seed)?;
            let fit = config.fit.clone().with_seed(seed);
            Scores::of(&config.clone().with_fit(fit), data, &split, device)
        })
        .collect::<anyhow::Result<_>>()?;
    let mean =
        |value: fn(&Scores) -> f64| scores.iter().map(value).sum::<f64>() / scores.len() as f64;
    let mut row = json!({
        "nn_train": mean(|s| s.nn_train),
        "nn_test": mean(|s| s.nn_test),
        "soft_test": mean(|s| s.soft_test),
        "expected_test": mean(|s| s.expected_test),
        "perplexity": mean(|s| s.perplexity),
        "total_variance": mean(|s| s.total_variance),
        "seconds": mean(|s| s.seconds),
        "iterations": mean(|s| s.iterations),
    });
    if let (Value::Object(row), Value::Object(about)) = (&mut row, about) {
        row.extend(about);
    }
    Ok(row)
}

/// What one fit came to.
struct Scores {
    nn_train: f64,
    nn_test: f64,
    soft_test: f64,
    expected_test: f64,
    /// Median over the training rows.
    perplexity: f64,
    total_variance: f64,
    seconds: f64,
    iterations: f64,
}

impl Scores {
    fn of(
        config: &NcaConfig,
        data: &Labeled,
        split: &Split,
        device: &Device,
    ) -> anyhow::Result<Self> {
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let fitted = config.fit(&train, device)?;
        let empty = || Error::data("a part of the split has no rows");
        let z = fitted.references().clone().cast(DType::F64);
        let queries = fitted.transform(test.features())?.cast(DType::F64);
        let soft = class_probabilities(&queries, &z, train.labels(), train.classes(), None)?;
        let perplexity = Quantiles::of(&perplexities(&z)?).ok_or_else(empty)?;
        Ok(Self {
            nn_train: fitted.leave_one_out(1)?.value().ok_or_else(empty)?,
            nn_test: fitted.accuracy(&test, 1)?.value().ok_or_else(empty)?,
            soft_test: Accuracy::of(&soft.most_probable(), test.labels())?
                .value()
                .ok_or_else(empty)?,
            expected_test: expected_accuracy(&soft, test.labels())?.ok_or_else(empty)?,
            perplexity: perplexity.median,
            total_variance: Spread::of(&z)?.ok_or_else(empty)?.total_variance,
            seconds: fitted.summary().seconds,
            iterations: fitted.summary().iterations as f64,
        })
    }
}
