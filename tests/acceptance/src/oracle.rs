//! Neighbourhood components analysis as the paper writes it: nested loops in f64.

/// What the equations give at one embedding.
#[derive(Clone, Debug)]
pub struct Nca {
    /// p_ij, row-major `[n, n]` (equation 1).
    pub p_ij: Vec<f64>,
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
    let mut out =
        Nca { p_ij: vec![0.0; n * n], p: vec![0.0; n], f: 0.0, g: 0.0, perplexity: vec![0.0; n] };
    for i in 0..n {
        let d2: Vec<f64> = (0..n).map(|j| sq_distance(z, k, i, j)).collect();
        let nearest = (0..n).filter(|&j| j != i).map(|j| d2[j]).fold(f64::INFINITY, f64::min);
        let weight = |j: usize| if j == i { 0.0 } else { (nearest - d2[j]).exp() };
        let total: f64 = (0..n).map(weight).sum();
        let mut entropy = 0.0;
        for j in 0..n {
            let p = weight(j) / total;
            out.p_ij[i * n + j] = p;
            if p > 0.0 {
                entropy -= p * p.ln();
            }
            if y[j] == y[i] {
                out.p[i] += p;
            }
        }
        out.perplexity[i] = entropy.exp();
        out.f += out.p[i];
        if (0..n).any(|j| j != i && y[j] == y[i]) {
            out.g += log_p(&d2, y, i);
        }
    }
    out
}

/// log p_i without underflow: a difference of two log-sum-exps.
fn log_p(d2: &[f64], y: &[usize], i: usize) -> f64 {
    let log_sum = |same: bool| {
        let terms: Vec<f64> =
            (0..y.len()).filter(|&j| j != i && (!same || y[j] == y[i])).map(|j| -d2[j]).collect();
        let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        top + terms.iter().map(|t| (t - top).exp()).sum::<f64>().ln()
    };
    log_sum(true) - log_sum(false)
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
pub fn gradients(x: &[f64], d: usize, a: &[f64], k: usize, y: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let n = y.len();
    let z = embed(x, d, a, k);
    let at = nca(&z, k, y);
    let (mut inner_f, mut inner_g) = (vec![0.0; d * d], vec![0.0; d * d]);
    for i in 0..n {
        for j in 0..n {
            let p = at.p_ij[i * n + j];
            if p == 0.0 {
                continue;
            }
            let same = y[i] == y[j];
            let weight_f = at.p[i] * p - if same { p } else { 0.0 };
            let weight_g =
                if at.p[i] == 0.0 { 0.0 } else { p - if same { p / at.p[i] } else { 0.0 } };
            for r in 0..d {
                for c in 0..d {
                    let outer = (x[i * d + r] - x[j * d + r]) * (x[i * d + c] - x[j * d + c]);
                    inner_f[r * d + c] += weight_f * outer;
                    inner_g[r * d + c] += weight_g * outer;
                }
            }
        }
    }
    (twice_product(a, &inner_f, k, d), twice_product(a, &inner_g, k, d))
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

fn sq_distance(z: &[f64], k: usize, i: usize, j: usize) -> f64 {
    (0..k).map(|c| (z[i * k + c] - z[j * k + c]).powi(2)).sum()
}

fn twice_product(a: &[f64], inner: &[f64], k: usize, d: usize) -> Vec<f64> {
    let mut out = vec![0.0; k * d];
    for r in 0..k {
        for c in 0..d {
            out[r * d + c] = 2.0 * (0..d).map(|m| a[r * d + m] * inner[m * d + c]).sum::<f64>();
        }
    }
    out
}
