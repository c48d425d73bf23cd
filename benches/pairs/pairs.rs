//! Sums over pairs, their gradients and the two ways to a distance, in pairs per second: `cargo bench -p bench-pairs`.
//!
//! All of a call is measured, the layout of the points included. Lines of one run may be compared, those of two runs only
//! on a machine that does nothing else.

use burn_nca_fused::{NeighborSets, Number, Weighted, Weights};
use divan::Bencher;
use divan::counter::ItemsCount;

/// Points and dimensions: the sizes of benches/peers, and one of wide rows.
const SIZES: [(usize, usize); 5] = [(500, 2), (1797, 2), (1797, 32), (5000, 2), (5000, 32)];
const WIDE: [(usize, usize); 3] = [(2000, 32), (2000, 128), (2000, 784)];

fn main() {
    divan::main();
}

/// Numbers in -1..1 that differ from call to call, of a scale at which a few neighbors count.
fn points<T: Number>((n, k): (usize, usize)) -> Vec<T> {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    };
    (0..n * k).map(|_| T::from_f64(3.0 * next() / (k as f64).sqrt())).collect()
}

/// The partners of each point: ten classes in order.
fn partners(n: usize) -> NeighborSets {
    let class = n.div_ceil(10);
    let range = |row: usize| row / class * class..(row / class * class + class).min(n);
    NeighborSets::within((0..n).map(range).collect(), n).without_self(0)
}

/// The value of f over all pairs and its gradient: the partners' sums and those of all others.
#[divan::bench(types = [f32, f64], args = SIZES)]
fn value_and_gradient<T: Number>(bencher: Bencher<'_, '_>, (n, k): (usize, usize)) {
    let z: Vec<T> = points((n, k));
    let slope = vec![T::from_f64(1.0); n];
    let sets = [partners(n), NeighborSets::all(n, n).without_self(0)];
    bencher.counter(ItemsCount::new(n * n)).bench_local(|| {
        sets.each_ref().map(|columns| {
            let statistics = T::statistics(&z, &z, k, columns);
            let weights = Weights::Softmax(&statistics);
            let (queries, references, gradient) = (&z, &z, &slope);
            T::gradient(&Weighted { queries, references, k, columns, weights, gradient })
        })
    });
}

/// The sums of the stochastic rule by squares of differences.
#[divan::bench(args = WIDE)]
fn by_differences(bencher: Bencher<'_, '_>, size: (usize, usize)) {
    sums_within(0.0, 1, bencher, size);
}

/// The same by products, which may be off by 1e-6.
#[divan::bench(args = WIDE)]
fn by_products(bencher: Bencher<'_, '_>, size: (usize, usize)) {
    sums_within(1e-6, 1, bencher, size);
}

/// By products, of each group of five references by itself.
#[divan::bench(args = WIDE)]
fn by_products_of_fives(bencher: Bencher<'_, '_>, size: (usize, usize)) {
    sums_within(1e-6, size.0 / 5, bencher, size);
}

fn sums_within(error: f64, groups: usize, bencher: Bencher<'_, '_>, (n, k): (usize, usize)) {
    let z: Vec<f64> = points((n, k));
    let columns = NeighborSets::all(n, n).without_self(0);
    let ends: Vec<usize> = (1..=groups).map(|group| group * n / groups).collect();
    bencher
        .counter(ItemsCount::new(n * n))
        .bench_local(|| f64::log_sums_within(error, (&z, &z, k), &columns, &ends));
}
