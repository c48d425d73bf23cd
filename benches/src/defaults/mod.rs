//! The default of `nca fit` compared with fixed settings and Euclidean distance: 3-NN on given folds, both scalings.
//!
//! A task is one set, one scaling, one fold. Each finished one is written, so that an interrupted measurement continues
//! where it stopped. Every candidate is fitted on all training rows too, so that other rules of choosing can be tried
//! on the results. With `--tune` a search of some seconds is added to each task that has none.

mod sets;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use burn::tensor::Device;
use burn_nca_learn::data::{Labeled, ScalingKind};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::estimator::tune::{Candidate, StepScore, TuneConfig, TuneSession};
use burn_nca_learn::fit::{FitConfig, Penalty, START_PERPLEXITY};
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Error, NcaConfig, Result};
use burn_nca_program::eprint_line;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::results;

/// The k of the k-NN that is measured.
const NEIGHBORS: usize = 3;

/// The seconds of the search that `--tune` adds, and its name in the results.
const BUDGET: f64 = 4.0;
const TUNED: &str = "tune, 4 s";

#[derive(Args)]
pub struct Arguments {
    /// The folder of the sets.
    #[arg(long)]
    data: PathBuf,
    /// The results: read first, written after each task.
    #[arg(long)]
    out: PathBuf,
    /// The sets.
    #[arg(long, value_delimiter = ',')]
    sets: Vec<String>,
    /// The most folds of a set.
    #[arg(long, default_value_t = 10)]
    most_splits: usize,
    /// The scalings: min-max, standardized.
    #[arg(long, value_delimiter = ',', default_value = "min-max,standardized")]
    scalings: Vec<String>,
    /// Networks in the place of maps: fixed settings alone.
    #[arg(long, conflicts_with = "tune")]
    networks: bool,
    /// Adds what `nca fit --tune --budget 4` reaches, to the tasks of before too.
    #[arg(long)]
    tune: bool,
}

/// One set, one scaling, one fold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Task {
    set: String,
    scaling: String,
    split: usize,
}

/// What a method reached on the test rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Run {
    method: String,
    /// Accuracy, 0..1.
    accuracy: f64,
    seconds: f64,
    /// What a candidate came to in the comparison inside the training rows: the accuracy of each fold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    compared: Vec<f64>,
}

/// A task with what every method reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Done {
    #[serde(flatten)]
    task: Task,
    runs: Vec<Run>,
    /// What the default chose.
    chosen: Option<String>,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<Value> {
    let device = Device::flex();
    let mut results = results::read::<Done>(&arguments.out)?;
    let started = Instant::now();
    let open = |name: &String| sets::open_set(&arguments.data, name, arguments.most_splits);
    let sets: Vec<sets::Set> = arguments.sets.iter().map(open).collect::<anyhow::Result<_>>()?;
    // Fold by fold, so that a measurement that is cut short has seen all sets alike.
    for split in 0..arguments.most_splits {
        for set in sets.iter().filter(|set| split < set.splits.len()) {
            for scaling in &arguments.scalings {
                let task = Task { set: set.name.clone(), scaling: scaling.clone(), split };
                let said = format!("{} {scaling} fold {split}", set.name);
                let known = results.iter().position(|done| done.task == task);
                let lacks = |done: &Done| !done.runs.iter().any(|run| run.method == TUNED);
                if known.is_some_and(|known| !arguments.tune || !lacks(&results[known])) {
                    continue;
                }
                let part = set.part(split);
                let known = match known {
                    Some(known) => known,
                    None => {
                        let (runs, chosen) = if arguments.networks {
                            networks(&part, scaling, &device).map(|runs| (runs, None))
                        } else {
                            maps(&part, scaling, &device)
                        }
                        .with_context(|| said.clone())?;
                        results.push(Done { task, runs, chosen });
                        results.len() - 1
                    }
                };
                if arguments.tune {
                    let run = tuned(&part, scaling, &device).with_context(|| said.clone())?;
                    results[known].runs.push(run);
                }
                results::write(&arguments.out, &results)?;
                eprint_line(&format!("{said}, {:.0} s", started.elapsed().as_secs_f64()));
            }
        }
    }
    Ok(json!({ "measurement": "defaults", "tasks": results.len() }))
}

/// Maps of as many dimensions as features: Euclidean distance, what was the default before, and the candidates of the
/// comparison with its choice. Without a budget, so that a busy machine chooses the same.
fn maps(
    [train, test]: &[Labeled; 2],
    scaling: &str,
    device: &Device,
) -> Result<(Vec<Run>, Option<String>)> {
    let d = train.features().columns();
    let scaled = |config: NcaConfig| {
        let fit = config.fit.clone().with_scaling(kind(scaling));
        config.with_fit(fit)
    };
    let measure = |method: &str, config: &NcaConfig| fit(method, config, train, test, device);
    let before =
        NcaConfig::new(d, d).with_criterion(Criterion::G).with_fit(FitConfig::new().with_l2(0.01));
    let mut runs = vec![measure("before: g, l2 0.01 of the weights", &scaled(before))?];
    let default = scaled(NcaConfig::recommended(d, d));
    let mut tune = TuneConfig::default_candidates(&default, train, true)
        .ok_or_else(|| Error::data("nothing to compare"))?
        .with_budget(None);
    // The table is of linear maps, and so are the fits of `measure`.
    let linear = |one: &Candidate| one.method.is_none() && one.network.is_none();
    tune.candidates.iter_mut().for_each(|all| all.retain(linear));
    let started = Instant::now();
    let search = default.estimator().search(&tune, train, device, TuneSession::new())?;
    let seconds = started.elapsed().as_secs_f64();
    let accuracies = |score: &StepScore| score.folds.iter().map(|fold| fold.accuracy).collect();
    for trial in &search.trials {
        let run = measure(&name(&trial.candidate), &trial.candidate.apply(&default))?;
        runs.push(Run { compared: accuracies(trial.end()), ..run });
    }
    let choice = search.choice.as_ref().ok_or_else(|| Error::data("no trial was finished"))?;
    let chosen = name(&search.trials[choice.trial].candidate);
    let same = runs.iter().find(|run| run.method == chosen);
    let accuracy = same.map(|run| run.accuracy).ok_or_else(|| Error::data("no such candidate"))?;
    runs.push(Run { method: "default".to_string(), accuracy, seconds, compared: Vec::new() });
    Ok((runs, Some(chosen)))
}

/// What `nca fit --tune --budget 4` does: the search over all candidates, from the settings of no option.
fn tuned([train, test]: &[Labeled; 2], scaling: &str, device: &Device) -> Result<Run> {
    let d = train.features().columns();
    let usual = NcaConfig::recommended(d, d);
    let fit = usual.fit.clone().with_scaling(kind(scaling));
    let usual = usual.with_fit(fit);
    let tune = TuneConfig::new().with_budget(Some(BUDGET));
    let started = Instant::now();
    let tuned = usual.tune(&tune, train, device, TuneSession::new())?;
    finished(TUNED, tuned.fitted.accuracy(test, NEIGHBORS)?.value(), started)
}

/// Networks of one hidden layer of 64: the start as Burn has it and of perplexity 15, penalties of weights and spread.
fn networks([train, test]: &[Labeled; 2], scaling: &str, device: &Device) -> Result<Vec<Run>> {
    let d = train.features().columns();
    let encoder = EncoderConfig::mlp(&[64]);
    let base = NcaConfig::recommended_for(encoder, d, 2);
    let mut runs = Vec::new();
    for (name, l2, penalty, perplexity) in [
        ("weights 0.001", 0.001, Penalty::Weights, None),
        ("weights 0.001, px 15", 0.001, Penalty::Weights, Some(START_PERPLEXITY)),
        ("spread 0.01, px 15", 0.01, Penalty::Spread, Some(START_PERPLEXITY)),
        ("spread 0.001, px 15", 0.001, Penalty::Spread, Some(START_PERPLEXITY)),
    ] {
        let fit_config = base
            .fit
            .clone()
            .with_scaling(kind(scaling))
            .with_l2(l2)
            .with_penalty(Some(penalty))
            .with_start_perplexity(perplexity);
        let config = base.clone().with_fit(fit_config);
        runs.push(fit(name, &config, train, test, device)?);
    }
    Ok(runs)
}

fn fit(
    method: &str,
    config: &NcaConfig,
    train: &Labeled,
    test: &Labeled,
    device: &Device,
) -> Result<Run> {
    let started = Instant::now();
    let fitted = config.fit(train, device)?;
    finished(method, fitted.accuracy(test, NEIGHBORS)?.value(), started)
}

fn finished(method: &str, accuracy: Option<f64>, started: Instant) -> Result<Run> {
    Ok(Run {
        method: method.to_string(),
        accuracy: accuracy.ok_or_else(|| Error::data("the fold has no test rows"))?,
        seconds: started.elapsed().as_secs_f64(),
        compared: Vec::new(),
    })
}

/// A candidate without its dimensions, which differ from set to set.
fn name(candidate: &Candidate) -> String {
    let text = candidate.to_string();
    text.rsplit_once(", k = ").map_or(text.clone(), |(name, _)| name.to_string())
}

fn kind(scaling: &str) -> ScalingKind {
    if scaling == "min-max" { ScalingKind::MinMax } else { ScalingKind::Standardize }
}
