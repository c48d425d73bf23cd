//! The equations of section 5 as nested loops in f64, without tensors.

use acceptance::oracle::{log_sum_exp, sq_distance};

/// What soft matches give at one embedding.
pub struct SoftMatches {
    /// Σ p_i.
    pub f: f64,
    /// Σ log p_i over the labeled points with some agreement.
    pub g: f64,
}

/// Soft matches at the embedding `z`, row-major `[n, k]`: `log_w(i, j)` is the log agreement, points of
/// `labeled` are the terms, and the others neighbors if asked.
pub fn soft_matches(
    z: &[f64],
    k: usize,
    labeled: &[bool],
    unlabeled_neighbors: bool,
    log_w: impl Fn(usize, usize) -> f64,
) -> SoftMatches {
    let n = labeled.len();
    let mut out = SoftMatches { f: 0.0, g: 0.0 };
    for i in (0..n).filter(|&i| labeled[i]) {
        let others: Vec<usize> =
            (0..n).filter(|&j| j != i && (labeled[j] || unlabeled_neighbors)).collect();
        let all: Vec<f64> = others.iter().map(|&j| -sq_distance(z, k, i, j)).collect();
        let agreeing: Vec<f64> = others
            .iter()
            .filter(|&&j| labeled[j] && log_w(i, j) > f64::NEG_INFINITY)
            .map(|&j| log_w(i, j) - sq_distance(z, k, i, j))
            .collect();
        if agreeing.is_empty() {
            continue;
        }
        let log_p = log_sum_exp(&agreeing) - log_sum_exp(&all);
        out.f += log_p.exp();
        out.g += log_p;
    }
    out
}

/// The squared leave-one-out error of each point by kernel regression, at the embedding `z`, row-major
/// `[n, k]`, with targets `[n, columns]`.
pub fn kernel_regression(z: &[f64], k: usize, targets: &[f64], columns: usize) -> Vec<f64> {
    let n = z.len() / k;
    let error = |i: usize| {
        let nearest = (0..n).filter(|&j| j != i).map(|j| sq_distance(z, k, i, j));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        let mut error = 0.0;
        for column in 0..columns {
            let (mut weighted, mut total) = (0.0, 0.0);
            for j in (0..n).filter(|&j| j != i) {
                let weight = (nearest - sq_distance(z, k, i, j)).exp();
                weighted += weight * targets[j * columns + column];
                total += weight;
            }
            error += (targets[i * columns + column] - weighted / total).powi(2);
        }
        error
    };
    (0..n).map(error).collect()
}

/// The cost of equation 8 at the embedding `z`, row-major `[n, k]`.
pub fn pair_cost(z: &[f64], k: usize, pairs: &[(usize, usize, f64)], include_self: bool) -> f64 {
    let n = z.len() / k;
    let all = (0..n).flat_map(|c| (0..n).map(move |d| (c, d)));
    let counted = all.filter(|(c, d)| include_self || c != d);
    let log_z = log_sum_exp(&counted.map(|(c, d)| -sq_distance(z, k, c, d)).collect::<Vec<_>>());
    pairs.iter().map(|&(a, b, w)| -w * (-sq_distance(z, k, a, b) - log_z)).sum()
}
