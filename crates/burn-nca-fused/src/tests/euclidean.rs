//! Sums of Euclidean distances and log-sum-exps of them, with their gradients, pair by pair.

use super::{both, classes, largest_error, on_each, points, sq_distance};
use crate::{Distance, NeighborSets, Number, Summand, Weighted, Weights};

/// The largest error of the sums, the log-sum-exps and the gradients of both; two points are equal.
fn error<T: Number>(n: usize, size: usize, k: usize) -> f64 {
    let (mut z, (g, exact_g)) = (points(n * k, 1), both::<T>(&points(n, 2)));
    z.copy_within(..k, (n - 1) * k);
    let (z, exact_z) = both::<T>(&z);
    let spans = classes(n, size);
    let columns = NeighborSets::outside(spans.clone(), n);
    let kept = |i: usize| {
        let span = spans[i].clone();
        (0..n).filter(move |j| !span.contains(j))
    };
    let distance =
        |i: usize, j: usize| sq_distance(&exact_z[i * k..][..k], &exact_z[j * k..][..k]).sqrt();
    let points = (z.as_slice(), z.as_slice(), k);
    let statistics = T::statistics_of(Distance::Euclidean, points, &columns);
    let (least, logs) = statistics.split_at(n);
    let found: Vec<f64> =
        logs.iter().zip(least).map(|(log, d)| log.to_f64() - d.to_f64()).collect();
    let lse: Vec<f64> =
        (0..n).map(|i| kept(i).map(|j| (-distance(i, j)).exp()).sum::<f64>().ln()).collect();
    let sums: Vec<f64> = (0..n).map(|i| kept(i).map(|j| distance(i, j)).sum()).collect();
    let mut worst = largest_error(&found, &lse, 1.0);
    worst = worst.max(largest_error(&T::sums(Summand::Euclidean, points, &columns), &sums, 1.0));
    let slope = |i: usize, j: usize, of_sum: bool| match distance(i, j) {
        0.0 => 0.0,
        d if of_sum => exact_g[i] / d,
        d => -exact_g[i] * (-d - lse[i]).exp() / d,
    };
    let all =
        [(Weights::EuclideanSoftmax(&statistics), false), (Weights::Sum(Summand::Euclidean), true)];
    for (weights, of_sum) in all {
        let (queries, references) = (points.0, points.1);
        let of = Weighted { queries, references, k, columns: &columns, weights, gradient: &g };
        let (fq, fr) = T::gradients(&of);
        let (mut dq, mut dr) = (vec![0.0; n * k], vec![0.0; n * k]);
        for i in 0..n {
            for j in kept(i) {
                for a in 0..k {
                    let slope = slope(i, j, of_sum) * (exact_z[i * k + a] - exact_z[j * k + a]);
                    dq[i * k + a] += slope;
                    dr[j * k + a] -= slope;
                }
            }
        }
        worst = worst.max(largest_error(&fq, &dq, 1e-3)).max(largest_error(&fr, &dr, 1e-3));
    }
    worst
}

#[test]
fn euclidean_distances_and_their_gradients() {
    on_each(|| {
        for (n, size, k) in [(2, 1, 1), (7, 3, 2), (70, 30, 3), (131, 40, 5), (600, 250, 9)] {
            let found = [error::<f64>(n, size, k), error::<f32>(n, size, k)];
            assert!(found[0] < 1e-12 && found[1] < 1e-5, "{n} {k}: {found:?}");
        }
    });
}
