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

/// Means of values `[n, c]` of each point over the others in its range, with the gradient of `Σ_ic g_ic t_ic` by the points.
pub(super) fn means(
    (z, k): (&[f64], usize),
    spans: &[Range<usize>],
    (values, c): (&[f64], usize),
    g: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let n = spans.len();
    let (sums, _) = log_sums(z, k, spans, &vec![0.0; n]);
    let mut means = vec![0.0; n * c];
    let mut gradient = vec![0.0; n * k];
    for i in 0..n {
        let difference = |j: usize, axis: usize| z[i * k + axis] - z[j * k + axis];
        let others = || spans[i].clone().filter(|j| *j != i);
        let share = |j: usize| {
            let distance: f64 = (0..k).map(|axis| difference(j, axis).powi(2)).sum();
            (-distance - sums[i]).exp()
        };
        for j in others() {
            (0..c).for_each(|at| means[i * c + at] += share(j) * values[j * c + at]);
        }
        for j in others() {
            let pull = (0..c).map(|at| g[i * c + at] * (values[j * c + at] - means[i * c + at]));
            let weight = 2.0 * share(j) * pull.sum::<f64>();
            for axis in 0..k {
                gradient[i * k + axis] -= weight * difference(j, axis);
                gradient[j * k + axis] += weight * difference(j, axis);
            }
        }
    }
    (means, gradient)
}
