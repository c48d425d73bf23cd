//! All sums and their gradients with respect to queries and references.

use core::ops::Range;

use super::oracle::Oracle;
use super::{both, classes, converted, exact, largest_error, points, worst};
use crate::arch::on_each;
use crate::{Distance, NeighborSets, Number, PairSum, Summand, Weighted, Weights, mutual};

const LOG_SUM: PairSum = PairSum::LogSumExp(Distance::SqEuclidean);

const ALL: [PairSum; 5] = [
    LOG_SUM,
    PairSum::LogSumExp(Distance::Euclidean),
    PairSum::CostedLogSumExp,
    PairSum::Sum(Summand::Hinge),
    PairSum::Sum(Summand::Euclidean),
];

/// The largest error of the sums, of least distances where these are found, and of both gradients; some costs are so large that
/// a pair does not count.
fn error<T: Number>(
    sum: PairSum,
    (q, r, k): (&[f64], &[f64], usize),
    columns: &NeighborSets,
) -> f64 {
    let (b, m) = (columns.queries(), columns.references());
    let [(q, exact_q), (r, exact_r)] = [both::<T>(q), both::<T>(r)];
    let mut gradient = points(b, 5);
    gradient.iter_mut().step_by(7).for_each(|g| *g = 0.0);
    let (g, exact_g) = both::<T>(&gradient);
    let cost = |x: &f64| if *x > 0.8 { 1e30 } else { 3.0 * x.abs() };
    let (costs, exact_costs) = both::<T>(&points(b * m, 4).iter().map(cost).collect::<Vec<_>>());
    let of = Oracle { queries: &exact_q, references: &exact_r, k, columns };
    let pair = |i: usize, j: usize| match sum {
        LOG_SUM | PairSum::Sum(Summand::Hinge) => of.sq_distance(i, j),
        PairSum::CostedLogSumExp => of.sq_distance(i, j) + exact_costs[i * m + j],
        _ => of.sq_distance(i, j).sqrt(),
    };
    let points = (q.as_slice(), r.as_slice(), k);
    let statistics = match sum {
        PairSum::Sum(summand) => T::sums(summand, points, columns),
        PairSum::LogSumExp(distance) => T::statistics_of(distance, points, &[], columns),
        _ => T::statistics_of(Distance::SqEuclidean, points, &costs, columns),
    };
    let weights = match sum {
        PairSum::Sum(summand) => Weights::Sum(summand),
        PairSum::LogSumExp(Distance::SqEuclidean) => Weights::Softmax(&statistics),
        PairSum::LogSumExp(Distance::Euclidean) => Weights::EuclideanSoftmax(&statistics),
        _ => Weights::CostedSoftmax(&statistics, &costs),
    };
    let [least, logs] = of.statistics(pair);
    let term = |i: usize, j: usize| (least[i] - pair(i, j) - logs[i]).exp();
    let weight = |i: usize, j: usize| match (sum, pair(i, j)) {
        (LOG_SUM | PairSum::CostedLogSumExp, _) => term(i, j),
        (PairSum::Sum(Summand::Hinge), d) => 2.0 * (1.0 - d).max(0.0),
        (_, 0.0) => 0.0,
        (PairSum::Sum(_), d) => -0.5 / d,
        (_, d) => 0.5 * term(i, j) / d,
    };
    let gradients = of.gradients(|i, j| exact_g[i] * weight(i, j));
    let of_sums = match sum {
        PairSum::Sum(Summand::Hinge) => {
            let sums = of.sums(|i, j| (1.0 - pair(i, j)).max(0.0).powi(2));
            worst(&[(exact(&statistics), sums)])
        }
        PairSum::Sum(_) => worst(&[(exact(&statistics), of.sums(pair))]),
        _ => {
            // In f64: the difference of two large numbers of the type is another matter.
            let log_sums = |least: &[f64], logs: &[f64]| -> Vec<f64> {
                logs.iter().zip(least).map(|(log, least)| log - least).collect()
            };
            let found = exact(&statistics);
            let sums = (log_sums(&found[..b], &found[b..]), log_sums(&least, &logs));
            worst(&[(found[..b].to_vec(), least), sums])
        }
    };
    let of_kernel = Weighted { queries: &q, references: &r, k, columns, weights, gradient: &g };
    let (dq, dr) = T::gradients(&of_kernel);
    let [expected_dq, expected_dr] = gradients;
    let both: Vec<f64> = expected_dq.iter().zip(&expected_dr).map(|(q, r)| q + r).collect();
    let mut slopes = vec![(dq, expected_dq), (dr, expected_dr)];
    if exact_q == exact_r {
        // Of points that are both: each pair for itself, and once for both of its points.
        if sum == LOG_SUM && columns.is_mutual() {
            slopes.push((mutual::gradient(&q, k, columns, &statistics, &g), both.clone()));
        }
        slopes.push((T::gradient(&of_kernel), both));
    }
    of_sums.max(worst(&slopes))
}

fn check_sum(sum: PairSum, points: (&[f64], &[f64], usize), columns: &NeighborSets, what: &str) {
    let found = [error::<f64>(sum, points, columns), error::<f32>(sum, points, columns)];
    let [double, single] = if sum == LOG_SUM { [1e-13, 4e-6] } else { [1e-12, 1e-5] };
    assert!(found[0] < double && found[1] < single, "{sum:?}, {what}: {found:?}");
}

/// Every sum over every kind of set.
fn check(b: usize, m: usize, k: usize, spans: &[Range<usize>]) {
    let spread = 2.0 / (k as f64).sqrt();
    let scaled =
        |seed| -> Vec<f64> { points(b.max(m) * k, seed).iter().map(|x| x * spread).collect() };
    let (q, r) = (&scaled(1)[..b * k], &scaled(2)[..m * k]);
    let place = m.saturating_sub(b);
    for (outside, own) in [(false, false), (false, true), (true, false), (true, true)] {
        if own && b > m {
            continue;
        }
        let columns = match outside {
            false => NeighborSets::within(spans.to_vec(), m),
            true => NeighborSets::outside(spans.to_vec(), m),
        };
        let columns = if own { columns.without_self(place) } else { columns };
        let of = Oracle { queries: q, references: r, k, columns: &columns };
        for (i, span) in spans.iter().enumerate() {
            let keeps = |j: &usize| (span.contains(j) != outside) && !(own && *j == place + i);
            let expected: Vec<usize> = (0..m).filter(keeps).collect();
            assert_eq!(columns.count(i), expected.len());
            assert!(of.kept(i).eq(expected));
        }
        let what = format!("{b} x {m}, k = {k}, outside {outside}, own {own}");
        for sum in ALL {
            check_sum(sum, (q, r, k), &columns, &what);
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
fn points_of_other_classes_of_which_two_are_equal() {
    on_each(|| {
        for (n, size, k) in [(2, 1, 1), (7, 3, 2), (70, 30, 3), (131, 40, 5), (600, 250, 9)] {
            let mut z = points(n * k, 1);
            z.copy_within(..k, (n - 1) * k);
            let columns = NeighborSets::outside(classes(n, size), n);
            for sum in ALL {
                check_sum(sum, (&z, &z, k), &columns, &format!("{n} x {k}"));
            }
        }
    });
}

#[test]
fn points_that_are_queries_and_references() {
    on_each(|| {
        for (n, size, k, spread) in [
            (1, 1, 1, 1.0),
            (3, 1, 2, 1.0),
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
                let of = (&z[..], &z[..], k);
                let found =
                    [error::<f64>(LOG_SUM, of, columns), error::<f32>(LOG_SUM, of, columns)];
                assert!(found[0] < 1e-12 && found[1] < 8e-6, "{n} x {k}, set {set}: {found:?}");
            }
        }
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
            let found = error::<f32>(LOG_SUM, (x, x, k), &columns);
            assert!(found < 4e-6, "{found}");
            let found = error::<f64>(LOG_SUM, (x, x, k), &columns);
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
            let of = Oracle { queries: &exact_z, references: &exact_z, k, columns: &columns };
            let [dq, _] = of.log_sum_gradients(&vec![1.0; n]);
            let statistics = f32::statistics(&z, &z, k, &columns);
            let weights = Weights::Softmax(&statistics);
            let (queries, references, gradient) = (&z, &z, &ones);
            let of = Weighted { queries, references, k, columns: &columns, weights, gradient };
            let found = largest_error(&f32::gradients(&of).0, &dq, 0.0);
            assert!(found < 4e-6, "{scale}: {found}");
            let found = error::<f64>(LOG_SUM, (&x, &x, k), &columns);
            assert!(found < 1e-12, "{scale}: {found}");
        }
    });
}
