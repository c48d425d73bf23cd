//! `Σ_j max(0, 1 - d_ij)²` and its gradient, pair by pair.

use super::{both, check, classes, gradients, points, sq_distance, worst};
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
    let point = |i: usize| &exact_z[i * k..][..k];
    let below = |i: usize, j: usize| (1.0 - sq_distance(point(i), point(j))).max(0.0);
    let keeps = |i: usize, j: usize| !spans[i].contains(&j);
    let sum = |i: usize| (0..n).filter(|&j| keeps(i, j)).map(|j| below(i, j).powi(2)).sum();
    let sums = (0..n).map(sum).collect();
    let [dq, dr] = gradients((&exact_z, &exact_z, k), keeps, |i, j| 2.0 * exact_g[i] * below(i, j));
    worst(&[(found, sums), (fq, dq), (fr, dr)])
}

#[test]
fn hinges_and_their_gradients() {
    let sizes = [[1, 1, 1], [7, 3, 2], [70, 30, 3], [131, 40, 5], [600, 250, 2]];
    check(&sizes, |[n, size, k]| [error::<f64>(n, size, k), error::<f32>(n, size, k)]);
}
