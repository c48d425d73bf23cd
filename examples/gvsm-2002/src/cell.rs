//! One noise, correlation and seed: a training set, a test set, and the accuracy of each method.

use anyhow::Result;
use burn::tensor::Device;
use burn_nca_data::generate::{NoisyXorOptions, noisy_xor};
use serde::{Deserialize, Serialize};

use crate::method::Method;

/// Training rows of the paper; the other 1000 are its test rows.
const TRAIN: usize = 100;
const ROWS: usize = 1100;

/// The noise of a figure: standard deviations on inputs 1-2 and 3-4.
pub const FIGURES: [(&str, [f64; 2]); 2] = [("figure-3", [0.3, 0.5]), ("figure-4", [0.55, 0.7])];

/// The correlations of the paper.
pub const CORRELATIONS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Standard deviations of the noise.
    pub noise: [f64; 2],
    /// Its correlation, alpha.
    pub correlation: f64,
    /// The seed of the rows.
    pub seed: u64,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What was asked for.
    #[serde(flatten)]
    pub job: Job,
    /// The accuracy of each method on the test rows, 0..1, in the order of [`Method::ALL`].
    pub accuracies: Vec<(Method, f64)>,
}

impl Job {
    /// All jobs, seed by seed, so that a run that is cut off has whole curves.
    pub fn all(seeds: u64) -> Vec<Self> {
        let of_seed = |seed| {
            FIGURES.into_iter().flat_map(move |(_, noise)| {
                CORRELATIONS.map(|correlation| Self { noise, correlation, seed })
            })
        };
        (0..seeds).flat_map(of_seed).collect()
    }

    /// Measures all methods.
    ///
    /// # Errors
    /// A fit that is refused.
    pub fn run(self, device: &Device) -> Result<Cell> {
        let Self { noise, correlation, seed } = self;
        let options =
            NoisyXorOptions { rows: ROWS, correlation, noise, ..NoisyXorOptions::default() };
        let data = noisy_xor(options, seed)?;
        let rows: Vec<usize> = (0..ROWS).collect();
        let (train, test) = (data.select(&rows[..TRAIN]), data.select(&rows[TRAIN..]));
        let accuracy = |method: Method| Ok((method, method.accuracy(&train, &test, device)?));
        let accuracies = Method::ALL.into_iter().map(accuracy).collect::<Result<_>>()?;
        Ok(Cell { job: self, accuracies })
    }
}
