//! A whole fit of a labeled set.

use std::ops::ControlFlow;
use std::time::Instant;

use burn_nca_learn::data::ScalingKind;
use burn_nca_learn::fit::{
    FitConfig, FitSession, LbfgsConfig, OptimizerConfig, Precision, Progress, Termination,
};
use burn_nca_learn::{Error, NcaConfig};
use clap::Args;
use serde_json::{Value, json};

use crate::memory::peak_mib;

#[derive(Args)]
pub struct Arguments {
    /// A bundled set or a file.
    data: String,
    /// Number of embedding dimensions, k.
    #[arg(long, default_value_t = 2)]
    dim: usize,
    /// The device.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// 64-bit numbers.
    #[arg(long)]
    double: bool,
    /// The most iterations.
    #[arg(long, default_value_t = 100)]
    max_iterations: usize,
    /// Stop as soon as f reaches this value.
    #[arg(long)]
    until: Option<f64>,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<Value> {
    let device = burn_nca_learn::device::open(&arguments.device)?;
    let data = burn_nca_data::open(&arguments.data, &Default::default())?.into_labeled()?;
    let precision = if arguments.double { Precision::F64 } else { Precision::F32 };
    let solver = LbfgsConfig::new().with_max_iterations(arguments.max_iterations);
    let fit = FitConfig::new()
        .with_scaling(ScalingKind::Standardize)
        .with_precision(precision)
        .with_optimizer(OptimizerConfig::Lbfgs(solver));
    let d = data.features().columns();
    let config = NcaConfig::new(d, arguments.dim).with_fit(fit);
    let until = arguments.until;
    let mut watch = |progress: &Progress| match until {
        Some(until) if -progress.value >= until => ControlFlow::Break(Termination::Stopped),
        _ => ControlFlow::Continue(()),
    };
    let started = Instant::now();
    let session = FitSession::new().with_progress(&mut watch);
    let fitted = config.estimator().fit_session(&data, &device, session)?;
    let seconds = started.elapsed().as_secs_f64();
    let summary = fitted.summary();
    let accuracy = fitted.leave_one_out(1)?.value().ok_or_else(|| Error::data("no rows"))?;
    Ok(json!({
        "measurement": "fit",
        "data": arguments.data, "dim": arguments.dim, "device": arguments.device,
        "double": arguments.double,
        "f": -summary.value,
        "iterations": summary.iterations,
        "evaluations": summary.evaluations,
        "termination": summary.termination.to_string(),
        "accuracy_train": accuracy,
        "seconds": seconds,
        "peak_mib": peak_mib(),
    }))
}
