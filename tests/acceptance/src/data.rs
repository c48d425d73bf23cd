//! Seeded random data from a host generator, the same on every machine.

use burn_nca_learn::data::{Features, Labeled};
use burn_nca_learn::encoder::{Activation, EncoderConfig, HiddenLayers};
use burn_nca_learn::fit::{LbfgsConfig, OptimizerConfig};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rows with a class each.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Row-major features, `[n, d]`.
    pub x: Vec<f64>,
    /// Number of features, d.
    pub d: usize,
    /// The class of each row.
    pub y: Vec<usize>,
}

impl Sample {
    /// The rows as the library takes them.
    ///
    /// # Panics
    /// If there is none.
    pub fn labeled(&self) -> Labeled {
        let features = Features::unnamed(self.x.clone(), self.d);
        Labeled::from_labels(features.expect("rows of d features"), self.y.clone())
            .expect("a class per row")
    }
}

/// L-BFGS of so many steps at most.
pub fn lbfgs(steps: usize) -> OptimizerConfig {
    OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(steps))
}

/// Overlapping classes: the class moves the first feature, the others are noise.
pub fn overlapping(n: usize, d: usize, classes: usize, seed: u64) -> Sample {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let y: Vec<usize> = (0..n).map(|_| rng.random_range(0..classes)).collect();
    let mut x = Vec::with_capacity(n * d);
    for &class in &y {
        for column in 0..d {
            let noise: f64 = rng.random_range(-1.0..1.0);
            x.push(if column == 0 { 0.7 * class as f64 + noise } else { noise });
        }
    }
    Sample { x, d, y }
}

/// Uniform numbers in -1..1.
pub fn uniform(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// Some rows of a row-major matrix with this many columns, one after the other.
pub fn select(matrix: &[f64], columns: usize, rows: &[usize]) -> Vec<f64> {
    rows.iter().flat_map(|row| &matrix[row * columns..][..columns]).copied().collect()
}

/// A network of one hidden layer of this size.
pub fn network(size: usize) -> EncoderConfig {
    EncoderConfig::Mlp(HiddenLayers { activation: Activation::Tanh, ..vec![size].into() })
}

/// Rows as columns, of a row-major matrix with this many columns.
pub fn transposed(matrix: &[f64], columns: usize) -> Vec<f64> {
    let column = |at: usize| matrix.iter().skip(at).step_by(columns).copied();
    (0..columns).flat_map(column).collect()
}
