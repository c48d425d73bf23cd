//! Results do not depend on the number of threads, whatever the vector instructions.

use super::{check_threads, classes, converted, points};
use crate::arch::{all, on};
use crate::coincidence::{Ends, Pairs};
use crate::{Distance, Means, NeighborSets, Number, Summand, Weighted, Weights, mutual};

/// The bits of all that the kernels compute of some points.
fn bits<T: Number>(n: usize, k: usize) -> Vec<u64> {
    let [z, values, g, costs]: [Vec<T>; 4] =
        [n * k, n * 2, n, n * n].map(|count| converted(&points(count, count as u64)));
    let columns = &NeighborSets::outside(classes(n, 100), n);
    let among = (z.as_slice(), z.as_slice(), k);
    let (queries, references, values, c) = (z.as_slice(), z.as_slice(), values.as_slice(), 2);
    let statistics = T::statistics(&z, &z, k, columns);
    let roots = T::statistics_of(Distance::Euclidean, among, &[], columns);
    let costed = T::statistics_of(Distance::SqEuclidean, among, &costs, columns);
    let of = Means { queries, references, values, k, c, columns, statistics: &statistics };
    let means = T::means(of);
    let mut found: Vec<Vec<T>> = T::mean_gradients(of, &means, values).into();
    for weights in [
        Weights::Softmax(&statistics),
        Weights::EuclideanSoftmax(&roots),
        Weights::CostedSoftmax(&costed, &costs),
        Weights::Sum(Summand::Hinge),
        Weights::Sum(Summand::Euclidean),
    ] {
        let of = Weighted { queries, references, k, columns, weights, gradient: &g };
        let (dq, dr) = T::gradients(&of);
        found.extend([dq, dr]);
    }
    found.push(mutual::gradient(&z, k, columns, &statistics, &g));
    found.push(T::entropies(&z, &z, k, columns));
    found.extend([Summand::Hinge, Summand::Euclidean].map(|sum| T::sums(sum, among, columns)));
    for ends in [vec![n], vec![n / 3, n / 2, n]] {
        let error = T::from_f64(1e-2);
        found.push(T::log_sums_within(error, among, columns, &ends));
    }
    found.extend([means, statistics, roots, costed]);
    found.into_iter().flatten().map(|x| x.to_f64().to_bits()).collect()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for arch in all() {
        let all_bits = || [3, 33].map(|k| (bits::<f32>(700, k), bits::<f64>(700, k)));
        check_threads(|| on(arch, all_bits));
    }
}

/// Three tasks of pairs.
#[test]
fn posteriors_do_not_depend_on_the_number_of_threads() {
    let (n, k) = (700, 3);
    let [old, new] = [1, 2].map(|seed| points(n * k, seed));
    let pair = |at: u32| Ends {
        first: at % 700,
        second: (at * at + 1) % 700,
        scale: at % 4,
        coincide: at.is_multiple_of(3),
    };
    let ends: Vec<Ends> = (0..5000).map(pair).collect();
    let pairs = Pairs { ends: &ends, k, kappa_sq: &[0.3, 1.0, 2.0, 5.0] };
    check_threads(|| {
        let found = pairs.expect(&old, 0.4);
        let residual = pairs.residual(&old, &new, &found.shifts);
        (found, residual.to_bits(), pairs.best_scales(&old, 0.4))
    });
}
