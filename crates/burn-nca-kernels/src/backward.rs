//! The gradient of row-wise sums: every pair's weight again from two numbers a row, and the weights' first moments.

use core::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::mean::add_lanes;
use crate::tile::{self, ROWS};
use crate::{BLOCK, Columns, Panel, Real, group_size, padded, tile_width};

/// Bytes that the groups' sums for references may take together.
const BUDGET: usize = 64 << 20;

/// References that are summed at once, before another reading of all queries, are not fewer than this.
const FEWEST: usize = 4096;

/// References whose sums are added up together.
const CHUNK: usize = 256;

/// What the gradient of `Σ_i g_i lse_i` is taken of.
#[derive(Clone, Copy, Debug)]
pub struct Weighted<'a, T> {
    /// `[b, k]`.
    pub queries: &'a [T],
    /// `[m, k]`.
    pub references: &'a [T],
    /// Number of dimensions.
    pub k: usize,
    /// Which references each query sums over.
    pub columns: &'a Columns,
    /// The least distances and logarithms of [`Number::statistics`](crate::Number::statistics), `[2, b]`.
    pub statistics: &'a [T],
    /// `g`, one a query.
    pub gradient: &'a [T],
}

/// `w_ij = g_i exp(-||q_i - r_j||² - lse_i)`; then `-2 Σ_j w_ij (q_i - r_j)` for each query, and
/// `2 Σ_i w_ij (q_i - r_j)` for each reference: `[b, k]` and `[m, k]`.
pub(crate) fn gradients<T: Real>(of: &Weighted<'_, T>) -> (Vec<T>, Vec<T>) {
    let (b, m, k) = (of.columns.queries(), of.columns.references(), of.k);
    let panel = Panel::new(of.references, k);
    let queries = padded(of.queries, k);
    let (least, logs) = of.statistics.split_at(b);
    let rows = least.iter().zip(logs).zip(of.gradient);
    let rows: Vec<Row<T>> = rows.map(|((&least, &log), &g)| Row::new(least, log, g)).collect();
    let size = group_size(b);
    let mut of_queries = vec![T::ZERO; b * k];
    let mut of_references = vec![T::ZERO; m * k];
    let (arch, stride) = (Arch::new(), panel.stride());
    let wide = references_at_once(b.div_ceil(size.max(1)), k, size_of::<T>());
    for start in (0..stride).step_by(wide) {
        let among = start..(start + wide).min(stride);
        let groups = of_queries.par_chunks_mut((size * k).max(1)).enumerate();
        let parts: Vec<Vec<T>> = groups
            .map(|(group, of_queries)| {
                let some = group * size..((group + 1) * size).min(b);
                let mut of_references = vec![T::ZERO; k * among.len()];
                arch.dispatch(Group {
                    queries: &queries,
                    panel: &panel,
                    k,
                    columns: of.columns,
                    rows: &rows,
                    some,
                    among: among.clone(),
                    of_queries,
                    of_references: &mut of_references,
                });
                of_references
            })
            .collect();
        let end = among.end.min(m);
        let total = &mut of_references[start * k..end * k];
        add_parts(&parts, (0, k), &among, T::from_f64(2.0), total);
    }
    let minus_two = T::from_f64(-2.0);
    of_queries.iter_mut().for_each(|x| *x = minus_two * *x);
    (of_queries, of_references)
}

/// What turns a row's squared distances into weights: `sign exp(least - d + shift)`.
#[derive(Clone, Copy)]
struct Row<T> {
    least: T,
    /// `log |g_i| - log Σ`; -∞ where there is no weight.
    shift: T,
    sign: T,
}

impl<T: Real> Row<T> {
    fn new(least: T, log: T, gradient: T) -> Self {
        let (log, gradient) = (log.to_f64(), gradient.to_f64());
        if log == f64::NEG_INFINITY || gradient == 0.0 {
            return Self { least: T::ZERO, shift: T::from_f64(f64::NEG_INFINITY), sign: T::ZERO };
        }
        let shift = T::from_f64(gradient.abs().ln() - log);
        Self { least, shift, sign: T::from_f64(gradient.signum()) }
    }
}

/// References for which every group can hold sums within the budget, in whole tiles.
pub(crate) fn references_at_once(groups: usize, k: usize, bytes: usize) -> usize {
    let fits = BUDGET / (groups * k * bytes).max(1);
    fits.max(FEWEST).next_multiple_of(crate::WIDTH)
}

/// The gradient of some queries.
struct Group<'a, T> {
    queries: &'a [T],
    panel: &'a Panel<T>,
    k: usize,
    columns: &'a Columns,
    rows: &'a [Row<T>],
    /// The queries.
    some: Range<usize>,
    /// The references that `of_references` is about.
    among: Range<usize>,
    of_queries: &'a mut [T],
    of_references: &'a mut [T],
}

impl<T: Real> WithSimd for Group<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.k {
            1 => self.run(simd, 1),
            2 => self.run(simd, 2),
            3 => self.run(simd, 3),
            k => self.run(simd, k),
        }
    }
}

impl<T: Real> Group<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, k: usize) {
        let lanes = T::lanes::<S>();
        let mut tile = tile::empty();
        // The sums for queries stay vectors until all references have passed.
        let mut kept = vec![T::ZERO; BLOCK * k * lanes];
        for first in self.some.clone().step_by(BLOCK) {
            kept.fill(T::ZERO);
            let block = first..(first + BLOCK).min(self.some.end);
            for start in self.among.clone().step_by(tile_width(k)) {
                let wide = start..(start + tile_width(k)).min(self.among.end);
                let fours =
                    block.clone().step_by(ROWS).zip(kept.chunks_exact_mut(ROWS * k * lanes));
                for (first, kept) in fours {
                    let some = first..(first + ROWS).min(block.end);
                    self.add::<S>(simd, k, some, &wide, &mut tile, kept);
                }
            }
            add_lanes::<T, S>(simd, &kept, k, &block, &self.some, self.of_queries);
        }
    }

    /// Adds the moments of up to four queries and the references `wide`.
    #[inline(always)]
    fn add<S: Simd>(
        &mut self,
        simd: S,
        k: usize,
        some: Range<usize>,
        wide: &Range<usize>,
        tile: &mut tile::Tile<T>,
        kept: &mut [T],
    ) {
        let queries = &self.queries[some.start * k..];
        let rows = &self.rows[some.clone()];
        if rows.iter().all(|row| row.sign == T::ZERO) {
            return;
        }
        for part in self.columns.cover(some.clone(), wide, T::lanes::<S>()) {
            if part.is_empty() {
                continue;
            }
            tile::sq_distances(simd, k, queries, self.panel, &part, tile);
            let mut far = true;
            for (at, distances) in tile.iter_mut().enumerate() {
                let distances = &mut distances[..part.len()];
                let Some(row) = rows.get(at) else {
                    distances.fill(T::ZERO);
                    continue;
                };
                for out in self.columns.left_out(some.start + at, &part) {
                    distances[out].fill(T::INFINITY);
                }
                if tile::least::<T, S>(simd, distances) - row.least - row.shift > T::FAR {
                    distances.fill(T::ZERO);
                    continue;
                }
                far = false;
                tile::weigh(simd, distances, row.least, row.shift, row.sign);
            }
            if far {
                continue;
            }
            let sums = (&mut *self.of_references, self.among.len(), self.among.start);
            tile::add_moments(simd, k, queries, self.panel, &part, tile, kept, sums);
        }
    }
}

/// Adds up what the groups have, in their order: `k` axes from `first` on of `[axes, among]` each, to `[among, k]`,
/// times `scale`.
pub(crate) fn add_parts<T: Real>(
    parts: &[Vec<T>],
    (first, k): (usize, usize),
    among: &Range<usize>,
    scale: T,
    total: &mut [T],
) {
    total.par_chunks_mut((CHUNK * k).max(1)).enumerate().for_each(|(chunk, total)| {
        let count = total.len() / k;
        for axis in 0..k {
            // Numbers that follow each other are added first, and then spread.
            let start = (first + axis) * among.len() + chunk * CHUNK;
            let mut sums = [T::ZERO; CHUNK];
            for part in parts {
                for (sum, &x) in sums.iter_mut().zip(&part[start..start + count]) {
                    *sum = *sum + x;
                }
            }
            for (point, &sum) in total.chunks_exact_mut(k).zip(&sums) {
                point[axis] = scale * sum;
            }
        }
    });
}
