//! The definitions, pair by pair in log space.

use core::ops::Range;

/// Log sums of each point over the others in its range, with the gradient of `Σ_i g_i s_i` by the points.
pub(super) fn log_sums(
    z: &[f64],
    k: usize,
    spans: &[Range<usize>],
    g: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let n = spans.len();
    let point = |i: usize| &z[i * k..(i + 1) * k];
    let mut sums = vec![f64::NEG_INFINITY; n];
    let mut gradient = vec![0.0; n * k];
    for i in 0..n {
        let distance = |j: usize| -> f64 {
            point(i).iter().zip(point(j)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let others: Vec<usize> = spans[i].clone().filter(|j| *j != i).collect();
        let least = others.iter().map(|&j| distance(j)).fold(f64::INFINITY, f64::min);
        if others.is_empty() {
            continue;
        }
        let sum: f64 = others.iter().map(|&j| (least - distance(j)).exp()).sum();
        sums[i] = sum.ln() - least;
        if g[i] == 0.0 {
            continue;
        }
        for j in others {
            let weight = 2.0 * g[i] * (-distance(j) - sums[i]).exp();
            for c in 0..k {
                let part = weight * (point(i)[c] - point(j)[c]);
                gradient[i * k + c] -= part;
                gradient[j * k + c] += part;
            }
        }
    }
    (sums, gradient)
}
