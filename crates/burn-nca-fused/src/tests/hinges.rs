//! `Σ_j max(0, 1 - d_ij)²` and its gradient, pair by pair.

use super::{both, classes, largest_error, on_each, points, sq_distance};
use crate::{NeighborSets, Number, Summand, Weighted, Weights};

/// The largest error of the sums and of both gradients.
fn error<T: Number>(n: usize, size: usize, k: usize) -> f64 {
    let [(z, exact_z), (g, exact_g)] =
        [(n * k, 1), (n, 2)].map(|(count, seed)| both::<T>(&points(count, seed)));
    let spans = classes(n, size);
    let columns = NeighborSets::outside(spans.clone(), n);
    let found = T::sums(Summand::Hinge, (&z, &z, k), &columns);
    let (queries, references) = (z.as_slice(), z.as_slice());
    let (weights, gradient) = (Weights::Sum(Summand::Hinge), g.as_slice());
    let of = Weighted { queries, references, k, columns: &columns, weights, gradient };
    let (fq, fr) = T::gradients(&of);
    let (mut sums, mut dq, mut dr) = (vec![0.0; n], vec![0.0; n * k], vec![0.0; n * k]);
    let point = |i: usize| &exact_z[i * k..][..k];
    for (i, span) in spans.iter().enumerate() {
        for j in (0..n).filter(|j| !span.contains(j)) {
            let below = (1.0 - sq_distance(point(i), point(j))).max(0.0);
            sums[i] += below * below;
            for a in 0..k {
                let slope = -4.0 * exact_g[i] * below * (point(i)[a] - point(j)[a]);
                dq[i * k + a] += slope;
                dr[j * k + a] -= slope;
            }
        }
    }
    let all = [(found, sums), (fq, dq), (fr, dr)];
    all.iter().map(|(found, expected)| largest_error(found, expected, 1e-3)).fold(0.0, f64::max)
}

#[test]
fn hinges_and_their_gradients() {
    on_each(|| {
        for (n, size, k) in [(1, 1, 1), (7, 3, 2), (70, 30, 3), (131, 40, 5), (600, 250, 2)] {
            let found = [error::<f64>(n, size, k), error::<f32>(n, size, k)];
            assert!(found[0] < 1e-12 && found[1] < 1e-5, "{n} {k}: {found:?}");
        }
    });
}
