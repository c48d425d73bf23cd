//! One split: a fit on the training part, and every rule on the test part.

use anyhow::{Context, Result};
use burn::tensor::Device;
use burn_nca_learn::data::{Labeled, ScalingKind, Split};
use burn_nca_learn::evaluate::{Accuracy, CrossValidatedK, Embedded, perplexities};
use burn_nca_learn::fit::{FitConfig, LbfgsConfig, OptimizerConfig, Start};
use burn_nca_learn::neighbors::{Neighbors, PerplexityMean, global_k, majority_vote, nearest};
use burn_nca_learn::{Fitted, NcaConfig};
use serde_json::{Value, json};

use super::Fit;

/// The rules that are compared, in the order of a [`Trial`]'s numbers.
pub const RULES: [&str; 7] =
    ["nearest", "cross_validated", "arithmetic", "geometric", "median", "local", "soft"];

/// The largest k that cross-validation tries.
const LARGEST_K: usize = 50;

/// The test accuracy and the k of each rule on one split.
pub struct Trial {
    /// In the order of [`RULES`], 0..1.
    pub accuracies: [f64; RULES.len()],
    /// The k of each rule: the mean over the test rows for `local`, none for `soft`.
    pub k: [Option<f64>; RULES.len()],
}

impl Trial {
    /// Both in the order of [`RULES`].
    pub fn to_json(&self) -> Value {
        json!({ "accuracy": self.accuracies, "k": self.k })
    }
}

/// Fits on the training rows of a split, and classifies its test rows by every rule.
pub(super) fn run(fit: &Fit, split: &Split, device: &Device) -> Result<Trial> {
    let (train, test) = (fit.data.select(&split.train), fit.data.select(&split.test));
    let fitted = configuration(fit).fit(&train, device)?;
    let ks = ks(&fitted)?;
    let embedding = fitted.transform(test.features())?;
    let largest = ks.iter().copied().max().context("there is a k of every rule")?;
    let neighbors = nearest(&embedding, fitted.references(), largest, None)?;
    let mut accuracies = Vec::with_capacity(RULES.len());
    for &k in &ks {
        accuracies.push(knn_accuracy(&fitted, &neighbors, &test, k)?);
    }
    let local = fitted.predict_local_k(test.features())?;
    accuracies.push(share(&local.predicted, &test)?);
    let soft = fitted.class_probabilities(test.features())?;
    accuracies.push(share(&soft.most_probable(), &test)?);
    let local_k = local.k.iter().sum::<usize>() as f64 / local.k.len() as f64;
    let k = ks.iter().map(|k| Some(*k as f64)).chain([Some(local_k), None]);
    Ok(Trial { accuracies: rule_by_rule(accuracies), k: rule_by_rule(k.collect()) })
}

/// Plain NCA, whatever the defaults: standardized features, automatic start, no penalty, no early stopping.
fn configuration(fit: &Fit) -> NcaConfig {
    let plain = FitConfig::new()
        .with_scaling(ScalingKind::Standardize)
        .with_start(Start::Auto)
        .with_l2(0.0)
        .with_optimizer(OptimizerConfig::Lbfgs(LbfgsConfig::new()))
        .with_early_stopping(None);
    NcaConfig::new(fit.data.features().columns(), fit.dim)
        .with_criterion(fit.criterion)
        .with_fit(plain)
}

/// The k of the first five rules, from the training rows alone.
fn ks(fitted: &Fitted) -> Result<[usize; 5]> {
    let embedded = Embedded::new(fitted.references(), fitted.reference_labels());
    let largest = LARGEST_K.min(embedded.labels.len() - 1);
    let chosen = CrossValidatedK::choose(embedded, largest)?.k();
    let perplexities = perplexities(embedded.points)?;
    let global = |mean| global_k(&perplexities, mean);
    Ok([
        1,
        chosen,
        global(PerplexityMean::Arithmetic)?,
        global(PerplexityMean::Geometric)?,
        global(PerplexityMean::Median)?,
    ])
}

fn knn_accuracy(fitted: &Fitted, neighbors: &Neighbors, test: &Labeled, k: usize) -> Result<f64> {
    let classes = fitted.class_names().len();
    share(&majority_vote(neighbors, fitted.reference_labels(), classes, k)?, test)
}

fn share(predicted: &[usize], test: &Labeled) -> Result<f64> {
    let accuracy = Accuracy::of(predicted, test.labels())?;
    accuracy.value().context("a split has test rows")
}

fn rule_by_rule<T: std::fmt::Debug>(values: Vec<T>) -> [T; RULES.len()] {
    values.try_into().expect("every rule has been measured")
}
