//! Value and gradient of NCA over all points of seeded random data.

use std::time::Instant;

use burn::tensor::{DType, Tensor, TensorData};
use burn_nca_learn::encoder::LinearMap;
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLossConfig};
use burn_nca_learn::{MetricModel, Sums};
use clap::Args;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::memory::peak_mib;

#[derive(Args)]
pub struct Arguments {
    /// Number of points, n.
    #[arg(long, default_value_t = 1797)]
    points: usize,
    /// Number of features, d.
    #[arg(long, default_value_t = 64)]
    features: usize,
    /// Number of embedding dimensions, k.
    #[arg(long, default_value_t = 2)]
    dim: usize,
    /// Number of classes.
    #[arg(long, default_value_t = 10)]
    classes: usize,
    /// Rows of a block; chosen by the library when absent.
    #[arg(long)]
    block: Option<usize>,
    /// Memory budget of the blocks in MiB.
    #[arg(long, default_value_t = 512)]
    memory: usize,
    /// The device.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// 64-bit numbers.
    #[arg(long)]
    double: bool,
    /// Sums over pairs as they are defined, differentiated by Burn, instead of fused ones.
    #[arg(long)]
    plain: bool,
    /// Maximize g instead of f.
    #[arg(long)]
    log: bool,
    /// Counted repetitions, after one warm-up.
    #[arg(long, default_value_t = 10)]
    repeat: usize,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<Value> {
    let device = burn_nca_learn::device::open(&arguments.device)?;
    let dtype = if arguments.double { DType::F64 } else { DType::F32 };
    let (n, d, k) = (arguments.points, arguments.features, arguments.dim);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut labels: Vec<usize> = (0..n).map(|row| row % arguments.classes).collect();
    labels.sort_unstable();
    let x: Vec<f32> = (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect();
    let x = TensorData::new(x, [n, d]).convert_dtype(dtype);
    let x = Tensor::<2>::from_data(x, (&device, dtype));
    let weight: Vec<f64> = (0..d * k).map(|_| rng.random_range(-0.3..0.3)).collect();
    let tracked = device.clone().autodiff();
    let criterion = if arguments.log { Criterion::G } else { Criterion::F };
    let sums = if arguments.plain { Sums::Plain } else { Sums::Auto };
    let model = MetricModel::new(
        LinearMap::from_weight(&weight, [d, k], &tracked, dtype),
        NcaLossConfig::new().with_criterion(criterion).with_sums(sums).init(),
    );
    let classes = ClassIndex::new(&labels, &device)?;
    let blocks = BlockConfig::new().with_rows(arguments.block).with_memory_mib(arguments.memory);
    let mut seconds = Vec::with_capacity(arguments.repeat);
    let mut value = 0.0;
    for run in 0..=arguments.repeat {
        let started = Instant::now();
        let at = value_and_gradient(&model, &x, &classes, &blocks);
        let gradient = at.gradients.get::<2>(model.encoder.weight.id);
        let _ = gradient.map(|gradient| gradient.into_data());
        value = at.value;
        if run > 0 {
            seconds.push(started.elapsed().as_secs_f64());
        }
    }
    seconds.sort_by(f64::total_cmp);
    Ok(json!({
        "measurement": "value-gradient",
        "points": n, "features": d, "dim": k, "classes": arguments.classes,
        "device": arguments.device, "double": arguments.double, "plain": arguments.plain,
        "block": arguments.block, "memory_mib": arguments.memory,
        "value": value,
        "seconds": seconds.get(seconds.len() / 2),
        "seconds_min": seconds.first(),
        "peak_mib": peak_mib(),
    }))
}
