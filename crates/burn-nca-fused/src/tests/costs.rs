//! Log-sum-exps with a cost for each pair, and their gradients.

use super::{both, largest_error, on_each, points, sq_distance};
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
    let (mut dq, mut dr) = (vec![0.0; b * k], vec![0.0; m * k]);
    let (mut leasts, mut logs) = (Vec::new(), Vec::new());
    for i in 0..b {
        let least = kept(i).map(|j| value(i, j)).fold(f64::INFINITY, f64::min);
        let log = kept(i).map(|j| (least - value(i, j)).exp()).sum::<f64>().ln();
        leasts.push(least);
        logs.push(log);
        for j in kept(i) {
            let weight = 2.0 * exact_g[i] * (least - value(i, j) - log).exp();
            for a in 0..k {
                let slope = weight * (exact_q[i * k + a] - exact_r[j * k + a]);
                dq[i * k + a] -= slope;
                dr[j * k + a] += slope;
            }
        }
    }
    let of_sums = largest_error(&statistics[..b], &leasts, 1e-3);
    let of_sums = of_sums.max(largest_error(&statistics[b..], &logs, 1e-3));
    of_sums.max(largest_error(&fq, &dq, 1e-3)).max(largest_error(&fr, &dr, 1e-3))
}

#[test]
fn costs_are_added_to_the_distances() {
    on_each(|| {
        for (b, m, k) in [(1, 1, 1), (7, 7, 2), (33, 70, 3), (70, 33, 4), (50, 600, 9)] {
            let found = [error::<f64>(b, m, k), error::<f32>(b, m, k)];
            assert!(found[0] < 1e-12 && found[1] < 1e-5, "{b} {m} {k}: {found:?}");
        }
    });
}
