//! The gradient of f, written out by hand in the three ways of the slides; the library's definition leaves it to
//! automatic differentiation.
//!
//! ```text
//! f = Σ_i p_i,   p_i = Σ_{j∈C_i} p_ij,   ∂f/∂A = 2 A Σ_i ( p_i Σ_k p_ik x_ik x_ikᵀ - Σ_{j∈C_i} p_ij x_ij x_ijᵀ )
//! ```
//! where `x_ij = x_i - x_j` (Goldberger et al. 2004, equation 5).

/// Points of known classes.
#[derive(Clone, Debug)]
pub struct Points<'a> {
    /// The features, row-major `[n, d]`.
    pub x: &'a [f64],
    /// Number of features d.
    pub d: usize,
    /// The class of each point.
    pub labels: &'a [usize],
}

/// f and its gradient by A, row-major `[k, d]`.
pub type Gradient = (f64, Vec<f64>);

/// A way to write the gradient: of some points at a map A, row-major `[k, d]`.
pub type Spelling = fn(&Points<'_>, &[f64]) -> Gradient;

/// The three ways, with the names of the slides.
pub const ALL: [(&str, Spelling); 3] =
    [("loops", loops), ("vectors", vectors), ("W-matrix", w_matrix)];

/// A loop over every pair and every entry of its outer product.
pub fn loops(points: &Points<'_>, a: &[f64]) -> Gradient {
    let Points { x, d, labels } = *points;
    let (n, p) = (labels.len(), probabilities(points, a));
    let mut sum = vec![0.0; d * d];
    for i in 0..n {
        let p_i: f64 = (0..n).filter(|&j| labels[j] == labels[i]).map(|j| p[i * n + j]).sum();
        for k in 0..n {
            for r in 0..d {
                for s in 0..d {
                    let outer = (x[i * d + r] - x[k * d + r]) * (x[i * d + s] - x[k * d + s]);
                    sum[r * d + s] += p_i * p[i * n + k] * outer;
                    if labels[k] == labels[i] {
                        sum[r * d + s] -= p[i * n + k] * outer;
                    }
                }
            }
        }
    }
    (expected_right(points, &p), twice_product(a, &sum, d))
}

/// A loop over the points; the differences to all others are one table `[n, d]`, summed as a product.
pub fn vectors(points: &Points<'_>, a: &[f64]) -> Gradient {
    let Points { x, d, labels } = *points;
    let (n, p) = (labels.len(), probabilities(points, a));
    let mut sum = vec![0.0; d * d];
    let (mut apart, mut weighted) = (vec![0.0; n * d], vec![0.0; n * d]);
    for i in 0..n {
        let of_row = &p[i * n..(i + 1) * n];
        let same = |k: usize| f64::from(u8::from(labels[k] == labels[i]));
        let p_i: f64 = of_row.iter().enumerate().map(|(k, p)| same(k) * p).sum();
        for (k, p) in of_row.iter().enumerate() {
            let weight = (p_i - same(k)) * p;
            for r in 0..d {
                apart[k * d + r] = x[i * d + r] - x[k * d + r];
                weighted[k * d + r] = weight * apart[k * d + r];
            }
        }
        add_transposed_product(&mut sum, &weighted, &apart, d);
    }
    (expected_right(points, &p), twice_product(a, &sum, d))
}

/// `2 A Xᵀ (diag(Σ_i W_ij) - W - Wᵀ) X` with `W_ij = p_i p_ij - [y_i = y_j] p_ij`: no loop over pairs of features.
///
/// The sum over pairs needs the row sums of W on the diagonal too, but they are 0: `Σ_j p_ij = 1`.
pub fn w_matrix(points: &Points<'_>, a: &[f64]) -> Gradient {
    let Points { x, d, labels } = *points;
    let (n, p) = (labels.len(), probabilities(points, a));
    let mut laplacian = vec![0.0; n * n];
    for i in 0..n {
        let same = |j: usize| f64::from(u8::from(labels[i] == labels[j]));
        let p_i: f64 = (0..n).map(|j| same(j) * p[i * n + j]).sum();
        for j in 0..n {
            let w = (p_i - same(j)) * p[i * n + j];
            laplacian[i * n + j] -= w;
            laplacian[j * n + i] -= w;
            laplacian[j * n + j] += w;
        }
    }
    let mut through = vec![0.0; n * d];
    for (row, of_row) in laplacian.chunks_exact(n).zip(through.chunks_exact_mut(d)) {
        for (weight, x) in row.iter().zip(x.chunks_exact(d)) {
            of_row.iter_mut().zip(x).for_each(|(sum, x)| *sum += weight * x);
        }
    }
    let mut sum = vec![0.0; d * d];
    add_transposed_product(&mut sum, x, &through, d);
    (expected_right(points, &p), twice_product(a, &sum, d))
}

/// p_ij, row-major `[n, n]` (equation 1).
fn probabilities(points: &Points<'_>, a: &[f64]) -> Vec<f64> {
    let Points { x, d, labels } = *points;
    let (n, k) = (labels.len(), a.len() / d);
    let dot = |row: &[f64], x: &[f64]| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    let z: Vec<f64> =
        x.chunks_exact(d).flat_map(|x| a.chunks_exact(d).map(move |row| dot(row, x))).collect();
    let mut p = vec![0.0; n * n];
    for (i, of_row) in p.chunks_exact_mut(n).enumerate() {
        for (j, p) in of_row.iter_mut().enumerate() {
            let pairs = z[i * k..(i + 1) * k].iter().zip(&z[j * k..(j + 1) * k]);
            *p = pairs.map(|(a, b)| (a - b).powi(2)).sum();
        }
        let nearest = (0..n).filter(|&j| j != i).map(|j| of_row[j]).fold(f64::INFINITY, f64::min);
        of_row.iter_mut().for_each(|p| *p = (nearest - *p).exp());
        of_row[i] = 0.0;
        let total: f64 = of_row.iter().sum();
        of_row.iter_mut().for_each(|p| *p /= total);
    }
    p
}

/// f (equation 3).
fn expected_right(points: &Points<'_>, p: &[f64]) -> f64 {
    let (labels, n) = (points.labels, points.labels.len());
    let same = |at: &usize| labels[at / n] == labels[at % n];
    (0..n * n).filter(same).map(|at| p[at]).sum()
}

/// Adds `aᵀ b` of two tables `[n, d]`.
fn add_transposed_product(sum: &mut [f64], a: &[f64], b: &[f64], d: usize) {
    for (a, b) in a.chunks_exact(d).zip(b.chunks_exact(d)) {
        for (of_row, a) in sum.chunks_exact_mut(d).zip(a) {
            of_row.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
    }
}

/// `2 A S`, `[k, d]`.
fn twice_product(a: &[f64], s: &[f64], d: usize) -> Vec<f64> {
    let mut out = vec![0.0; a.len()];
    for (row, out) in a.chunks_exact(d).zip(out.chunks_exact_mut(d)) {
        for (a, s) in row.iter().zip(s.chunks_exact(d)) {
            out.iter_mut().zip(s).for_each(|(out, s)| *out += 2.0 * a * s);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::{Sums, device};

    use super::*;
    use crate::timing::{Library, assert_alike};

    const D: usize = 3;

    fn x() -> Vec<f64> {
        (0..20 * D).map(|i| ((i * i + 5 * i) % 23) as f64 / 12.0).collect()
    }

    #[test]
    fn all_spellings_agree_with_automatic_differentiation_with_fused_sums_and_with_differences() {
        let (x, labels) = (x(), (0..20).map(|i| (i * i) % 3).collect::<Vec<_>>());
        let points = Points { x: &x, d: D, labels: &labels };
        // Square, and to two dimensions.
        for a in
            [&[0.9, 0.2, -0.3, 0.1, 1.1, 0.4, 0.0, -0.2, 0.7][..], &[0.5, -1.0, 0.2, 0.3, 0.3, 0.8]]
        {
            let device = device::open("cpu").unwrap();
            let by = |sums| Library::new(&points, a, (&device, sums)).gradient();
            let found = by(Sums::Plain);
            assert_alike("fused", &by(Sums::Fused), &found, 1e-10);
            for (name, spelling) in ALL {
                assert_alike(name, &spelling(&points, a), &found, 1e-10);
            }
            let step = 1e-6;
            for (at, slope) in found.1.iter().enumerate() {
                let value = |by: f64| {
                    let mut moved = a.to_vec();
                    moved[at] += by;
                    loops(&points, &moved).0
                };
                let difference = (value(step) - value(-step)) / (2.0 * step);
                assert!((difference - slope).abs() < 1e-7, "{at}: {difference} {slope}");
            }
        }
    }
}
