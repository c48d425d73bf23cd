//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use serde::{Deserialize, Serialize};

/// Learns an embedding of the MNIST digits in which nearest neighbors classify well.
///
/// All 60000 training digits are trained on and are the references of the nearest-neighbor rule; the standard
/// 10000 test digits are classified after each epoch. With --held-out 5000 the last 5000 training digits are held
/// out instead and the test digits are left alone: that is how to choose settings.
#[derive(Parser, Debug)]
#[command(version, about, long_about)]
pub struct Arguments {
    /// Folder with the four IDX files of MNIST (gzipped or not)
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// The map from pixels to the embedding
    #[arg(long, value_enum, default_value = "linear")]
    pub encoder: EncoderKind,

    /// Number of embedding dimensions [default: 32 for linear, 30 for the networks]
    #[arg(long, value_name = "K")]
    pub dim: Option<usize>,

    /// The criterion: g (log probability) or f (expected accuracy)
    #[arg(long, value_enum, default_value = "g")]
    pub objective: Objective,

    /// Passes over the training digits [default: by encoder]
    #[arg(long)]
    pub epochs: Option<usize>,

    /// Digits of a batch: the neighbors of a digit are those of its batch [default: by encoder]
    #[arg(long, value_name = "N")]
    pub batch_size: Option<usize>,

    /// Learning rate at the start; it falls to 0 along a cosine [default: by encoder]
    #[arg(long, value_name = "RATE")]
    pub lr: Option<f64>,

    /// Weight decay of AdamW
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0)]
    pub weight_decay: f32,

    /// Random distortions of the training digits
    #[arg(long, value_enum, default_value = "none")]
    pub augment: Augmentation,

    /// Hold out the last N training digits, and measure on them instead of the test digits
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub held_out: usize,

    /// Seed of the start, the order of the digits and their distortions
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Where to compute: cpu, flex, ndarray, wgpu, cuda, …
    #[arg(long, default_value = "default")]
    pub device: String,

    /// Folder of the results; it must not exist
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Resume a run that was interrupted, with the same settings
    #[arg(long)]
    pub resume: bool,

    /// Also time the search on raw pixels and on principal components (takes a minute)
    #[arg(long)]
    pub raw: bool,

    /// No progress bar
    #[arg(long, short)]
    pub quiet: bool,
}

/// The map from pixels to the embedding.
#[derive(ValueEnum, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum EncoderKind {
    /// The paper's A, from the principal components on
    Linear,
    /// Two hidden layers
    Mlp,
    /// Three convolutions and one hidden layer
    Cnn,
}

/// The criterion of the paper.
#[derive(ValueEnum, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The expected number of digits classified correctly
    F,
    /// The log probability that all are
    G,
}

/// Random distortions of the training digits.
#[derive(ValueEnum, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Augmentation {
    /// The digits as they are
    None,
    /// Small rotations, scalings, shears and shifts
    Affine,
    /// The same, and a smooth random bending
    Elastic,
}
