//! Points, and the definition of `p_ij`, for the tests of this stage and of evaluation.

use burn::tensor::{DType, Device, Tensor};
use burn_nca::objective::transfer::float_tensor;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::points::Points;

/// Rows of d values each.
pub(crate) fn tensor(values: &[f64], d: usize) -> Tensor<2> {
    tensor_of(values, d, DType::F64)
}

/// The same in another type.
pub(crate) fn tensor_of(values: &[f64], d: usize, dtype: DType) -> Tensor<2> {
    float_tensor(values.to_vec(), [values.len() / d, d], &Device::flex(), dtype)
}

/// Points on a line, in f32.
pub(crate) fn line(points: &[f32]) -> Tensor<2> {
    Tensor::<1>::from_floats(points, &Device::flex()).unsqueeze_dim(1)
}

/// Rows on the host.
pub(super) fn points(values: &[f64], d: usize) -> Points {
    Points::read(&tensor(values, d), "points").unwrap()
}

/// Points of a column and a number between -1 and 1 for each coordinate.
pub(super) fn random_points(
    [n, d]: [usize; 2],
    seed: u64,
    value: impl Fn(usize, f64) -> f64,
) -> Points {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..n * d).map(|at| value(at % d, rng.random_range(-1.0..1.0)));
    points(&values.collect::<Vec<f64>>(), d)
}

/// `||z_i - z_j||²` of two rows.
pub(crate) fn d2(values: &[f64], d: usize, i: usize, j: usize) -> f64 {
    (0..d).map(|c| (values[i * d + c] - values[j * d + c]).powi(2)).sum()
}

/// `log p_ij = log w_j - d²_ij - log Σ_l w_l exp(-d²_il)` of row i and all rows j; a weight of 0 leaves one out.
pub(crate) fn log_shares(
    values: &[f64],
    d: usize,
    i: usize,
    weight: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let logs: Vec<f64> =
        (0..values.len() / d).map(|j| weight(j).ln() - d2(values, d, i, j)).collect();
    let total = log_sum(&logs);
    logs.into_iter().map(|log| log - total).collect()
}

/// `log Σ exp(l)`; minus infinity without a finite term.
pub(crate) fn log_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::MIN, f64::max);
    logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln() + largest
}

/// The weights of leave-one-out: 0 for row i, else 1.
pub(crate) fn others(i: usize) -> impl Fn(usize) -> f64 {
    move |j| f64::from(u8::from(i != j))
}

/// `exp(-Σ_j p_j log p_j)`.
pub(crate) fn perplexity(log_shares: &[f64]) -> f64 {
    let finite = log_shares.iter().filter(|log| log.is_finite());
    finite.map(|log| -log.exp() * log).sum::<f64>().exp()
}
