//! The kernels against sums written out in f64, and the exponential against the standard one.

use core::ops::Range;

use crate::{Columns, Distance, Means, Number, Summand, Weighted, Weights, mutual};

/// Numbers in -1..1 that differ from call to call.
pub(crate) fn points(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Log-sum-exps and both gradients, pair by pair.
fn written_out(
    (queries, references, k): (&[f64], &[f64], usize),
    keeps: impl Fn(usize, usize) -> bool,
    gradient: &[f64],
) -> [Vec<f64>; 3] {
    let (mut dq, mut dr) = (vec![0.0; queries.len()], vec![0.0; references.len()]);
    let mut sums = Vec::new();
    for (i, q) in queries.chunks(k).enumerate() {
        let kept = || references.chunks(k).enumerate().filter(|(j, _)| keeps(i, *j));
        let sq_distance = |r: &[f64]| q.iter().zip(r).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let least = kept().map(|(_, r)| sq_distance(r)).fold(f64::INFINITY, f64::min);
        let sum: f64 = kept().map(|(_, r)| (least - sq_distance(r)).exp()).sum();
        let lse = sum.ln() - least;
        sums.push(lse);
        for (j, r) in kept() {
            let weight = gradient[i] * (-sq_distance(r) - lse).exp();
            for axis in 0..k {
                dq[i * k + axis] -= 2.0 * weight * (q[axis] - r[axis]);
                dr[j * k + axis] += 2.0 * weight * (q[axis] - r[axis]);
            }
        }
    }
    [sums, dq, dr]
}

fn converted<T: Number>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::from_f64(x)).collect()
}

/// The largest error of the three results, relative to the largest entry of each.
fn error<T: Number>(
    q: &[f64],
    r: &[f64],
    k: usize,
    columns: &Columns,
    keeps: impl Fn(usize, usize) -> bool,
) -> f64 {
    let (b, m) = (columns.queries(), columns.references());
    let [q, r]: [Vec<T>; 2] = [converted(q), converted(r)];
    let gradient: Vec<T> = converted(&points(b, 5));
    let exact = |x: &[T]| -> Vec<f64> { x.iter().map(|x| x.to_f64()).collect() };
    let expected = written_out((&exact(&q), &exact(&r), k), keeps, &exact(&gradient));
    let statistics = T::statistics(&q, &r, k, columns);
    let (least, logs) = statistics.split_at(b);
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
    let mut worst: f64 = 0.0;
    for (found, expected) in [sums, exact(&dq), exact(&dr)].iter().zip(&expected) {
        let finite = || expected.iter().copied().filter(|x| x.is_finite());
        let scale = finite().fold(1e-3, |scale: f64, x| scale.max(x.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found.is_finite(), expected.is_finite(), "{found} against {expected}");
            if expected.is_finite() {
                worst = worst.max((found - expected).abs() / scale);
            }
        }
    }
    worst
}

/// Every kind of set, in both types.
fn check(b: usize, m: usize, k: usize, spans: Vec<Range<usize>>) {
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
                false => Columns::within(spans.clone(), m),
                true => Columns::outside(spans.clone(), m),
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

/// Spans of classes of a size, for points in class order.
fn classes(n: usize, size: usize) -> Vec<Range<usize>> {
    (0..n).map(|i| i / size * size..(i / size * size + size).min(n)).collect()
}

/// Weighted means and their three gradients, pair by pair.
#[test]
fn means_and_their_gradients() {
    for (n, size, k, c) in
        [(1, 1, 1, 1), (7, 3, 2, 1), (70, 70, 3, 2), (131, 40, 5, 4), (40, 9, 32, 11)]
    {
        let (z, v, g) = (points(n * k, 1), points(n * c, 2), points(n * c, 3));
        let spans = classes(n, size);
        let columns = Columns::outside(spans.clone(), n);
        let keeps = |i: usize, j: usize| !spans[i].contains(&j);
        let statistics = f64::statistics(&z, &z, k, &columns);
        let of = Means {
            queries: &z,
            references: &z,
            values: &v,
            k,
            c,
            columns: &columns,
            statistics: &statistics,
        };
        let found = f64::means(of);
        let found_gradients = f64::mean_gradients(of, &found, &g);
        let (mut means, mut dq, mut dr, mut dv) =
            (vec![0.0; n * c], vec![0.0; n * k], vec![0.0; n * k], vec![0.0; n * c]);
        for i in 0..n {
            let lse = statistics[n + i] - statistics[i];
            let sq_distance =
                |j: usize| (0..k).map(|a| (z[i * k + a] - z[j * k + a]).powi(2)).sum::<f64>();
            let kept: Vec<(usize, f64)> = (0..n)
                .filter(|&j| keeps(i, j))
                .map(|j| (j, (-sq_distance(j) - lse).exp()))
                .collect();
            for &(j, p) in &kept {
                (0..c).for_each(|a| means[i * c + a] += p * v[j * c + a]);
            }
            for &(j, p) in &kept {
                let s: f64 =
                    (0..c).map(|a| p * g[i * c + a] * (v[j * c + a] - means[i * c + a])).sum();
                for a in 0..k {
                    dq[i * k + a] -= 2.0 * s * (z[i * k + a] - z[j * k + a]);
                    dr[j * k + a] += 2.0 * s * (z[i * k + a] - z[j * k + a]);
                }
                (0..c).for_each(|a| dv[j * c + a] += p * g[i * c + a]);
            }
        }
        let [fq, fr, fv] = found_gradients;
        for (found, expected) in [(found, means), (fq, dq), (fr, dr), (fv, dv)] {
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{n} {k} {c}: {found} against {expected}"
                );
            }
        }
    }
}

/// Sums of Euclidean distances and log-sum-exps of them, with their gradients, pair by pair; two points are equal.
#[test]
fn euclidean_distances_and_their_gradients() {
    for (n, size, k) in [(2, 1, 1), (7, 3, 2), (70, 30, 3), (131, 40, 5), (600, 250, 9)] {
        let (mut z, g) = (points(n * k, 1), points(n, 2));
        z.copy_within(..k, (n - 1) * k);
        let spans = classes(n, size);
        let columns = Columns::outside(spans.clone(), n);
        let kept = |i: usize| {
            (0..n).filter({
                let span = spans[i].clone();
                move |j| !span.contains(j)
            })
        };
        let distance = |i: usize, j: usize| {
            (0..k).map(|a| (z[i * k + a] - z[j * k + a]).powi(2)).sum::<f64>().sqrt()
        };
        let points = (z.as_slice(), z.as_slice(), k);
        let statistics = f64::statistics_of(Distance::Euclidean, points, &columns);
        let lse = |i: usize| kept(i).map(|j| (-distance(i, j)).exp()).sum::<f64>().ln();
        let sums = f64::sums(Summand::Euclidean, points, &columns);
        for i in 0..n {
            let found = statistics[n + i] - statistics[i];
            assert!(found == lse(i) || (found - lse(i)).abs() < 1e-12, "{n} {k}: {found}");
            let sum = kept(i).map(|j| distance(i, j)).sum::<f64>();
            assert!((sums[i] - sum).abs() < 1e-12 * (1.0 + sum));
        }
        let slope = |i: usize, j: usize, of_sum: bool| match distance(i, j) {
            0.0 => 0.0,
            d if of_sum => g[i] / d,
            d => -g[i] * (-d - lse(i)).exp() / d,
        };
        let all = [
            (Weights::EuclideanSoftmax(&statistics), false),
            (Weights::Sum(Summand::Euclidean), true),
        ];
        for (weights, of_sum) in all {
            let (queries, references) = (points.0, points.1);
            let of = Weighted { queries, references, k, columns: &columns, weights, gradient: &g };
            let (fq, fr) = f64::gradients(&of);
            let (mut dq, mut dr) = (vec![0.0; n * k], vec![0.0; n * k]);
            for i in 0..n {
                for j in kept(i) {
                    for a in 0..k {
                        let slope = slope(i, j, of_sum) * (z[i * k + a] - z[j * k + a]);
                        dq[i * k + a] += slope;
                        dr[j * k + a] -= slope;
                    }
                }
            }
            for (found, expected) in fq.iter().chain(&fr).zip(dq.iter().chain(&dr)) {
                let bound = 1e-11 * (1.0 + expected.abs());
                assert!((found - expected).abs() < bound, "{n} {k}: {found} and {expected}");
            }
        }
    }
}

/// Log-sum-exps with a cost for each pair, some of them so large that a pair does not count, and their gradients.
#[test]
fn costs_are_added_to_the_distances() {
    for (b, m, k) in [(1, 1, 1), (7, 7, 2), (33, 70, 3), (50, 600, 9)] {
        let (q, r, g) = (points(b * k, 1), points(m * k, 2), points(b, 3));
        let cost = |x: &f64| if *x > 0.8 { 1e30 } else { 3.0 * x.abs() };
        let costs: Vec<f64> = points(b * m, 4).iter().map(cost).collect();
        let columns = Columns::all(b, m);
        let columns = if b <= m && m > 1 { columns.without_self(m - b) } else { columns };
        let kept = |i: usize| (0..m).filter(move |&j| !(m > 1 && j == m - b + i));
        let value = |i: usize, j: usize| {
            (0..k).map(|a| (q[i * k + a] - r[j * k + a]).powi(2)).sum::<f64>() + costs[i * m + j]
        };
        let statistics = f64::statistics_with_costs((&q, &r, k), &costs, &columns);
        let weights = Weights::CostedSoftmax(&statistics, &costs);
        let of =
            Weighted { queries: &q, references: &r, k, columns: &columns, weights, gradient: &g };
        let (fq, fr) = f64::gradients(&of);
        let (mut dq, mut dr) = (vec![0.0; b * k], vec![0.0; m * k]);
        for i in 0..b {
            let least = kept(i).map(|j| value(i, j)).fold(f64::INFINITY, f64::min);
            let log = kept(i).map(|j| (least - value(i, j)).exp()).sum::<f64>().ln();
            assert!((statistics[i] - least).abs() <= 1e-12 * least.abs());
            assert!((statistics[b + i] - log).abs() < 1e-12);
            for j in kept(i) {
                let weight = 2.0 * g[i] * (least - value(i, j) - log).exp();
                for a in 0..k {
                    let slope = weight * (q[i * k + a] - r[j * k + a]);
                    dq[i * k + a] -= slope;
                    dr[j * k + a] += slope;
                }
            }
        }
        for (found, expected) in fq.iter().chain(&fr).zip(dq.iter().chain(&dr)) {
            assert!((found - expected).abs() < 1e-12, "{b} {m} {k}: {found} and {expected}");
        }
    }
}

/// `Σ_j max(0, 1 - d_ij)²` and its gradient, pair by pair.
#[test]
fn hinges_and_their_gradients() {
    for (n, size, k) in [(1, 1, 1), (7, 3, 2), (70, 30, 3), (131, 40, 5), (600, 250, 2)] {
        let (z, g) = (points(n * k, 1), points(n, 2));
        let spans = classes(n, size);
        let columns = Columns::outside(spans.clone(), n);
        let found = f64::sums(Summand::Hinge, (&z, &z, k), &columns);
        let (queries, references) = (z.as_slice(), z.as_slice());
        let (weights, gradient) = (Weights::Sum(Summand::Hinge), g.as_slice());
        let of = Weighted { queries, references, k, columns: &columns, weights, gradient };
        let (fq, fr) = f64::gradients(&of);
        let (mut sums, mut dq, mut dr) = (vec![0.0; n], vec![0.0; n * k], vec![0.0; n * k]);
        for (i, span) in spans.iter().enumerate() {
            for j in (0..n).filter(|j| !span.contains(j)) {
                let apart = |a: usize| z[i * k + a] - z[j * k + a];
                let below = (1.0 - (0..k).map(|a| apart(a).powi(2)).sum::<f64>()).max(0.0);
                sums[i] += below * below;
                for a in 0..k {
                    let slope = -4.0 * g[i] * below * apart(a);
                    dq[i * k + a] += slope;
                    dr[j * k + a] -= slope;
                }
            }
        }
        for (found, expected) in [(found, sums), (fq, dq), (fr, dr)] {
            for (found, expected) in found.iter().zip(&expected) {
                let error = (found - expected).abs();
                assert!(error < 1e-11, "{n} {k}: {found} against {expected}");
            }
        }
    }
}

#[test]
fn shapes_that_fill_no_tile_or_several() {
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
        check(n, n, k, classes(n, size));
    }
}

#[test]
fn queries_and_references_of_different_number() {
    check(1, 70, 2, classes(20, 20)[..1].to_vec());
    check(5, 600, 3, vec![0..600, 0..0, 599..600, 10..11, 128..512]);
    check(130, 3, 2, vec![1..2; 130]);
}

/// The largest error of the gradient of points among themselves, relative to its largest entry, with spread-out
/// gradients of the sums and some that are 0.
fn mutual_error<T: Number>(
    z: &[f64],
    k: usize,
    columns: &Columns,
    keeps: impl Fn(usize, usize) -> bool,
) -> f64 {
    let n = columns.queries();
    let z: Vec<T> = converted(z);
    let mut gradient = points(n, 5);
    gradient.iter_mut().step_by(7).for_each(|g| *g = 0.0);
    let gradient: Vec<T> = converted(&gradient);
    let exact = |x: &[T]| -> Vec<f64> { x.iter().map(|x| x.to_f64()).collect() };
    let [_, dq, dr] = written_out((&exact(&z), &exact(&z), k), keeps, &exact(&gradient));
    let statistics = T::statistics(&z, &z, k, columns);
    let found = T::gradient(&Weighted {
        queries: &z,
        references: &z,
        k,
        columns,
        weights: Weights::Softmax(&statistics),
        gradient: &gradient,
    });
    assert_eq!(found.len(), n * k);
    let mut all_found = vec![found];
    if columns.is_mutual() {
        all_found.push(mutual::gradient(&z, k, columns, &statistics, &gradient));
    }
    let expected: Vec<f64> = dq.iter().zip(&dr).map(|(q, r)| q + r).collect();
    let scale = expected.iter().fold(1e-3, |scale: f64, x| scale.max(x.abs()));
    let errors = |found: &Vec<T>| {
        let found = exact(found).into_iter().zip(&expected);
        found.map(|(x, y)| (x - y).abs() / scale).fold(0.0, f64::max)
    };
    all_found.iter().map(errors).fold(0.0, f64::max)
}

#[test]
fn points_that_are_queries_and_references() {
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
        let one_class = |i: usize, j: usize| spans[i].contains(&j);
        type Keeps<'a> = &'a dyn Fn(usize, usize) -> bool;
        let sets: [(Columns, Keeps); 5] = [
            (Columns::all(n, n), &|_, _| true),
            (Columns::all(n, n).without_self(0), &|i, j| i != j),
            (Columns::within(spans.clone(), n).without_self(0), &|i, j| i != j && one_class(i, j)),
            (Columns::outside(spans.clone(), n), &|i, j| !one_class(i, j)),
            // Not mutual: the first sums over none.
            (
                Columns::within([vec![0..0], vec![0..n; n - 1]].concat(), n).without_self(0),
                &|i, j| i != 0 && i != j,
            ),
        ];
        for (set, (columns, keeps)) in sets.iter().enumerate() {
            assert_eq!(columns.is_mutual(), set < 4, "{n} {set}");
            let found = [
                mutual_error::<f64>(&z, k, columns, keeps),
                mutual_error::<f32>(&z, k, columns, keeps),
            ];
            assert!(found[0] < 1e-12 && found[1] < 8e-6, "{n} x {k}, set {set}: {found:?}");
        }
    }
}

/// Entropies as `log S + Σ t exp(-t) / S`, pair by pair, at every scale.
#[test]
fn entropies_are_those_of_the_weights() {
    for (n, size, k, spread) in
        [(1, 1, 1, 1.0), (7, 3, 2, 1.0), (900, 300, 3, 0.1), (700, 350, 8, 40.0), (60, 20, 32, 1e6)]
    {
        let z: Vec<f64> = points(n * k, 6).iter().map(|x| x * spread).collect();
        let spans = classes(n, size);
        let columns = Columns::outside((0..n).map(|i| i..i + 1).collect(), n);
        let of_class = Columns::within(spans.clone(), n).without_self(0);
        type Keeps<'a> = &'a dyn Fn(usize, usize) -> bool;
        let sets: [(&Columns, Keeps); 2] =
            [(&columns, &|i, j| i != j), (&of_class, &|i, j| i != j && spans[i].contains(&j))];
        for (columns, keeps) in sets {
            let found = f64::entropies(&z, &z, k, columns);
            let statistics = f64::statistics(&z, &z, k, columns);
            let pairs = || found.iter().zip(&statistics);
            assert!(pairs().all(|(x, y)| x == y || (x - y).abs() < 1e-13 * y.abs().max(1.0)));
            for i in 0..n {
                let d = |j: usize| {
                    (0..k).map(|axis| (z[i * k + axis] - z[j * k + axis]).powi(2)).sum::<f64>()
                };
                let kept: Vec<f64> = (0..n).filter(|&j| keeps(i, j)).map(d).collect();
                let least = kept.iter().copied().fold(f64::INFINITY, f64::min);
                let sum: f64 = kept.iter().map(|d| (least - d).exp()).sum();
                let moment: f64 = kept.iter().map(|d| (d - least) * (least - d).exp()).sum();
                let expected = if kept.is_empty() { 0.0 } else { sum.ln() + moment / sum };
                let found = found[2 * n + i];
                assert!((found - expected).abs() < 1e-12, "{n} {k} {i}: {found} {expected}");
            }
        }
    }
}

#[test]
fn duplicates_have_no_distance() {
    let q = vec![0.5; 40];
    let columns = Columns::all(20, 20).without_self(0);
    assert!(error::<f32>(&q, &q, 2, &columns, |i, j| i != j) < 1e-6);
}

/// Groups 10000 apart, an outlier at 1e6, squared norms of 1e6: neighbours decide, and they are near.
#[test]
fn far_groups_and_outliers_cost_no_digits() {
    let (n, k) = (90, 32);
    let near = |x: &mut Vec<f64>| x.iter_mut().for_each(|x| *x = f64::from(*x as f32));
    let mut apart = points(n * k, 8);
    apart.iter_mut().enumerate().for_each(|(at, x)| *x += if at / k % 2 == 0 { 1e4 } else { 0.0 });
    let mut outlier = points(n * k, 9);
    outlier[3] = 1e6;
    let mut far = points(n * k, 10);
    far.iter_mut().for_each(|x| *x += 200.0);
    // What is near to the outlier, f32 cannot say; it asks for nothing, but stays a reference of the others.
    let mut spans = vec![0..n; n];
    spans[0] = 0..0;
    let columns = Columns::within(spans, n).without_self(0);
    for x in [&mut apart, &mut outlier, &mut far] {
        near(x);
        let found = error::<f32>(x, x, k, &columns, |i, j| i != 0 && i != j);
        assert!(found < 4e-6, "{found}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (n, k) = (700, 3);
    let z: Vec<f32> = converted(&points(n * k, 4));
    let columns = Columns::outside(classes(n, 100), n);
    let gradient: Vec<f32> = converted(&points(n, 5));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let statistics = f32::statistics(&z, &z, k, &columns);
            let of = Weighted {
                queries: &z,
                references: &z,
                k,
                columns: &columns,
                weights: Weights::Softmax(&statistics),
                gradient: &gradient,
            };
            let (dq, dr) = f32::gradients(&of);
            let dz = mutual::gradient(&z, k, &columns, &statistics, &gradient);
            [statistics, dq, dr, dz].map(|x| x.into_iter().map(f32::to_bits).collect::<Vec<_>>())
        })
    };
    assert_eq!(run(1), run(3));
}

mod exp {
    use pulp::{Arch, Simd, WithSimd};

    use super::points;
    use crate::vector::Real;

    struct Exp<'a, T>(&'a mut [T]);

    impl<T: Real> WithSimd for Exp<'_, T> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            T::vectors_mut::<S>(self.0).iter_mut().for_each(|x| *x = T::exp(simd, *x));
        }
    }

    /// All that this machine has.
    fn architectures() -> Vec<Arch> {
        let mut all = vec![Arch::Scalar, Arch::new()];
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        all.extend(pulp::x86::V3::try_new().map(Arch::V3));
        all
    }

    /// The largest error of f32 in units of the last place, over bit patterns from that of -0 on, for every
    /// instruction set of the machine.
    fn worst_of(arch: Arch, step: usize) -> f64 {
        let mut worst: f64 = 0.0;
        {
            for start in (0x8000_0000..=0xff80_0000u64).step_by(step * 4096) {
                let end = (start + step as u64 * 4096).min(0xff80_0001);
                let x: Vec<f32> =
                    (start..end).step_by(step).map(|bits| f32::from_bits(bits as u32)).collect();
                let mut found = x.clone();
                found.resize(x.len().next_multiple_of(16), 0.0);
                arch.dispatch(Exp(&mut found));
                for (&x, &found) in x.iter().zip(&found) {
                    let expected = f64::from(x).exp();
                    if expected < f64::from(f32::MIN_POSITIVE) {
                        assert!(found <= f32::MIN_POSITIVE, "exp({x}) = {found}");
                        continue;
                    }
                    let place = 2f64.powi(expected.log2().floor() as i32 - 23);
                    worst = worst.max((f64::from(found) - expected).abs() / place);
                }
            }
        }
        worst
    }

    #[test]
    fn of_every_thousandth_f32() {
        for arch in architectures() {
            let worst = worst_of(arch, 1009);
            assert!(worst < 1.2, "{arch:?}: {worst} units in the last place");
        }
    }

    /// A minute or two in an optimised build.
    #[test]
    #[ignore = "two thousand million values"]
    fn of_every_f32() {
        for arch in architectures() {
            let worst = worst_of(arch, 1);
            assert!(worst < 1.2, "{arch:?}: {worst} units in the last place");
        }
    }

    #[test]
    fn of_a_million_f64() {
        let x: Vec<f64> = points(1 << 20, 3).iter().map(|x| -354.0 * (x + 1.0)).collect();
        for arch in architectures() {
            let mut found = x.clone();
            arch.dispatch(Exp(&mut found));
            for (&x, &found) in x.iter().zip(&found) {
                let expected = x.exp();
                assert!((found - expected).abs() <= 3e-16 * expected, "exp({x}) = {found}");
            }
        }
    }

    #[test]
    fn ends_are_exact() {
        for arch in architectures() {
            let mut x = [0.0, -0.0, f32::NEG_INFINITY, f32::NAN, -1e30, -88.0].repeat(16);
            arch.dispatch(Exp(&mut x));
            assert_eq!(x[..3], [1.0, 1.0, 0.0]);
            assert!(x[3].is_nan());
            assert_eq!(x[4..6], [0.0, 0.0]);
            let mut x = [0.0, -0.0, f64::NEG_INFINITY, f64::NAN, -1e300, -709.0].repeat(16);
            arch.dispatch(Exp(&mut x));
            assert_eq!(x[..3], [1.0, 1.0, 0.0]);
            assert!(x[3].is_nan());
            assert_eq!(x[4..6], [0.0, 0.0]);
        }
    }
}

/// The logarithms of the sums of groups, from the statistics of each group on its own.
fn log_sums_one_by_one(
    (queries, references, k): (&[f64], &[f64], usize),
    columns: &Columns,
    ends: &[usize],
) -> Vec<f64> {
    let b = columns.queries();
    let mut all = vec![f64::NEG_INFINITY; b * ends.len()];
    for (query, of_query) in all.chunks_mut(ends.len()).enumerate() {
        let point = &queries[query * k..(query + 1) * k];
        for (group, log) in of_query.iter_mut().enumerate() {
            let start = if group == 0 { 0 } else { ends[group - 1] };
            let there = |at: &usize| {
                !columns.left_out(query, &(*at..*at + 1)).into_iter().any(|out| out.len() == 1)
            };
            let squared = |at: usize| -> f64 {
                let reference = &references[at * k..(at + 1) * k];
                point.iter().zip(reference).map(|(q, r)| (q - r) * (q - r)).sum()
            };
            let squares: Vec<f64> = (start..ends[group]).filter(there).map(squared).collect();
            let least = squares.iter().copied().fold(f64::INFINITY, f64::min);
            if least < f64::INFINITY {
                *log = squares.iter().map(|d| (least - d).exp()).sum::<f64>().ln() - least;
            }
        }
    }
    all
}

/// Sums of groups, of one and of many, by products and by differences, for every kind of set.
#[test]
fn log_sums_of_groups_are_within_their_bound() {
    for (b, m, k) in [(1, 1, 32), (7, 33, 40), (50, 50, 100), (61, 700, 33), (9, 1100, 3)] {
        let (q, r): (Vec<f64>, Vec<f64>) = (points(b * k, 1), points(m * k, 2));
        let spans: Vec<_> = (0..b).map(|i| i.min(m)..(i + m / 2).min(m)).collect();
        let sets =
            [Columns::within(spans.clone(), m), Columns::outside(spans, m), Columns::all(b, m)];
        let groups = [vec![m], vec![0, m / 3, m / 3, m], (1..=m).collect()];
        for columns in sets.into_iter().flat_map(|set| [set.clone(), set.without_self(m - b)]) {
            for ends in &groups {
                let exact = log_sums_one_by_one((&q, &r, k), &columns, ends);
                for error in [0.0, 1e-6] {
                    let found = f64::log_sums_within(error, (&q, &r, k), &columns, ends);
                    for (exact, found) in exact.iter().zip(&found) {
                        let off = if exact == found { 0.0 } else { (exact - found).abs() };
                        assert!(off < 1e-9, "{b} x {m} in {k}, {ends:?}: {found} for {exact}");
                    }
                }
            }
        }
    }
}

/// Where products could be off by more than is allowed, differences are taken.
#[test]
fn products_give_way_where_they_are_not_exact_enough() {
    let (n, k) = (40, 64);
    let mut z = points(n * k, 3);
    let columns = Columns::all(n, n).without_self(0);
    for ends in [vec![n], vec![7, n]] {
        let sums = |error: f64, z: &[f64]| f64::log_sums_within(error, (z, z, k), &columns, &ends);
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
}
