//! Weighted means and their three gradients, pair by pair.

use super::{both, check, classes, points, sq_distance, worst};
use crate::{Means, NeighborSets, Number};

/// The largest error of the means and of the gradients.
fn error<T: Number>(n: usize, size: usize, k: usize, c: usize) -> f64 {
    let [(z, exact_z), (v, exact_v), (g, exact_g)] =
        [(n * k, 1), (n * c, 2), (n * c, 3)].map(|(count, seed)| both::<T>(&points(count, seed)));
    let spans = classes(n, size);
    let columns = NeighborSets::outside(spans.clone(), n);
    let statistics = T::statistics(&z, &z, k, &columns);
    let of = Means {
        queries: &z,
        references: &z,
        values: &v,
        k,
        c,
        columns: &columns,
        statistics: &statistics,
    };
    let found = T::means(of);
    let [fq, fr, fv] = T::mean_gradients(of, &found, &g);
    let [z, v, g] = [exact_z, exact_v, exact_g];
    let (mut means, mut dq, mut dr, mut dv) =
        (vec![0.0; n * c], vec![0.0; n * k], vec![0.0; n * k], vec![0.0; n * c]);
    for (i, span) in spans.iter().enumerate() {
        let term = |j: usize| (-sq_distance(&z[i * k..][..k], &z[j * k..][..k])).exp();
        let kept: Vec<usize> = (0..n).filter(|j| !span.contains(j)).collect();
        let sum: f64 = kept.iter().map(|&j| term(j)).sum();
        let kept: Vec<(usize, f64)> = kept.into_iter().map(|j| (j, term(j) / sum)).collect();
        for &(j, p) in &kept {
            (0..c).for_each(|a| means[i * c + a] += p * v[j * c + a]);
        }
        for &(j, p) in &kept {
            let s: f64 = (0..c).map(|a| p * g[i * c + a] * (v[j * c + a] - means[i * c + a])).sum();
            for a in 0..k {
                dq[i * k + a] -= 2.0 * s * (z[i * k + a] - z[j * k + a]);
                dr[j * k + a] += 2.0 * s * (z[i * k + a] - z[j * k + a]);
            }
            (0..c).for_each(|a| dv[j * c + a] += p * g[i * c + a]);
        }
    }
    worst(&[(found, means), (fq, dq), (fr, dr), (fv, dv)])
}

#[test]
fn means_and_their_gradients() {
    let sizes = [
        [1, 1, 1, 1],
        [7, 3, 2, 1],
        [70, 70, 3, 2],
        [131, 40, 5, 4],
        [40, 9, 32, 11],
        [600, 250, 2, 3],
    ];
    check(&sizes, |[n, size, k, c]| [error::<f64>(n, size, k, c), error::<f32>(n, size, k, c)]);
}
