//! Neighborhood components analysis as the paper writes it: nested loops in f64.

/// What the equations give at one embedding.
#[derive(Clone, Debug)]
pub struct Nca {
    /// p_ij, row-major `[n, n]` (equation 1).
    pub p_ij: Vec<f64>,
    /// What a pair counts in equation 7, row-major `[n, n]`: p_ij, less p_ij / p_i for a partner of i; 0 where i has none.
    /// Without underflow where p_i is near 0, and without cancellation where it is near 1.
    pub factor_ij: Vec<f64>,
    /// p_i (equation 2).
    pub p: Vec<f64>,
    /// Σ p_i (equation 3).
    pub f: f64,
    /// Σ log p_i over the points with a partner (equation 6).
    pub g: f64,
    /// exp(H_i).
    pub perplexity: Vec<f64>,
}

/// Evaluates the equations at the embedding `z`, row-major `[n, k]`, with classes `y`.
pub fn nca(z: &[f64], k: usize, y: &[usize]) -> Nca {
    let n = y.len();
    let mut out = Nca {
        p_ij: vec![0.0; n * n],
        factor_ij: vec![0.0; n * n],
        p: vec![0.0; n],
        f: 0.0,
        g: 0.0,
        perplexity: vec![0.0; n],
    };
    for i in 0..n {
        let d2: Vec<f64> = (0..n).map(|j| sq_distance(z, k, i, j)).collect();
        let all = softmax(&d2, |j| j != i);
        let partners = softmax(&d2, |j| j != i && y[j] == y[i]);
        let has_partner = (0..n).any(|j| j != i && y[j] == y[i]);
        // 1 - p_i.
        let wrong: f64 = (0..n).filter(|&j| y[j] != y[i]).map(|j| all[j]).sum();
        let mut entropy = 0.0;
        for j in 0..n {
            let p = all[j];
            out.p_ij[i * n + j] = p;
            if has_partner {
                out.factor_ij[i * n + j] = if y[j] == y[i] { -wrong * partners[j] } else { p };
            }
            if p > 0.0 {
                entropy -= p * p.ln();
            }
            if y[j] == y[i] {
                out.p[i] += p;
            }
        }
        out.perplexity[i] = entropy.exp();
        out.f += out.p[i];
        if has_partner {
            out.g += log_p(&d2, y, i);
        }
    }
    out
}

/// `exp(-d)` of the points that are kept, over their sum; zeros where none is.
fn softmax(d2: &[f64], keeps: impl Fn(usize) -> bool) -> Vec<f64> {
    let kept = |j: &usize| keeps(*j);
    let nearest = (0..d2.len()).filter(kept).map(|j| d2[j]).fold(f64::INFINITY, f64::min);
    let weight = |j: usize| if keeps(j) { (nearest - d2[j]).exp() } else { 0.0 };
    let total: f64 = (0..d2.len()).map(weight).sum();
    (0..d2.len()).map(|j| if total > 0.0 { weight(j) / total } else { 0.0 }).collect()
}

/// log p_i without underflow: a difference of two log-sum-exps.
fn log_p(d2: &[f64], y: &[usize], i: usize) -> f64 {
    let log_sum = |same: bool| {
        let counts = |j: &usize| *j != i && (!same || y[*j] == y[i]);
        log_sum_exp(&(0..y.len()).filter(counts).map(|j| -d2[j]).collect::<Vec<_>>())
    };
    log_sum(true) - log_sum(false)
}

/// log Σ exp of some terms, without overflow.
pub fn log_sum_exp(terms: &[f64]) -> f64 {
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + terms.iter().map(|term| (term - top).exp()).sum::<f64>().ln()
}

/// The hinge between classes, Σ_{y_i ≠ y_j} max(0, 1 - d²_ij)² over ordered pairs.
pub fn repulsion(z: &[f64], k: usize, y: &[usize]) -> f64 {
    let n = y.len();
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    pairs
        .filter(|&(i, j)| y[i] != y[j])
        .map(|(i, j)| (1.0 - sq_distance(z, k, i, j)).max(0.0).powi(2))
        .sum()
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
