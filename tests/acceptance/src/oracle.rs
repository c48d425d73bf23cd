//! Neighborhood components analysis and its relatives as the papers write them: nested loops in f64.
//!
//! An embedding `z` is row-major, `[n, k]`.

use burn_nca_learn::objective::Criterion;

/// What the equations give at one embedding.
#[derive(Clone, Debug)]
pub struct Nca {
    /// What a pair counts in equation 7, row-major `[n, n]`: p_ij, less p_ij / p_i for a partner of i; 0 where i has none.
    /// Without underflow where p_i is near 0, and without cancellation where it is near 1.
    pub factor_ij: Vec<f64>,
    /// p_i (equation 2).
    pub p: Vec<f64>,
    /// Σ p_i (equation 3).
    pub f: f64,
    /// Σ log p_i over the points with a partner (equation 6).
    pub g: f64,
}

/// Evaluates the equations at the embedding `z`, row-major `[n, k]`, with classes `y`.
pub fn nca(z: &[f64], k: usize, y: &[usize]) -> Nca {
    let n = y.len();
    let log_p = log_matches(z, k, &vec![true; n], false, |i, j| log_equal(y[i] == y[j]));
    let p: Vec<f64> = log_p.iter().map(|log_p| log_p.map_or(0.0, f64::exp)).collect();
    let mut factor_ij = vec![0.0; n * n];
    for i in (0..n).filter(|&i| log_p[i].is_some()) {
        let d2: Vec<f64> = (0..n).map(|j| sq_distance(z, k, i, j)).collect();
        let all = softmax(&d2, |j| j != i);
        let partners = softmax(&d2, |j| j != i && y[j] == y[i]);
        // 1 - p_i.
        let wrong: f64 = (0..n).filter(|&j| y[j] != y[i]).map(|j| all[j]).sum();
        for j in 0..n {
            factor_ij[i * n + j] = if y[j] == y[i] { -wrong * partners[j] } else { all[j] };
        }
    }
    Nca { factor_ij, f: p.iter().sum(), g: log_p.into_iter().flatten().sum(), p }
}

/// `exp(-d)` of the points that are kept, over their sum; zeros where none is.
fn softmax(d2: &[f64], keeps: impl Fn(usize) -> bool) -> Vec<f64> {
    let kept = |j: &usize| keeps(*j);
    let nearest = (0..d2.len()).filter(kept).map(|j| d2[j]).fold(f64::INFINITY, f64::min);
    let weight = |j: usize| if keeps(j) { (nearest - d2[j]).exp() } else { 0.0 };
    let total: f64 = (0..d2.len()).map(weight).sum();
    (0..d2.len()).map(|j| if total > 0.0 { weight(j) / total } else { 0.0 }).collect()
}

/// log Σ exp of some terms, without overflow.
pub fn log_sum_exp(terms: &[f64]) -> f64 {
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + terms.iter().map(|term| (term - top).exp()).sum::<f64>().ln()
}

/// The logarithm of what two rows agree by that are of one class, or not.
pub fn log_equal(is_equal: bool) -> f64 {
    if is_equal { 0.0 } else { f64::NEG_INFINITY }
}

/// log p_i of each point under soft matches, without underflow; `None` of one that is not `labeled` or agrees with none.
///
/// `log_w(i, j)` is the log agreement; points that are not labeled are neighbors if asked.
pub fn log_matches(
    z: &[f64],
    k: usize,
    labeled: &[bool],
    unlabeled_neighbors: bool,
    log_w: impl Fn(usize, usize) -> f64,
) -> Vec<Option<f64>> {
    let n = labeled.len();
    let log_p = |i: usize| {
        let others = || (0..n).filter(move |&j| j != i);
        let logit = |j: usize| -sq_distance(z, k, i, j);
        let all = others().filter(|&j| labeled[j] || unlabeled_neighbors).map(logit);
        let agreeing = others().filter(|&j| labeled[j] && log_w(i, j) > f64::NEG_INFINITY);
        let agreeing: Vec<f64> = agreeing.map(|j| log_w(i, j) + logit(j)).collect();
        let has_term = labeled[i] && !agreeing.is_empty();
        has_term.then(|| log_sum_exp(&agreeing) - log_sum_exp(&all.collect::<Vec<_>>()))
    };
    (0..n).map(log_p).collect()
}

/// -f or -g of these log p_i, each term times its weight.
pub fn criterion(which: Criterion, log_p: &[Option<f64>], weight: impl Fn(usize) -> f64) -> f64 {
    let term = |(i, log_p): (usize, &Option<f64>)| match (log_p, which) {
        (None, _) => 0.0,
        (Some(log_p), Criterion::F) => -weight(i) * log_p.exp(),
        (Some(log_p), Criterion::G) => -weight(i) * log_p,
    };
    log_p.iter().enumerate().map(term).sum()
}

/// The loss of NCA over points of which some have no class, each term with its part of the hinge,
/// `Σ_{y_j ≠ y_i} max(0, 1 - d²_ij)²`, times its weight.
pub fn nca_loss(
    z: &[f64],
    k: usize,
    y: &[Option<usize>],
    (which, repulsion): (Criterion, f64),
    weight: impl Fn(usize) -> f64,
) -> f64 {
    let n = y.len();
    let labeled: Vec<bool> = y.iter().map(Option::is_some).collect();
    let log_p = log_matches(z, k, &labeled, true, |i, j| log_equal(y[i] == y[j]));
    let hinge = |i: usize| -> f64 {
        let others = (0..n).filter(|&j| y[j] != y[i]);
        others.map(|j| (1.0 - sq_distance(z, k, i, j)).max(0.0).powi(2)).sum()
    };
    let hinges: f64 = (0..n).filter(|&i| labeled[i]).map(|i| weight(i) * hinge(i)).sum();
    criterion(which, &log_p, weight) + repulsion * hinges
}

/// The squared leave-one-out error of each point by kernel regression, with targets `[n, columns]`.
pub fn kernel_regression(z: &[f64], k: usize, targets: &[f64], columns: usize) -> Vec<f64> {
    let n = z.len() / k;
    let error = |i: usize| {
        let d2: Vec<f64> = (0..n).map(|j| sq_distance(z, k, i, j)).collect();
        let p = softmax(&d2, |j| j != i);
        let at = |j: usize, column: usize| targets[j * columns + column];
        let mean = |column| (0..n).map(|j| p[j] * at(j, column)).sum::<f64>();
        (0..columns).map(|column| (at(i, column) - mean(column)).powi(2)).sum()
    };
    (0..n).map(error).collect()
}

/// The cost of equation 8.
pub fn pair_cost(z: &[f64], k: usize, pairs: &[(usize, usize, f64)], include_self: bool) -> f64 {
    let n = z.len() / k;
    let all = (0..n).flat_map(|c| (0..n).map(move |d| (c, d)));
    let counted = all.filter(|(c, d)| include_self || c != d);
    let log_z = log_sum_exp(&counted.map(|(c, d)| -sq_distance(z, k, c, d)).collect::<Vec<_>>());
    pairs.iter().map(|&(a, b, w)| w * (sq_distance(z, k, a, b) + log_z)).sum()
}

/// df/dA and dg/dA (equations 5 and 7), row-major `[k, d]`, for `z = A x`.
///
/// `A x_ij x_ijᵀ` is taken as `z_ij x_ijᵀ`, of which nothing cancels where A takes different rows to one place.
pub fn gradients(x: &[f64], d: usize, a: &[f64], k: usize, y: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let n = y.len();
    let z = embed(x, d, a, k);
    let at = nca(&z, k, y);
    let (mut df, mut dg) = (vec![0.0; k * d], vec![0.0; k * d]);
    for i in 0..n {
        for j in 0..n {
            let weight_g = 2.0 * at.factor_ij[i * n + j];
            if weight_g == 0.0 {
                continue;
            }
            for r in 0..k {
                let z_ij = weight_g * (z[i * k + r] - z[j * k + r]);
                for c in 0..d {
                    let slope = z_ij * (x[i * d + c] - x[j * d + c]);
                    df[r * d + c] += at.p[i] * slope;
                    dg[r * d + c] += slope;
                }
            }
        }
    }
    (df, dg)
}

/// z = A x for each row.
pub fn embed(x: &[f64], d: usize, a: &[f64], k: usize) -> Vec<f64> {
    let mut z = Vec::with_capacity(x.len() / d * k);
    for row in x.chunks_exact(d) {
        for a_row in a.chunks_exact(d).take(k) {
            z.push(a_row.iter().zip(row).map(|(a, x)| a * x).sum());
        }
    }
    z
}

/// The squared distance of two rows of an embedding, row-major `[n, k]`.
pub fn sq_distance(z: &[f64], k: usize, i: usize, j: usize) -> f64 {
    (0..k).map(|c| (z[i * k + c] - z[j * k + c]).powi(2)).sum()
}
