//! The gradient of points among themselves: each pair for itself, and once for both of its points.

use super::oracle::Oracle;
use super::{both, classes, largest_error, points};
use crate::arch::on_each;
use crate::{NeighborSets, Number, Weighted, Weights, mutual};

/// The largest error, with spread-out gradients of the sums and some that are 0.
fn error<T: Number>(z: &[f64], k: usize, columns: &NeighborSets) -> f64 {
    let n = columns.queries();
    let (z, exact_z) = both::<T>(z);
    let mut gradient = points(n, 5);
    gradient.iter_mut().step_by(7).for_each(|g| *g = 0.0);
    let (gradient, exact_gradient) = both::<T>(&gradient);
    let of = Oracle { queries: &exact_z, references: &exact_z, k, columns };
    let [dq, dr] = of.log_sum_gradients(&exact_gradient);
    let statistics = T::statistics(&z, &z, k, columns);
    let found = T::gradient(&Weighted {
        queries: &z,
        references: &z,
        k,
        columns,
        weights: Weights::Softmax(&statistics),
        gradient: &gradient,
    });
    let mut all_found = vec![found];
    if columns.is_mutual() {
        all_found.push(mutual::gradient(&z, k, columns, &statistics, &gradient));
    }
    let expected: Vec<f64> = dq.iter().zip(&dr).map(|(q, r)| q + r).collect();
    all_found.iter().map(|found| largest_error(found, &expected, 1e-3)).fold(0.0, f64::max)
}

#[test]
fn points_that_are_queries_and_references() {
    on_each(|| {
        for (n, size, k, spread) in [
            (1, 1, 1, 1.0),
            (3, 1, 2, 1.0),
            (7, 3, 3, 2.0),
            (131, 40, 5, 1.0),
            (700, 250, 2, 3.0),
            // Far apart: whole tiles have no weight.
            (1300, 100, 2, 90.0),
            (97, 33, 32, 0.5),
            (40, 9, 300, 0.1),
        ] {
            let z: Vec<f64> = points(n * k, 3).iter().map(|x| x * spread).collect();
            let spans = classes(n, size);
            // Not mutual: the first sums over none.
            let but_the_first = [vec![0..0], vec![0..n; n - 1]].concat();
            let sets = [
                NeighborSets::all(n, n),
                NeighborSets::all(n, n).without_self(0),
                NeighborSets::within(spans.clone(), n).without_self(0),
                NeighborSets::outside(spans, n),
                NeighborSets::within(but_the_first, n).without_self(0),
            ];
            for (set, columns) in sets.iter().enumerate() {
                assert_eq!(columns.is_mutual(), set < 4, "{n} {set}");
                let found = [error::<f64>(&z, k, columns), error::<f32>(&z, k, columns)];
                assert!(found[0] < 1e-12 && found[1] < 8e-6, "{n} x {k}, set {set}: {found:?}");
            }
        }
    });
}
