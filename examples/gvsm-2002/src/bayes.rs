//! The accuracy that no rule can exceed: that of the true densities.

use burn_nca_data::generate::{NoisyXorOptions, noisy_xor};
use burn_nca_learn::Result;

/// The accuracy of the class that is more probable given inputs 1 to 4, whose densities are known, taken on random rows.
///
/// # Errors
/// Options that the generator refuses.
pub fn limit(rows: usize, correlation: f64, noise: [f64; 2]) -> Result<f64> {
    let options = NoisyXorOptions { rows, correlation, noise, ..NoisyXorOptions::default() };
    // A seed of its own, so that the curve is smooth where its points share their random numbers.
    let data = noisy_xor(options, 1_000_003)?;
    let right = (0..data.rows()).filter(|&row| {
        let class = class(data.features().row(row), correlation, noise);
        class == data.labels()[row]
    });
    Ok(right.count() as f64 / data.rows() as f64)
}

/// The more probable class of inputs.
fn class(inputs: &[f64], correlation: f64, noise: [f64; 2]) -> usize {
    let log_density = |a: f64, b: f64| -> f64 {
        let pair = |at: usize, deviation: f64| {
            let (u, v) = ((inputs[at] - a) / deviation, (inputs[at + 1] - b) / deviation);
            let rest = 1.0 - correlation * correlation;
            -(u * u - 2.0 * correlation * u * v + v * v) / (2.0 * rest)
        };
        pair(0, noise[0]) + pair(2, noise[1])
    };
    let sum = |bits: [[f64; 2]; 2]| {
        let logs = bits.map(|[a, b]| log_density(a, b));
        let largest = logs[0].max(logs[1]);
        largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
    };
    usize::from(sum([[0.0, 1.0], [1.0, 0.0]]) > sum([[0.0, 0.0], [1.0, 1.0]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_corner_decides_where_noise_is_independent_and_small() {
        assert_eq!(class(&[0.1, 0.9, 0.0, 1.0], 0.0, [0.3, 0.5]), 1);
        assert_eq!(class(&[0.9, 0.9, 1.2, 1.0], 0.0, [0.3, 0.5]), 0);
    }

    #[test]
    fn the_limits_are_those_of_the_prototype() {
        for (alpha, noise, expected) in
            [(0.0, [0.3, 0.5], 0.950), (0.5, [0.3, 0.5], 0.978), (0.0, [0.55, 0.7], 0.781)]
        {
            let found = limit(20_000, alpha, noise).unwrap();
            assert!((found - expected).abs() < 0.004, "{found} {expected}");
        }
    }
}
