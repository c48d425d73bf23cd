//! Value and gradient of a batch loss, and the stochastic rule: sums over queries and candidates of seeded random data.

use std::time::Instant;

use anyhow::ensure;
use burn::tensor::{Device, Distribution, Int, Tensor};
use burn_nca_learn::neighbors::class_probabilities;
use burn_nca_learn::objective::{
    CandidateLoss, Candidates, ClassTarget, NcaLossConfig, SoftNearestNeighborLossConfig,
    SupConLossConfig,
};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::memory::peak_mib;

/// What is measured.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sum {
    /// NCA's f.
    Nca,
    /// Soft nearest neighbors, by squared distances.
    SoftNearest,
    /// SupCon, by cosines.
    SupCon,
    /// The stochastic rule, which predicts.
    Rule,
}

#[derive(Args)]
pub struct Arguments {
    /// What is measured.
    #[arg(value_enum)]
    sum: Sum,
    /// Number of queries, b.
    #[arg(long, default_value_t = 1024)]
    queries: usize,
    /// Number of candidates, m; the queries are among them.
    #[arg(long, default_value_t = 65536)]
    candidates: usize,
    /// Number of dimensions, k.
    #[arg(long, default_value_t = 64)]
    dim: usize,
    /// Number of classes.
    #[arg(long, default_value_t = 10)]
    classes: usize,
    /// The device.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Counted repetitions, after one warm-up.
    #[arg(long, default_value_t = 5)]
    repeat: usize,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<Value> {
    let device = burn_nca_learn::device::open(&arguments.device)?;
    let (b, m, k) = (arguments.queries, arguments.candidates, arguments.dim);
    ensure!(b <= m, "{b} queries cannot be among {m} candidates");
    device.seed(1);
    let scale = 1.0 / (k as f64).sqrt();
    let points = Tensor::<2>::random([m, k], Distribution::Normal(0.0, scale), &device);
    let labels: Vec<usize> = (0..m).map(|row| row % arguments.classes).collect();
    let mut seconds = Vec::with_capacity(arguments.repeat);
    let mut value = 0.0;
    for run in 0..=arguments.repeat {
        let started = Instant::now();
        value = match arguments.sum {
            Sum::Nca => of_loss(&NcaLossConfig::new().init(), &points, &labels, b),
            Sum::SoftNearest => {
                let loss = SoftNearestNeighborLossConfig::new().init(&device);
                of_loss(&loss, &points, &labels, b)
            }
            Sum::SupCon => of_loss(&SupConLossConfig::new().init(&device), &points, &labels, b),
            Sum::Rule => {
                let queries = points.clone().slice([0..b, 0..k]);
                let own: Vec<usize> = (0..b).collect();
                let classes = arguments.classes;
                let found = class_probabilities(&queries, &points, &labels, classes, Some(&own))?;
                (0..b).map(|row| found.probability(row, labels[row])).sum::<f64>() / b as f64
            }
        };
        if run > 0 {
            seconds.push(started.elapsed().as_secs_f64());
        }
    }
    seconds.sort_by(f64::total_cmp);
    Ok(json!({
        "measurement": format!("{:?}", arguments.sum),
        "queries": b, "candidates": m, "dim": k, "classes": arguments.classes,
        "device": arguments.device,
        "value": value,
        "seconds": seconds.get(seconds.len() / 2),
        "seconds_min": seconds.first(),
        "peak_mib": peak_mib(),
    }))
}

/// The value, after the gradient with respect to the queries.
fn of_loss(loss: &impl CandidateLoss, points: &Tensor<2>, labels: &[usize], b: usize) -> f64 {
    let device: Device = points.device().autodiff();
    let labels: Vec<i64> = labels.iter().map(|label| *label as i64).collect();
    let labels = Tensor::<1, Int>::from_data(labels.as_slice(), &device);
    let target = ClassTarget::of_labels(labels.clone());
    let own = target.ids.clone().slice([0..b]);
    let all = points.clone().autodiff();
    let queries = all.clone().slice([0..b, 0..points.dims()[1]]).detach().require_grad();
    let candidates = Candidates::of_samples(all, target, own);
    let value = loss.forward_among(queries.clone(), labels.slice([0..b]), &candidates);
    let _ = queries.grad(&value.backward()).map(Tensor::into_data);
    value.into_scalar()
}
