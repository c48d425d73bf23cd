//! Weighted means and their three gradients, pair by pair.

use super::oracle::Oracle;
use super::{both, classes, points, worst};
use crate::arch::on_each;
use crate::{Means, NeighborSets, Number};

/// The largest error of the means and of the gradients.
fn error<T: Number>([n, size, k, c]: [usize; 4]) -> f64 {
    let [(z, exact_z), (v, exact_v), (g, exact_g)] =
        [(n * k, 1), (n * c, 2), (n * c, 3)].map(|(count, seed)| both::<T>(&points(count, seed)));
    let columns = &NeighborSets::outside(classes(n, size), n);
    let (queries, references, values) = (z.as_slice(), z.as_slice(), v.as_slice());
    let statistics = &T::statistics(queries, references, k, columns);
    let of = Means { queries, references, values, k, c, columns, statistics };
    let found = T::means(of);
    let [fq, fr, fv] = T::mean_gradients(of, &found, &g);
    let of = Oracle { queries: &exact_z, references: &exact_z, k, columns };
    let [v, g] = [exact_v, exact_g];
    let [least, logs] = of.statistics(|i, j| of.sq_distance(i, j));
    let p = |i: usize, j: usize| (least[i] - of.sq_distance(i, j) - logs[i]).exp();
    let (mut means, mut dv) = (vec![0.0; n * c], vec![0.0; n * c]);
    for i in 0..n {
        for j in of.kept(i) {
            for a in 0..c {
                means[i * c + a] += p(i, j) * v[j * c + a];
                dv[j * c + a] += p(i, j) * g[i * c + a];
            }
        }
    }
    let [dq, dr] = of.gradients(|i, j| {
        let pull = |a: usize| g[i * c + a] * (v[j * c + a] - means[i * c + a]);
        p(i, j) * (0..c).map(pull).sum::<f64>()
    });
    worst(&[(found, means), (fq, dq), (fr, dr), (fv, dv)])
}

#[test]
fn means_and_their_gradients() {
    on_each(|| {
        for sizes in [
            [1, 1, 1, 1],
            [7, 3, 2, 1],
            [70, 70, 3, 2],
            [131, 40, 5, 4],
            [40, 9, 32, 11],
            [600, 250, 2, 3],
        ] {
            let found = [error::<f64>(sizes), error::<f32>(sizes)];
            assert!(found[0] < 1e-12 && found[1] < 1e-5, "{sizes:?}: {found:?}");
        }
    });
}
