//! Means of values against the direct ones, in value and gradient.

use super::oracle::Pairs;
use super::shapes::{Shape, all};
use super::sums::{check_close, entropies, norm};
use crate::{Limits, Moments, Points, Sets, TOLERANCE, means, means_gradient, with_moments};

/// Values in three columns: smooth ones, large ones with an offset, and alternating ones.
fn values(shape: &Shape, c: usize) -> Vec<f64> {
    let value = |i: usize, column: usize| match column {
        0 => (0.3 * shape.z[i * shape.k]).sin() + 0.1 * (i as f64).cos(),
        1 => 1e6 + 1e3 * (0.7 * i as f64).sin(),
        _ => (i % 2) as f64,
    };
    (0..shape.spans.len()).flat_map(|i| (0..c).map(move |column| value(i, column))).collect()
}

/// The squared errors of the values, and their gradient by the means.
fn errors(values: &[f64], means: &[f64]) -> (f64, Vec<f64>) {
    let errors = || means.iter().zip(values).map(|(mean, value)| mean - value);
    (errors().map(|error| error * error).sum(), errors().map(|error| 2.0 * error).collect())
}

fn check(n: usize, k: usize) {
    for shape in all(n, k) {
        for c in [1, 3] {
            let values = values(&shape, c);
            let sets = Sets::new(&shape.spans, n, Some(0));
            let (z, tolerance) = (shape.z.as_slice(), TOLERANCE);
            let points = Points { queries: z, references: z, k, sets: &sets, tolerance };
            let (sums, found) = means(&points, &values);
            let (value, g) = errors(&values, &found);
            let mut gradient = vec![0.0; z.len()];
            for part in means_gradient(&points, &values, (&sums, &found), &g) {
                gradient.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
            let pairs = Pairs { z, k, spans: &shape.spans };
            let (expected, g) = errors(&values, &pairs.means(&values, c));
            let by_pairs = pairs.means_gradient(&values, c, &g);
            // What rounding of the values leaves of a gradient that vanishes.
            let floor = 1e-10 * norm(&g) * if c == 1 { 1.0 } else { 1e3 };
            let what = format!("{}, c = {c}: exact {}", shape.name, sums.exact());
            check_close(&what, (value, &gradient), (expected, &by_pairs), floor);
        }
    }
}

#[test]
fn means_are_those_of_the_pairs() {
    for n in [2, 3, 10, 97, 600, 2000] {
        for k in [1, 2] {
            check(n, k);
        }
    }
}

/// Every other point, in another order, without itself wherever it is.
#[test]
fn any_reference_may_be_left_out() {
    for k in [1, 2] {
        for shape in all(1500, k).into_iter().skip(2).take(7) {
            let own: Vec<usize> = (0..700).map(|i| (i * 997 + 3) % 1500).collect();
            let row = |i: &usize| shape.z[i * k..(i + 1) * k].to_vec();
            let queries: Vec<f64> = own.iter().flat_map(row).collect();
            let sets = Sets::all(700, 1500, None).without(own.clone());
            let (references, tolerance) = (shape.z.as_slice(), TOLERANCE);
            let points = Points { queries: &queries, references, k, sets: &sets, tolerance };
            let values = values(&shape, 1);
            let (_, found) = means(&points, &values);
            let everywhere = vec![0..1500; 1500];
            let direct = Pairs { z: references, k, spans: &everywhere }.means(&values, 1);
            for (found, &row) in found.iter().zip(&own) {
                assert!((found - direct[row]).abs() < 1e-6, "{}: {row}", shape.name);
            }
            let (log_sums, of_points) = entropies(&points);
            let all = Sets::all(1500, 1500, Some(0));
            let all = Points { queries: references, sets: &all, ..points };
            let (of_all, entropies_of_all) = entropies(&all);
            for (at, &row) in own.iter().enumerate() {
                let off = (log_sums.values[at] - of_all.values[row]).abs();
                assert!(off < 1e-6 * of_all.values[row].abs().max(1.0), "{}: {row}", shape.name);
                assert!((of_points[at] - entropies_of_all[row]).abs() < 1e-5, "{}", shape.name);
            }
        }
    }
}

#[test]
fn isolated_points_may_take_too_long() {
    let z: Vec<f64> = (0..4000).map(|i| 20.0 * f64::from(i)).collect();
    let sets = Sets::all(4000, 4000, Some(0));
    let points = Points { queries: &z, references: &z, k: 1, sets: &sets, tolerance: TOLERANCE };
    let within = |exact| with_moments(&points, Moments::None, Limits { relative: 1e-4, exact });
    assert!(within(1.0).is_none());
    assert!(within(1e12).is_some());
}
