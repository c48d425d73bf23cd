//! Entropies as `log S + Σ t exp(-t) / S`, pair by pair.

use super::{both, classes, largest_error, on_each, points, sq_distance};
use crate::{NeighborSets, Number};

/// The largest error of the statistics and the entropies, in columns without the points themselves.
fn error<T: Number>(
    z: &[f64],
    k: usize,
    columns: &NeighborSets,
    keeps: impl Fn(usize, usize) -> bool,
) -> f64 {
    let n = columns.queries();
    let (z, exact_z) = both::<T>(z);
    let found = T::entropies(&z, &z, k, columns);
    let statistics = T::statistics(&z, &z, k, columns);
    let expected = (0..n).map(|i| {
        let d = |j: usize| sq_distance(&exact_z[i * k..][..k], &exact_z[j * k..][..k]);
        let kept: Vec<f64> = (0..n).filter(|&j| keeps(i, j)).map(d).collect();
        let least = kept.iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 = kept.iter().map(|d| (least - d).exp()).sum();
        let moment: f64 = kept.iter().map(|d| (d - least) * (least - d).exp()).sum();
        if kept.is_empty() { 0.0 } else { sum.ln() + moment / sum }
    });
    let of_statistics = [0, n].map(|at| {
        let expected: Vec<f64> = statistics[at..at + n].iter().map(|x| x.to_f64()).collect();
        largest_error(&found[at..at + n], &expected, 1.0)
    });
    let of_entropies = largest_error(&found[2 * n..], &expected.collect::<Vec<_>>(), 1.0);
    of_statistics[0].max(of_statistics[1]).max(of_entropies)
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
            let spans = classes(n, size);
            let columns = NeighborSets::outside((0..n).map(|i| i..i + 1).collect(), n);
            let of_class = NeighborSets::within(spans.clone(), n).without_self(0);
            type Keeps<'a> = &'a dyn Fn(usize, usize) -> bool;
            let sets: [(&NeighborSets, Keeps); 2] =
                [(&columns, &|i, j| i != j), (&of_class, &|i, j| i != j && spans[i].contains(&j))];
            for (columns, keeps) in sets {
                let found =
                    [error::<f64>(&z, k, columns, keeps), error::<f32>(&z, k, columns, keeps)];
                // Where distances are large, so are their roundings.
                let single = if spread == 40.0 { 1e-2 } else { 1e-5 };
                assert!(found[0] < 1e-12 && found[1] < single, "{n} {k} {spread}: {found:?}");
            }
        }
    });
}
