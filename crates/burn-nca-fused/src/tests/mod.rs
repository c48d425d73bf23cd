//! The kernels against sums written out in f64, on all vector instructions of the machine.

use crate::Number;
use crate::arch::on_each;

mod costs;
mod entropies;
mod euclidean;
mod exp;
mod groups;
mod hinges;
mod layers;
mod means;
mod mutual;
mod softmax;
mod threads;

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

fn converted<T: Number>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::from_f64(x)).collect()
}

fn exact<T: Number>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.to_f64()).collect()
}

/// Numbers of the type, and the same ones in f64.
fn both<T: Number>(x: &[f64]) -> (Vec<T>, Vec<f64>) {
    let x = converted(x);
    let exact = exact(&x);
    (x, exact)
}

/// Spans of classes of a size, for points in class order.
fn classes(n: usize, size: usize) -> Vec<core::ops::Range<usize>> {
    (0..n).map(|i| i / size * size..(i / size * size + size).min(n)).collect()
}

fn sq_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The largest error of numbers, relative to the largest of `expected` and to `least` where all are smaller. What
/// is infinite must be so in both.
fn largest_error<T: Number>(found: &[T], expected: &[f64], least: f64) -> f64 {
    assert_eq!(found.len(), expected.len());
    let finite = expected.iter().filter(|x| x.is_finite());
    let scale = finite.fold(least, |scale, x| scale.max(x.abs()));
    let mut worst: f64 = 0.0;
    for (found, &expected) in exact(found).into_iter().zip(expected) {
        if expected.is_finite() {
            assert!(found.is_finite(), "{found} against {expected}");
            worst = worst.max((found - expected).abs() / scale);
        } else {
            assert_eq!(found, expected);
        }
    }
    worst
}

/// The largest of the errors of several results, relative to at least a thousandth.
fn worst<T: Number>(all: &[(Vec<T>, Vec<f64>)]) -> f64 {
    all.iter().map(|(found, expected)| largest_error(found, expected, 1e-3)).fold(0.0, f64::max)
}

/// Checks the largest error of f64 and of f32 at each size, on all vector instructions.
fn check<const N: usize>(sizes: &[[usize; N]], errors: impl Fn([usize; N]) -> [f64; 2]) {
    on_each(|| {
        for &size in sizes {
            let found = errors(size);
            assert!(found[0] < 1e-12 && found[1] < 1e-5, "{size:?}: {found:?}");
        }
    });
}

/// `-2 Σ_j w_ij (q_i - r_j)` of each query and `2 Σ_i w_ij (q_i - r_j)` of each reference, pair by pair.
fn gradients(
    (queries, references, k): (&[f64], &[f64], usize),
    keeps: impl Fn(usize, usize) -> bool,
    weight: impl Fn(usize, usize) -> f64,
) -> [Vec<f64>; 2] {
    let (mut dq, mut dr) = (vec![0.0; queries.len()], vec![0.0; references.len()]);
    for (i, q) in queries.chunks(k).enumerate() {
        for (j, r) in references.chunks(k).enumerate().filter(|(j, _)| keeps(i, *j)) {
            let weight = 2.0 * weight(i, j);
            for axis in 0..k {
                dq[i * k + axis] -= weight * (q[axis] - r[axis]);
                dr[j * k + axis] += weight * (q[axis] - r[axis]);
            }
        }
    }
    [dq, dr]
}

/// Log-sum-exps and both gradients, pair by pair.
fn written_out(
    (queries, references, k): (&[f64], &[f64], usize),
    keeps: impl Fn(usize, usize) -> bool,
    gradient: &[f64],
) -> [Vec<f64>; 3] {
    let d = |i: usize, j: usize| sq_distance(&queries[i * k..][..k], &references[j * k..][..k]);
    let log_sum = |i: usize| {
        let kept = || (0..references.len() / k).filter(|&j| keeps(i, j)).map(|j| d(i, j));
        let least = kept().fold(f64::INFINITY, f64::min);
        kept().map(|d| (least - d).exp()).sum::<f64>().ln() - least
    };
    let sums: Vec<f64> = (0..queries.len() / k).map(log_sum).collect();
    let weight = |i: usize, j: usize| gradient[i] * (-d(i, j) - sums[i]).exp();
    let [dq, dr] = gradients((queries, references, k), &keeps, weight);
    [sums, dq, dr]
}
