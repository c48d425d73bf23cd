//! The kernels against sums written out in f64, on all vector instructions of the machine.

use crate::Number;

mod entropies;
mod exp;
mod layers;
mod log_sums;
mod means;
mod oracle;
mod sums;
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

/// Asserts that work gives the same on any number of threads.
fn check_threads<R: PartialEq + Send>(work: impl Fn() -> R + Sync) {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&work)
    };
    let one = run(1);
    for threads in [2, 64] {
        // No assert_eq: a million numbers would be printed.
        assert!(one == run(threads), "{threads} threads");
    }
}
