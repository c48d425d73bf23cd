//! Two numbers a row: the least squared distance, and the logarithm of the sum relative to it.

use core::ops::Range;

use pulp::{Arch, Simd};
use rayon::prelude::*;

use crate::tile::{self, ROWS};
use crate::unrolled::{OverDimensions, Unrolled};
use crate::{Columns, Panel, Real, group_size, padded, tile_width};

/// See [`Number::statistics`](crate::Number::statistics).
pub(crate) fn statistics<T: Real>(
    queries: &[T],
    references: &[T],
    k: usize,
    columns: &Columns,
) -> Vec<T> {
    let b = columns.queries();
    let panel = Panel::new(references, k);
    let queries = padded(queries, k);
    let mut all = vec![T::ZERO; 2 * b];
    let (least, logs) = all.split_at_mut(b);
    let arch = Arch::new();
    let size = group_size(b);
    let groups = least.par_chunks_mut(size).zip(logs.par_chunks_mut(size));
    groups.enumerate().for_each(|(group, (least, logs))| {
        let rows = group * size..group * size + least.len();
        let group = Group { queries: &queries, panel: &panel, k, columns, rows, least, logs };
        arch.dispatch(Unrolled(group));
    });
    all
}

/// The statistics of some queries.
struct Group<'a, T> {
    queries: &'a [T],
    panel: &'a Panel<T>,
    k: usize,
    columns: &'a Columns,
    rows: Range<usize>,
    least: &'a mut [T],
    logs: &'a mut [T],
}

impl<T: Real> OverDimensions for Group<'_, T> {
    fn dimensions(&self) -> usize {
        self.k
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, k: usize) {
        let Self { queries, panel, columns, rows, least, logs, .. } = self;
        least.fill(T::INFINITY);
        let mut sums = vec![0.0; rows.len()];
        let mut tile = tile::empty();
        let width = tile_width(k);
        for start in (0..panel.stride()).step_by(width) {
            let wide = start..(start + width).min(panel.stride());
            for first in rows.clone().step_by(ROWS) {
                let some = first..(first + ROWS).min(rows.end);
                for part in columns.cover(some.clone(), &wide, T::lanes::<S>()) {
                    if part.is_empty() {
                        continue;
                    }
                    let points = &queries[first * k..];
                    tile::sq_distances(simd, k, points, panel, &part, &mut tile);
                    for (row, query) in tile.iter_mut().zip(some.clone()) {
                        let row = &mut row[..part.len()];
                        for out in columns.left_out(query, &part) {
                            row[out].fill(T::INFINITY);
                        }
                        let at = query - rows.start;
                        add_row(simd, row, &mut least[at], &mut sums[at]);
                    }
                }
            }
        }
        for (log, sum) in logs.iter_mut().zip(sums) {
            *log = T::from_f64(f64::ln(sum));
        }
    }
}

/// Adds a row of distances to a sum that is relative to the least of them so far.
#[inline(always)]
fn add_row<T: Real, S: Simd>(simd: S, row: &[T], least: &mut T, sum: &mut f64) {
    let low = tile::least::<T, S>(simd, row);
    if low < *least {
        *sum *= f64::exp(low.to_f64() - least.to_f64());
        *least = low;
    }
    // Where all is left out there is nothing to be relative to; where all is far there is nothing to add.
    let far = low - *least > T::FAR;
    if *least < T::INFINITY && !far {
        *sum += tile::sum_of_exp::<T, S>(simd, row, *least).to_f64();
    }
}
