//! The seconds of a nearest-neighbor search between two NumPy files.

use std::path::PathBuf;
use std::time::Instant;

use burn::tensor::DType;
use burn_nca_data::read_npy_features;
use burn_nca_learn::data::TensorFeatures;
use burn_nca_learn::neighbors::{NearestConfig, SearchMethod};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Method {
    Auto,
    BruteForce,
    Tree,
}

#[derive(Args)]
pub struct Arguments {
    /// The points to search among, as a NumPy file (m x d).
    #[arg(long)]
    references: PathBuf,
    /// The points whose neighbors are searched (n x d).
    #[arg(long)]
    queries: PathBuf,
    /// Number of neighbors of each query.
    #[arg(long, short, default_value_t = 5)]
    k: usize,
    /// How to search.
    #[arg(long, value_enum, default_value = "auto")]
    method: Method,
    /// Searches, after which the fastest counts.
    #[arg(long, default_value_t = 5)]
    repeat: usize,
    /// The device.
    #[arg(long, default_value = "cpu")]
    device: String,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<Value> {
    let device = burn_nca_learn::device::open(&arguments.device)?;
    let references = read_npy_features(&arguments.references)?.to_tensor(&device, DType::F32);
    let queries = read_npy_features(&arguments.queries)?.to_tensor(&device, DType::F32);
    let method = match arguments.method {
        Method::Auto => SearchMethod::Auto,
        Method::BruteForce => SearchMethod::BruteForce,
        Method::Tree => SearchMethod::Tree,
    };
    let search = NearestConfig::new(arguments.k).with_method(method);
    let (mut fastest, mut sum) = (f64::INFINITY, 0u64);
    for _ in 0..arguments.repeat.max(1) {
        let started = Instant::now();
        let found = search.search(&queries, &references, None)?;
        fastest = fastest.min(started.elapsed().as_secs_f64());
        sum = (0..found.rows()).flat_map(|row| found.indices(row)).map(|&at| u64::from(at)).sum();
    }
    let [[n, d], [m, _]] = [queries.dims(), references.dims()];
    Ok(json!({
        "measurement": "search",
        "queries": n,
        "references": m,
        "dimensions": d,
        "k": arguments.k,
        "method": format!("{:?}", arguments.method),
        "seconds": fastest,
        "sum_of_indices": sum,
    }))
}
