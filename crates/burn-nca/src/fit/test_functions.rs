//! Functions with known minima that the minimizers' tests share.

use super::Evaluation;

/// The chained Rosenbrock function: a curved valley to the minimum 0 at (1, ..., 1).
///
/// ```text
/// f = sum_i 100 (x_{i+1} - x_i²)² + (1 - x_i)²
/// ```
pub(super) fn rosenbrock(x: &[f64]) -> Evaluation {
    let mut value = 0.0;
    let mut gradient = vec![0.0; x.len()];
    for i in 0..x.len() - 1 {
        let (bend, rest) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * bend * bend + rest * rest;
        gradient[i] += -400.0 * x[i] * bend - 2.0 * rest;
        gradient[i + 1] += 200.0 * bend;
    }
    Evaluation::new(value, gradient)
}

/// The usual start of [`rosenbrock`]: -1.2, 1, -1.2, 1, ...
pub(super) fn rosenbrock_start(n: usize) -> Vec<f64> {
    (0..n).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect()
}

/// A quadratic whose curvatures run from 1 to `condition`, with the minimum 0 at (1, ..., 1).
pub(super) fn quadratic(x: &[f64], condition: f64) -> Evaluation {
    let last = (x.len() - 1).max(1) as f64;
    let mut value = 0.0;
    let mut gradient = Vec::with_capacity(x.len());
    for (i, x) in x.iter().enumerate() {
        let curvature = condition.powf(i as f64 / last);
        value += 0.5 * curvature * (x - 1.0) * (x - 1.0);
        gradient.push(curvature * (x - 1.0));
    }
    Evaluation::new(value, gradient)
}

/// Not a number outside the open unit cube, with its minimum at (0.75, ..., 0.75).
///
/// ```text
/// f = sum_i -3 ln x_i - ln(1 - x_i)
/// ```
pub(super) fn barrier(x: &[f64]) -> Evaluation {
    let value = x.iter().map(|x| -3.0 * x.ln() - (1.0 - x).ln()).sum();
    Evaluation::new(value, x.iter().map(|x| 1.0 / (1.0 - x) - 3.0 / x).collect())
}

/// A function shifted by `offset`, its numbers rounded as a device in single precision would return them.
pub(super) fn rounded(exact: Evaluation, offset: f64) -> Evaluation {
    let round = |number: f64| f64::from(number as f32);
    Evaluation::new(round(exact.value + offset), exact.gradient.into_iter().map(round).collect())
}
