//! Sums of groups, by products and by differences.

use super::oracle::{Oracle, least_and_log};
use super::{both, exact, points};
use crate::arch::on_each;
use crate::{NeighborSets, Number};

/// The logarithms of the sums of groups.
fn log_sums_one_by_one(of: &Oracle<'_>, ends: &[usize]) -> Vec<f64> {
    let log_sum = |i: usize, group: usize| {
        let start = if group == 0 { 0 } else { ends[group - 1] };
        let kept = of.kept(i).filter(|j| (start..ends[group]).contains(j));
        let [least, log] = least_and_log(kept.map(|j| of.sq_distance(i, j)).collect());
        log - least
    };
    let of_query = |i: usize| (0..ends.len()).map(move |group| log_sum(i, group));
    (0..of.columns.queries()).flat_map(of_query).collect()
}

/// Sums of groups, of one and of many, by products and by differences, for every kind of set. The first number of
/// each of `errors` is what squared distances may be off by, the second what the logarithms then are.
fn check<T: Number>(b: usize, m: usize, k: usize, errors: [(f64, f64); 2]) {
    let [(q, exact_q), (r, exact_r)] =
        [(b * k, 1), (m * k, 2)].map(|(count, seed)| both::<T>(&points(count, seed)));
    let spans: Vec<_> = (0..b).map(|i| i.min(m)..(i + m / 2).min(m)).collect();
    let sets = [
        NeighborSets::within(spans.clone(), m),
        NeighborSets::outside(spans, m),
        NeighborSets::all(b, m),
    ];
    let groups = [vec![m], vec![0, m / 3, m / 3, m], (1..=m).collect()];
    for columns in sets.into_iter().flat_map(|set| [set.clone(), set.without_self(m - b)]) {
        for ends in &groups {
            let of = Oracle { queries: &exact_q, references: &exact_r, k, columns: &columns };
            let expected = log_sums_one_by_one(&of, ends);
            for (error, bound) in errors {
                let error = T::from_f64(error);
                let found = T::log_sums_within(error, (&q, &r, k), &columns, ends);
                for (&expected, found) in expected.iter().zip(exact(&found)) {
                    let off = if expected == found { 0.0 } else { (expected - found).abs() };
                    assert!(off < bound, "{b} x {m} in {k}, {ends:?}: {found} for {expected}");
                }
            }
        }
    }
}

#[test]
fn log_sums_of_groups_are_within_their_bound() {
    on_each(|| {
        for (b, m, k) in [(1, 1, 32), (7, 33, 40), (50, 50, 100), (61, 700, 33), (9, 1100, 3)] {
            check::<f64>(b, m, k, [(0.0, 1e-12), (1e-6, 1e-9)]);
            // Logarithms of up to -100, which f32 has to 4e-6.
            check::<f32>(b, m, k, [(0.0, 4e-5), (1e-2, 1e-3)]);
        }
    });
}

/// Where products could be off by more than is allowed, differences are taken.
#[test]
fn products_give_way_where_they_are_not_exact_enough() {
    on_each(|| {
        let (n, k) = (40, 64);
        let mut z = points(n * k, 3);
        let columns = NeighborSets::all(n, n).without_self(0);
        for ends in [vec![n], vec![7, n]] {
            let sums =
                |error: f64, z: &[f64]| f64::log_sums_within(error, (z, z, k), &columns, &ends);
            assert_ne!(sums(1e-6, &z), sums(0.0, &z), "products");
            let kept = core::mem::replace(&mut z[5], 1e6);
            assert_eq!(sums(1e-6, &z), sums(0.0, &z), "differences");
            z[5] = kept;
            let far: Vec<f64> = z.iter().map(|x| x + 1e7).collect();
            for (far, near) in sums(1e-6, &far).iter().zip(sums(0.0, &z)) {
                // Some digits went when the points were moved.
                assert!((far - near).abs() < 1e-6, "{far} for {near}");
            }
            let equal = sums(1e-6, &vec![0.3; n * k]);
            assert!(equal.iter().all(|sum| *sum >= 0.0 && *sum < 4.0), "{equal:?}");
        }
    });
}
