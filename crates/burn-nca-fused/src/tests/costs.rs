//! Log-sum-exps with a cost for each pair, and their gradients.

use super::{both, check, gradients, points, sq_distance, worst};
use crate::{NeighborSets, Number, Weighted, Weights};

/// The largest error of the log-sum-exps and of both gradients; some costs are so large that a pair does not count.
fn error<T: Number>(b: usize, m: usize, k: usize) -> f64 {
    let [(q, exact_q), (r, exact_r), (g, exact_g)] =
        [(b * k, 1), (m * k, 2), (b, 3)].map(|(count, seed)| both::<T>(&points(count, seed)));
    let cost = |x: &f64| if *x > 0.8 { 1e30 } else { 3.0 * x.abs() };
    let costs: Vec<f64> = points(b * m, 4).iter().map(cost).collect();
    let (costs, exact_costs) = both::<T>(&costs);
    let columns = NeighborSets::all(b, m);
    let own = b <= m && m > 1;
    let columns = if own { columns.without_self(m - b) } else { columns };
    let kept = |i: usize| (0..m).filter(move |&j| !(own && j == m - b + i));
    let value = |i: usize, j: usize| {
        sq_distance(&exact_q[i * k..][..k], &exact_r[j * k..][..k]) + exact_costs[i * m + j]
    };
    let statistics = T::statistics_with_costs((&q, &r, k), &costs, &columns);
    let weights = Weights::CostedSoftmax(&statistics, &costs);
    let of = Weighted { queries: &q, references: &r, k, columns: &columns, weights, gradient: &g };
    let (fq, fr) = T::gradients(&of);
    let least = |i: usize| kept(i).map(|j| value(i, j)).fold(f64::INFINITY, f64::min);
    let leasts: Vec<f64> = (0..b).map(least).collect();
    let log = |i: usize| kept(i).map(|j| (leasts[i] - value(i, j)).exp()).sum::<f64>().ln();
    let logs: Vec<f64> = (0..b).map(log).collect();
    let weight = |i: usize, j: usize| exact_g[i] * (leasts[i] - value(i, j) - logs[i]).exp();
    let [dq, dr] = gradients((&exact_q, &exact_r, k), |i, j| !(own && j == m - b + i), weight);
    let (found_leasts, found_logs) = statistics.split_at(b);
    worst(&[(found_leasts.to_vec(), leasts), (found_logs.to_vec(), logs), (fq, dq), (fr, dr)])
}

#[test]
fn costs_are_added_to_the_distances() {
    let sizes = [[1, 1, 1], [7, 7, 2], [33, 70, 3], [70, 33, 4], [50, 600, 9]];
    check(&sizes, |[b, m, k]| [error::<f64>(b, m, k), error::<f32>(b, m, k)]);
}
