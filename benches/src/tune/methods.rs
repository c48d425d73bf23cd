//! What is compared, on one split.

use std::time::Instant;

use burn::tensor::{DType, Device};
use burn_nca_learn::baseline::{LdaConfig, PcaConfig, Projection};
use burn_nca_learn::data::{Labeled, Scaling, ScalingKind, TensorFeatures};
use burn_nca_learn::estimator::tune::{TuneConfig, TuneSession};
use burn_nca_learn::evaluate::{Embedded, held_out_accuracy};
use burn_nca_learn::fit::FitConfig;
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Error, NcaConfig, Result};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::Arguments;
use super::sets::Part;

/// The rank of A.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum,
)]
pub enum Rank {
    /// As many dimensions as features.
    Square,
    /// Two dimensions.
    Two,
}

/// What a method reached on the test rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub method: String,
    /// 1-NN accuracy, 0..1.
    pub accuracy: f64,
    pub seconds: f64,
    /// What a search chose.
    pub chosen: Option<String>,
}

/// The name of NCA as scikit-learn has it: f, no penalty, to the end, automatic start.
pub const PLAIN: &str = "f, l2 0";
/// The name of the search's result.
pub const TUNED: &str = "tuned";

pub fn run(
    part: &Part,
    rank: Rank,
    arguments: &Arguments,
    device: &Device,
) -> anyhow::Result<Vec<Run>> {
    let d = part.train.features().columns();
    let k = if rank == Rank::Square { d } else { 2 };
    let plain = NcaConfig::new(d, k)
        .with_criterion(Criterion::F)
        .with_fit(FitConfig::new().with_l2(0.0).with_stop_at(None));
    let mut runs = baselines(part, rank, device)?;
    for (name, config) in fixed(&plain) {
        if name == PLAIN || !arguments.without_fixed {
            let started = Instant::now();
            let fitted = config.fit(&part.train, device)?;
            let accuracy = share(fitted.accuracy(&part.test, 1)?.value())?;
            runs.push(finished(name, accuracy, started));
        }
    }
    let tune = TuneConfig::new().with_budget(arguments.budget);
    let started = Instant::now();
    let tuned = plain.tune(&tune, &part.train, device, TuneSession::new())?;
    let accuracy = share(tuned.fitted.accuracy(&part.test, 1)?.value())?;
    let choice = tuned.search.choice.ok_or_else(|| Error::data("no trial was finished"))?;
    let candidate = &tuned.search.trials[choice.trial].candidate;
    let stop = choice.stop_at.map_or("to the end".to_string(), |steps| format!("{steps} steps"));
    runs.push(Run {
        chosen: Some(format!("{candidate}, {stop}")),
        ..finished(TUNED.to_string(), accuracy, started)
    });
    Ok(runs)
}

/// Settings without a search: criterion, penalty, number of steps.
fn fixed(plain: &NcaConfig) -> Vec<(String, NcaConfig)> {
    let mut all = Vec::new();
    for (criterion, letter) in [(Criterion::F, "f"), (Criterion::G, "g")] {
        for l2 in [0.0, 0.001, 0.003, 0.01, 0.03] {
            for stop_at in [None, Some(20)] {
                let mut config = plain.clone().with_criterion(criterion);
                (config.fit.l2, config.fit.stop_at) = (l2, stop_at);
                let stop = stop_at.map_or(String::new(), |steps| format!(", {steps} steps"));
                all.push((format!("{letter}, l2 {l2}{stop}"), config));
            }
        }
    }
    all
}

/// Euclidean distance for a square A, PCA and LDA for rank 2.
fn baselines(part: &Part, rank: Rank, device: &Device) -> Result<Vec<Run>> {
    let scaling = Scaling::fit(ScalingKind::Standardize, part.train.features());
    let scaled = |data: &Labeled| data.with_features(scaling.apply(data.features())?);
    let (train, test) = (scaled(&part.train)?, scaled(&part.test)?);
    let judge = |name: &str, map: Projection| -> Result<Run> {
        let started = Instant::now();
        let place = |data: &Labeled| {
            Ok::<_, Error>(map.apply(data.features())?.to_tensor(device, DType::F64))
        };
        let (references, queries) = (place(&train)?, place(&test)?);
        let accuracy = held_out_accuracy(
            Embedded::new(&references, train.labels()),
            Embedded::new(&queries, test.labels()),
            1,
        )?;
        Ok(finished(name.to_string(), share(accuracy.value())?, started))
    };
    if rank == Rank::Square {
        return Ok(vec![judge("Euclidean", Projection::euclidean(train.features().columns()))?]);
    }
    // A constant column makes the scatter singular.
    let lda = LdaConfig::new(2.min(train.classes() - 1)).fit_or_shrink(&train)?;
    Ok(vec![
        judge("PCA", PcaConfig::new(2).fit(train.features())?.projection)?,
        judge("LDA", lda.projection)?,
    ])
}

fn finished(method: String, accuracy: f64, started: Instant) -> Run {
    Run { method, accuracy, seconds: started.elapsed().as_secs_f64(), chosen: None }
}

fn share(value: Option<f64>) -> Result<f64> {
    value.ok_or_else(|| Error::data("the split has no test rows"))
}
