//! The series against the direct sums, in value and gradient.

use super::oracle::Pairs;
use super::shapes::{Shape, all};
use crate::{
    Limits, LogSums, Moments, Points, Sets, TOLERANCE, log_sums, log_sums_gradient, with_moments,
};

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[expect(clippy::print_stdout, reason = "shown for a failed test only")]
pub(super) fn check_close(
    what: &str,
    (value, gradient): (f64, &[f64]),
    (expected, by_pairs): (f64, &[f64]),
    floor: f64,
) {
    let error: Vec<f64> = gradient.iter().zip(by_pairs).map(|(a, b)| a - b).collect();
    let value_error = (value - expected).abs() / expected.abs().max(1.0);
    let (size, off) = (norm(by_pairs), norm(&error));
    println!(
        "{what}, value {expected:.5e} off {value_error:.1e}, gradient {size:.1e} off {off:.1e}"
    );
    assert!(value_error < 1e-7, "{what}: value {value} {expected}");
    assert!(off <= 1e-4 * size + floor, "{what}: gradient {size} off {off}");
}

/// The log sums, and the entropies in nats of the weights, `s_i + Σ_j p_ij ||q_i - r_j||²`.
pub(super) fn entropies(points: &Points<'_>) -> (LogSums, Vec<f64>) {
    let limits = Limits { relative: 1e-4, exact: f64::INFINITY };
    let (sums, squares) = with_moments(points, Moments::Squares, limits).unwrap();
    let entropies = sums.values.iter().zip(squares).map(|(sum, square)| sum + square).collect();
    (sums, entropies)
}

/// g of the paper with its slopes over the log sums over the class and over all.
fn objective(same: &[f64], all: &[f64]) -> (f64, [Vec<f64>; 2]) {
    let counted = || same.iter().zip(all).map(|(same, all)| (same.is_finite(), same - all));
    let slopes = |slope: f64| counted().map(move |(counts, _)| if counts { slope } else { 0.0 });
    let value = counted().filter(|(counts, _)| *counts).map(|(_, log_p)| log_p).sum();
    (value, [slopes(1.0).collect(), slopes(-1.0).collect()])
}

fn sets(shape: &Shape) -> [Sets; 2] {
    let n = shape.spans.len();
    [Sets::new(&shape.spans, n, Some(0)), Sets::all(n, n, Some(0))]
}

fn points<'a>(shape: &'a Shape, sets: &'a Sets) -> Points<'a> {
    let Shape { z, k, .. } = shape;
    Points { queries: z, references: z, k: *k, sets, tolerance: TOLERANCE }
}

fn by_series(shape: &Shape) -> (f64, Vec<f64>, [LogSums; 2]) {
    let sets = sets(shape);
    let sums = [0, 1].map(|at| log_sums(&points(shape, &sets[at])));
    let (value, g) = objective(&sums[0].values, &sums[1].values);
    let mut gradient = vec![0.0; shape.z.len()];
    for at in 0..2 {
        for part in log_sums_gradient(&points(shape, &sets[at]), &sums[at], &g[at]) {
            gradient.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
    }
    (value, gradient, sums)
}

fn by_pairs(shape: &Shape) -> (f64, Vec<f64>) {
    let Shape { z, k, spans, .. } = shape;
    let n = spans.len();
    let everywhere = vec![0..n; n];
    let both = [spans, &everywhere].map(|spans| Pairs { z, k: *k, spans });
    let sums = both.map(|pairs| pairs.log_sums());
    let (value, g) = objective(&sums[0], &sums[1]);
    let parts = [0, 1].map(|at| both[at].log_sums_gradient(&g[at]));
    (value, parts[0].iter().zip(&parts[1]).map(|(a, b)| a + b).collect())
}

fn check(n: usize, k: usize) {
    for shape in all(n, k) {
        let (value, gradient, sums) = by_series(&shape);
        let (expected, by_pairs) = by_pairs(&shape);
        let what = format!("{}: exact {:?}", shape.name, sums.map(|sums| sums.exact()));
        let floor = 1e-10 * (n as f64).sqrt();
        check_close(&what, (value, &gradient), (expected, &by_pairs), floor);
    }
}

#[test]
fn objectives_are_those_of_the_pairs() {
    for n in [2, 3, 10, 97, 600, 2000] {
        for k in [1, 2] {
            check(n, k);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for shape in all(1000, 2) {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| by_series(&shape))
        };
        let one = with(1);
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        for threads in [2, 8] {
            let many = with(threads);
            assert_eq!(bits(&many.1), bits(&one.1), "{} by {threads} threads", shape.name);
            for at in 0..2 {
                assert_eq!(bits(&many.2[at].values), bits(&one.2[at].values), "{}", shape.name);
            }
        }
    }
}

/// Queries that are none of the references: as the points of one class among all, without themselves.
#[test]
fn queries_may_be_other_points() {
    let shape = all(3000, 2).swap_remove(7);
    let (b, k) = (1000, 2);
    let (queries, references) = shape.z.split_at(b * k);
    let sets = Sets::all(b, 2000, None);
    let points = Points { queries, references, k, sets: &sets, tolerance: TOLERANCE };
    let (found, entropies) = entropies(&points);
    assert!(found.exact() < b / 10);
    let gradient: Vec<f64> = (0..b).map(|i| (i as f64).sin()).collect();
    let [dq, dr] = log_sums_gradient(&points, &found, &gradient);
    let spans: Vec<_> = (0..3000).map(|i| if i < b { b..3000 } else { 0..0 }).collect();
    let padded = [gradient, vec![0.0; 2000]].concat();
    let pairs = Pairs { z: &shape.z, k, spans: &spans };
    let (expected, by_pairs) = (pairs.log_sums(), pairs.log_sums_gradient(&padded));
    for (found, expected) in found.values.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-7, "{found} {expected}");
    }
    let error: Vec<f64> = [dq, dr].concat().iter().zip(&by_pairs).map(|(a, b)| a - b).collect();
    assert!(norm(&error) < 1e-7 * norm(&by_pairs), "{}", norm(&error));
    for i in (0..b).step_by(17) {
        let distance = |j: usize| pairs.distance(i, j);
        let terms = (b..3000).map(|j| (-distance(j) - expected[i]).exp() * distance(j));
        let entropy = expected[i] + terms.sum::<f64>();
        assert!((entropies[i] - entropy).abs() < 1e-6, "{} {entropy}", entropies[i]);
    }
}

#[test]
fn what_is_not_finite_is_not_a_number() {
    let mut z = vec![0.5; 4000];
    z[7] = f64::NAN;
    let sets = Sets::all(2000, 2000, Some(0));
    let points = Points { queries: &z, references: &z, k: 2, sets: &sets, tolerance: TOLERANCE };
    assert!(log_sums(&points).values[0].is_nan());
}
