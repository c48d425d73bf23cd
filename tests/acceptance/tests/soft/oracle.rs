//! The equations of section 5 as nested loops in f64, without tensors.

/// What soft matches give at one embedding.
pub struct SoftMatches {
    /// p_i of the labeled points, in their order.
    pub p: Vec<f64>,
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
    let mut out = SoftMatches { p: Vec::new(), f: 0.0, g: 0.0 };
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
            out.p.push(0.0);
            continue;
        }
        let log_p = log_sum_exp(&agreeing) - log_sum_exp(&all);
        out.p.push(log_p.exp());
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

/// log Z of equation 8.
pub fn log_normalizer(z: &[f64], k: usize, include_self: bool) -> f64 {
    let n = z.len() / k;
    let mut exponents = Vec::new();
    for c in 0..n {
        for d in 0..n {
            if include_self || c != d {
                exponents.push(-sq_distance(z, k, c, d));
            }
        }
    }
    log_sum_exp(&exponents)
}

/// The cost of equation 8 at the embedding `z`, row-major `[n, k]`.
pub fn pair_cost(z: &[f64], k: usize, pairs: &[(usize, usize, f64)], include_self: bool) -> f64 {
    let log_z = log_normalizer(z, k, include_self);
    pairs.iter().map(|&(a, b, w)| -w * (-sq_distance(z, k, a, b) - log_z)).sum()
}

fn log_sum_exp(terms: &[f64]) -> f64 {
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + terms.iter().map(|term| (term - top).exp()).sum::<f64>().ln()
}

fn sq_distance(z: &[f64], k: usize, i: usize, j: usize) -> f64 {
    (0..k).map(|c| (z[i * k + c] - z[j * k + c]).powi(2)).sum()
}
