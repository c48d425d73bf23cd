//! Sums of Euclidean distances and log-sum-exps of them, with their gradients, pair by pair.

use super::{both, check, classes, gradients, largest_error, points, sq_distance, worst};
use crate::{Distance, NeighborSets, Number, Summand, Weighted, Weights};

/// The largest error of the sums, the log-sum-exps and the gradients of both; two points are equal.
fn error<T: Number>(n: usize, size: usize, k: usize) -> f64 {
    let (mut z, (g, exact_g)) = (points(n * k, 1), both::<T>(&points(n, 2)));
    z.copy_within(..k, (n - 1) * k);
    let (z, exact_z) = both::<T>(&z);
    let spans = classes(n, size);
    let columns = NeighborSets::outside(spans.clone(), n);
    let keeps = |i: usize, j: usize| !spans[i].contains(&j);
    let kept = |i: usize| (0..n).filter(move |&j| keeps(i, j));
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
    let mut most = largest_error(&found, &lse, 1.0);
    most = most.max(largest_error(&T::sums(Summand::Euclidean, points, &columns), &sums, 1.0));
    let weight = |i: usize, j: usize, of_sum: bool| match distance(i, j) {
        0.0 => 0.0,
        d if of_sum => -0.5 * exact_g[i] / d,
        d => 0.5 * exact_g[i] * (-d - lse[i]).exp() / d,
    };
    let all =
        [(Weights::EuclideanSoftmax(&statistics), false), (Weights::Sum(Summand::Euclidean), true)];
    for (weights, of_sum) in all {
        let (queries, references) = (points.0, points.1);
        let of = Weighted { queries, references, k, columns: &columns, weights, gradient: &g };
        let (fq, fr) = T::gradients(&of);
        let [dq, dr] = gradients((&exact_z, &exact_z, k), keeps, |i, j| weight(i, j, of_sum));
        most = most.max(worst(&[(fq, dq), (fr, dr)]));
    }
    most
}

#[test]
fn euclidean_distances_and_their_gradients() {
    let sizes = [[2, 1, 1], [7, 3, 2], [70, 30, 3], [131, 40, 5], [600, 250, 9]];
    check(&sizes, |[n, size, k]| [error::<f64>(n, size, k), error::<f32>(n, size, k)]);
}
