//! Value and gradient of f and of MLKR (f32), and class probabilities of new points (f64), in two dimensions, fused and by a
//! Fourier series, in one run: `cargo bench -p bench-pairs --bench fourier`.
//!
//! Ten classes, each of three round clusters that overlap others. Pairs of more than `MOST_FUSED` points are not summed.

#![expect(clippy::print_stdout, reason = "a table is what it is for")]

use std::ops::Range;
use std::time::Instant;

use burn_nca_fourier::{
    Limits, Moments, Points, Sets, TOLERANCE, cost, log_sums, log_sums_gradient, means,
    means_gradient, with_moments,
};
use burn_nca_fused::{Means, NeighborSets, Number, Weighted, Weights};

const MOST_FUSED: usize = 250_000;

fn main() {
    println!("| MLKR, n | fused | Fourier | rows summed exactly | error, difference |");
    println!("|---|---|---|---|---|");
    [3000, 10_000, 60_000].into_iter().for_each(mlkr);
    println!(
        "| rule: training, new rows | fused | Fourier | sums formed exactly | largest difference of p |"
    );
    println!("|---|---|---|---|---|");
    [(5000, 1000), (20_000, 5000), (100_000, 20_000)].into_iter().for_each(rule);
    println!(
        "| n | fused | Fourier | ratio | predicted, 1 core | rows summed exactly | f, difference | peak memory |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for n in [1000, 3000, 10_000, 60_000, 250_000, 1_000_000] {
        let z = points(n);
        let class = |row: usize| row * 10 / n;
        let ends: Vec<usize> = (0..=10).map(|class| (class * n).div_ceil(10)).collect();
        let spans: Vec<Range<usize>> =
            (0..n).map(|row| ends[class(row)]..ends[class(row) + 1]).collect();
        let (by_series, f, exact, predicted) = fourier(&z, &spans);
        let fused = (n <= MOST_FUSED).then(|| fused(&z, spans));
        let memory = peak_memory();
        let text = fused.map_or(["-".into(), "-".into(), "-".into()], |(seconds, value)| {
            let ratio = format!("{:.1}", seconds / by_series);
            [format!("{seconds:.3} s"), ratio, format!("{:.1e}", (f / value - 1.0).abs())]
        });
        let [fused, ratio, off] = text;
        println!(
            "| {n} | {fused} | {by_series:.3} s | {ratio} | {predicted:.3} s | {exact} | {off} | {memory} |"
        );
    }
}

/// Value and gradient of the squared leave-one-out errors.
fn mlkr(n: usize) {
    let z = points(n);
    let t: Vec<f64> = z.chunks(2).map(|row| (0.4 * row[0]).sin() + 0.1 * row[1]).collect();
    let sets = Sets::all(n, n, Some(0));
    let points = Points { queries: &z, references: &z, k: 2, sets: &sets, tolerance: TOLERANCE };
    let start = Instant::now();
    let (sums, found) = means(&points, &t);
    let errors = || found.iter().zip(&t).map(|(found, t)| found - t);
    let gradient: Vec<f64> = errors().map(|error| 2.0 * error).collect();
    means_gradient(&points, &t, (&sums, &found), &gradient);
    let by_series = start.elapsed().as_secs_f64();
    let value: f64 = errors().map(|error| error * error).sum();
    let [z, t] = [&z, &t].map(|of| of.iter().map(|x| *x as f32).collect::<Vec<f32>>());
    let columns = NeighborSets::all(n, n).without_self(0);
    let start = Instant::now();
    let statistics = f32::statistics(&z, &z, 2, &columns);
    let (queries, references, values, columns) = (&z[..], &z[..], &t[..], &columns);
    let of = || Means { queries, references, values, k: 2, c: 1, columns, statistics: &statistics };
    let found = f32::means(of());
    let gradient: Vec<f32> = found.iter().zip(&t).map(|(found, t)| 2.0 * (found - t)).collect();
    f32::mean_gradients(of(), &found, &gradient);
    let fused = start.elapsed().as_secs_f64();
    let errors = found.iter().zip(&t).map(|(found, t)| f64::from(found - t));
    let off = value / errors.map(|error| error * error).sum::<f64>() - 1.0;
    println!("| {n} | {fused:.3} s | {by_series:.3} s | {} | {:.1e} |", sums.exact(), off.abs());
}

/// Probabilities of ten classes.
fn rule((m, b): (usize, usize)) {
    let all = points(m + b);
    // Every so many rows are new ones: classes are in order.
    let is_new = |row: &usize| (row * b) % (m + b) < b;
    let (new, old): (Vec<usize>, Vec<usize>) = (0..m + b).partition(is_new);
    let at = |rows: &[usize]| -> Vec<f64> {
        rows.iter().flat_map(|row| all[2 * row..2 * row + 2].to_vec()).collect()
    };
    let (b, m, queries, references) = (new.len(), old.len(), at(&new), at(&old));
    let end = |class: usize| old.partition_point(|row| row * 10 / (new.len() + old.len()) < class);
    let ends: Vec<usize> = (1..=10).map(end).collect();
    let start = Instant::now();
    let mut logs = vec![0.0; 10 * b];
    let mut exact = 0;
    for class in 0..10 {
        let first = if class == 0 { 0 } else { ends[class - 1] };
        let sets = Sets::new(&vec![first..ends[class]; b], m, None);
        let (queries, references) = (queries.as_slice(), references.as_slice());
        let points = Points { queries, references, k: 2, sets: &sets, tolerance: 1e-9 };
        let limits = Limits { relative: 1e-6, exact: f64::INFINITY };
        let (sums, _) = with_moments(&points, Moments::None, limits).expect("no limit of time");
        exact += sums.exact();
        (0..b).for_each(|row| logs[10 * row + class] = sums.values[row]);
    }
    let by_series = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let columns = NeighborSets::all(b, m);
    let pairs = f64::log_sums_within(1e-6, (&queries, &references, 2), &columns, &ends);
    let fused = start.elapsed().as_secs_f64();
    let p = |logs: &[f64]| {
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        logs.iter().map(|log| (log - most).exp() / sum).collect::<Vec<f64>>()
    };
    let rows = logs.chunks(10).zip(pairs.chunks(10));
    let off = rows.flat_map(|(a, b)| p(a).into_iter().zip(p(b)).map(|(a, b)| (a - b).abs()));
    let off = off.fold(0.0, f64::max);
    println!("| {m}, {b} | {fused:.3} s | {by_series:.3} s | {exact} of {} | {off:.1e} |", 10 * b);
}

/// Seconds, f, the number of rows that were summed exactly, over all and in their class, and the predicted seconds.
fn fourier(z: &[f64], spans: &[Range<usize>]) -> (f64, f64, String, f64) {
    let n = spans.len();
    let sets = [Sets::new(spans, n, Some(0)), Sets::all(n, n, Some(0))];
    let points = sets.each_ref().map(|sets| Points {
        queries: z,
        references: z,
        k: 2,
        sets,
        tolerance: TOLERANCE,
    });
    let predicted = points.iter().map(|points| cost(points, 0, true).series).sum::<f64>() * 1e-9;
    let start = Instant::now();
    let sums = points.each_ref().map(log_sums);
    let logs = sums[0].values.iter().zip(&sums[1].values);
    let p: Vec<f64> = logs.map(|(same, all)| (same - all).exp()).collect();
    let slopes = [p.clone(), p.iter().map(|p| -p).collect()];
    for at in 0..2 {
        log_sums_gradient(&points[at], &sums[at], &slopes[at]);
    }
    let exact = format!("{}, {}", sums[1].exact(), sums[0].exact());
    (start.elapsed().as_secs_f64(), p.iter().sum(), exact, predicted)
}

/// Seconds, and f.
fn fused(z: &[f64], spans: Vec<Range<usize>>) -> (f64, f64) {
    let n = spans.len();
    let z: Vec<f32> = z.iter().map(|x| *x as f32).collect();
    let columns =
        [NeighborSets::within(spans.clone(), n).without_self(0), NeighborSets::outside(spans, n)];
    let start = Instant::now();
    let found = columns.each_ref().map(|columns| f32::statistics(&z, &z, 2, columns));
    let log_sum = |at: usize, row: usize| f64::from(found[at][n + row] - found[at][row]);
    let p: Vec<f64> =
        (0..n).map(|row| 1.0 / (1.0 + (log_sum(1, row) - log_sum(0, row)).exp())).collect();
    let slope: Vec<f32> = p.iter().map(|p| (p * (1.0 - p)) as f32).collect();
    for (columns, statistics) in columns.iter().zip(&found) {
        let weights = Weights::Softmax(statistics);
        let (queries, references, gradient) = (&z, &z, &slope);
        f32::gradient(&Weighted { queries, references, k: 2, columns, weights, gradient });
    }
    (start.elapsed().as_secs_f64(), p.iter().sum())
}

fn points(n: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let centers: Vec<f64> = (0..60).map(|_| 24.0 * next()).collect();
    let mut z = Vec::with_capacity(2 * n);
    for row in 0..n {
        let cluster = row * 10 / n * 3 + row % 3;
        for axis in 0..2 {
            let normal = (0..12).map(|_| next()).sum::<f64>() - 6.0;
            z.push(centers[2 * cluster + axis] + 1.5 * normal);
        }
    }
    z
}

/// Of the process so far, where the system says it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.map_or("-".into(), |kib| format!("{:.0} MiB", kib / 1024.0))
}
