//! Log-sum-exps and their gradients with respect to queries and references.

use core::ops::Range;

use super::{both, classes, converted, largest_error, on_each, points, written_out};
use crate::{NeighborSets, Number, Weighted, Weights};

/// The largest error of the three results.
fn error<T: Number>(
    q: &[f64],
    r: &[f64],
    k: usize,
    columns: &NeighborSets,
    keeps: impl Fn(usize, usize) -> bool,
) -> f64 {
    let (b, m) = (columns.queries(), columns.references());
    let [(q, exact_q), (r, exact_r)] = [both::<T>(q), both::<T>(r)];
    let (gradient, exact_gradient) = both::<T>(&points(b, 5));
    let expected = written_out((&exact_q, &exact_r, k), keeps, &exact_gradient);
    let statistics = T::statistics(&q, &r, k, columns);
    let (least, logs) = statistics.split_at(b);
    // In f64: the difference of two large numbers of the type is another matter.
    let sums: Vec<f64> = least.iter().zip(logs).map(|(d, log)| log.to_f64() - d.to_f64()).collect();
    let all = Weighted {
        queries: &q,
        references: &r,
        k,
        columns,
        weights: Weights::Softmax(&statistics),
        gradient: &gradient,
    };
    let (dq, dr) = T::gradients(&all);
    assert_eq!((dq.len(), dr.len()), (b * k, m * k));
    let of_sums = largest_error(&sums, &expected[0], 1e-3);
    let of_queries = largest_error(&dq, &expected[1], 1e-3);
    of_sums.max(of_queries).max(largest_error(&dr, &expected[2], 1e-3))
}

/// Every kind of set, in both types.
fn check(b: usize, m: usize, k: usize, spans: &[Range<usize>]) {
    let spread = 2.0 / (k as f64).sqrt();
    let scaled =
        |seed| -> Vec<f64> { points(b.max(m) * k, seed).iter().map(|x| x * spread).collect() };
    let (q, r) = (&scaled(1)[..b * k], &scaled(2)[..m * k]);
    let place = m.saturating_sub(b);
    for outside in [false, true] {
        for own in [false, true] {
            if own && b > m {
                continue;
            }
            let columns = match outside {
                false => NeighborSets::within(spans.to_vec(), m),
                true => NeighborSets::outside(spans.to_vec(), m),
            };
            let columns = if own { columns.without_self(place) } else { columns };
            let keeps =
                |i: usize, j: usize| (spans[i].contains(&j) != outside) && !(own && j == place + i);
            for (i, _) in spans.iter().enumerate() {
                assert_eq!(columns.count(i), (0..m).filter(|&j| keeps(i, j)).count());
            }
            let found =
                [error::<f64>(q, r, k, &columns, keeps), error::<f32>(q, r, k, &columns, keeps)];
            let what = format!("{b} x {m}, k = {k}, outside {outside}, own {own}: {found:?}");
            assert!(found[0] < 1e-13 && found[1] < 4e-6, "{what}");
        }
    }
}

#[test]
fn shapes_that_fill_no_tile_or_several() {
    on_each(|| {
        for (n, size, k) in [
            (1, 1, 1),
            (2, 2, 1),
            (3, 1, 2),
            (7, 3, 3),
            (50, 5, 4),
            (131, 40, 5),
            (600, 250, 2),
            (97, 33, 32),
            (40, 9, 300),
        ] {
            check(n, n, k, &classes(n, size));
        }
    });
}

#[test]
fn queries_and_references_of_different_number() {
    on_each(|| {
        check(1, 70, 2, &classes(20, 20)[..1]);
        check(5, 600, 3, &[0..600, 0..0, 599..600, 10..11, 128..512]);
        check(130, 3, 2, &vec![1..2; 130]);
    });
}

#[test]
fn duplicates_have_no_distance() {
    on_each(|| {
        let q = vec![0.5; 40];
        let columns = NeighborSets::all(20, 20).without_self(0);
        assert!(error::<f32>(&q, &q, 2, &columns, |i, j| i != j) < 1e-6);
        assert!(error::<f64>(&q, &q, 2, &columns, |i, j| i != j) < 1e-15);
    });
}

/// Groups 10000 apart, an outlier at 1e6, squared norms of 1e6: neighbors decide, and they are near.
#[test]
fn far_groups_and_outliers_cost_no_digits() {
    let (n, k) = (90, 32);
    let mut apart = points(n * k, 8);
    apart.iter_mut().enumerate().for_each(|(at, x)| *x += if at / k % 2 == 0 { 1e4 } else { 0.0 });
    let mut outlier = points(n * k, 9);
    outlier[3] = 1e6;
    let mut far = points(n * k, 10);
    far.iter_mut().for_each(|x| *x += 200.0);
    // What is near to the outlier, f32 cannot say; it asks for nothing, but stays a reference of the others.
    let mut spans = vec![0..n; n];
    spans[0] = 0..0;
    let columns = NeighborSets::within(spans, n).without_self(0);
    on_each(|| {
        for x in [&apart, &outlier, &far] {
            let found = error::<f32>(x, x, k, &columns, |i, j| i != 0 && i != j);
            assert!(found < 4e-6, "{found}");
            let found = error::<f64>(x, x, k, &columns, |i, j| i != 0 && i != j);
            assert!(found < 1e-12, "{found}");
        }
    });
}

/// Every pair is far below the least normal number, or far beyond the largest exponent.
#[test]
fn extreme_scales_are_those_of_one_neighbor_or_of_all() {
    let (n, k) = (70, 3);
    let columns = NeighborSets::outside(classes(n, 1), n);
    on_each(|| {
        for scale in [1e-30, 1e-12, 1e-3, 1e3, 1e9, 1e15] {
            let x: Vec<f64> = points(n * k, 4).iter().map(|x| x * scale).collect();
            let (z, exact_z) = both::<f32>(&x);
            let ones: Vec<f32> = converted(&vec![1.0; n]);
            let [_, dq, _] = written_out((&exact_z, &exact_z, k), |i, j| i != j, &vec![1.0; n]);
            let statistics = f32::statistics(&z, &z, k, &columns);
            let weights = Weights::Softmax(&statistics);
            let (queries, references, gradient) = (&z, &z, &ones);
            let of = Weighted { queries, references, k, columns: &columns, weights, gradient };
            let found = largest_error(&f32::gradients(&of).0, &dq, 0.0);
            assert!(found < 4e-6, "{scale}: {found}");
            let found = error::<f64>(&x, &x, k, &columns, |i, j| i != j);
            assert!(found < 1e-12, "{scale}: {found}");
        }
    });
}
