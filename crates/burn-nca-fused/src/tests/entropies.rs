//! Entropies as `log S + Σ t exp(-t) / S`, pair by pair.

use super::oracle::Oracle;
use super::{both, classes, exact, largest_error, points};
use crate::arch::on_each;
use crate::{NeighborSets, Number};

/// The largest error of the statistics and the entropies.
fn error<T: Number>(z: &[f64], k: usize, columns: &NeighborSets) -> f64 {
    let n = columns.queries();
    let (z, exact_z) = both::<T>(z);
    let found = T::entropies(&z, &z, k, columns);
    let of = Oracle { queries: &exact_z, references: &exact_z, k, columns };
    let [least, logs] = of.statistics(|i, j| of.sq_distance(i, j));
    let moments = of.sums(|i, j| {
        let beyond = of.sq_distance(i, j) - least[i];
        beyond * (-beyond - logs[i]).exp()
    });
    let entropy = |(log, moment): (&f64, &f64)| if log.is_finite() { log + moment } else { 0.0 };
    let expected: Vec<f64> = logs.iter().zip(&moments).map(entropy).collect();
    let statistics = exact(&T::statistics(&z, &z, k, columns));
    let of_statistics = largest_error(&found[..2 * n], &statistics, 1.0);
    of_statistics.max(largest_error(&found[2 * n..], &expected, 1.0))
}

/// At every scale: entropies of all, and of one.
#[test]
fn entropies_are_those_of_the_weights() {
    on_each(|| {
        for (n, size, k, spread) in [
            (1, 1, 1, 1.0),
            (7, 3, 2, 1.0),
            (900, 300, 3, 0.1),
            (700, 350, 8, 40.0),
            (60, 20, 32, 1e6),
        ] {
            let z: Vec<f64> = points(n * k, 6).iter().map(|x| x * spread).collect();
            let others = NeighborSets::outside(classes(n, 1), n);
            for columns in [others, NeighborSets::within(classes(n, size), n).without_self(0)] {
                let found = [error::<f64>(&z, k, &columns), error::<f32>(&z, k, &columns)];
                // Where distances are large, so are their roundings.
                let single = if spread == 40.0 { 1e-2 } else { 1e-5 };
                assert!(found[0] < 1e-12 && found[1] < single, "{n} {k} {spread}: {found:?}");
            }
        }
    });
}
