//! Sums of a function of the distance over pairs: the hinge between near points, and the distance itself.

use core::ops::Range;

use pulp::{Arch, Simd};
use rayon::prelude::*;

use crate::tile::{self, ROWS};
use crate::unrolled::{OverDimensions, Unrolled};
use crate::{Columns, Panel, Real, group_size, padded, tile_width};

/// What is summed over pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summand {
    /// `max(0, 1 - ||q_i - r_j||²)²`, which ends at distance 1.
    Hinge,
    /// `||q_i - r_j||`.
    Euclidean,
}

/// See [`Number::sums`](crate::Number::sums).
pub(crate) fn sums<T: Real>(
    summand: Summand,
    (queries, references, k): (&[T], &[T], usize),
    columns: &Columns,
) -> Vec<T> {
    let b = columns.queries();
    let panel = Panel::new(references, k);
    let queries = padded(queries, k);
    let mut sums = vec![T::ZERO; b];
    let (arch, size) = (Arch::new(), group_size(b));
    sums.par_chunks_mut(size).enumerate().for_each(|(group, sums)| {
        let rows = group * size..group * size + sums.len();
        let group = Group { queries: &queries, panel: &panel, k, summand, columns, rows, sums };
        arch.dispatch(Unrolled(group));
    });
    sums
}

/// The sums of some queries.
struct Group<'a, T> {
    queries: &'a [T],
    panel: &'a Panel<T>,
    k: usize,
    summand: Summand,
    columns: &'a Columns,
    rows: Range<usize>,
    sums: &'a mut [T],
}

impl<T: Real> OverDimensions for Group<'_, T> {
    fn dimensions(&self) -> usize {
        self.k
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, k: usize) {
        let Self { queries, panel, summand, columns, rows, sums, .. } = self;
        // What adds nothing.
        let nothing = if summand == Summand::Hinge { T::INFINITY } else { T::ZERO };
        let mut exact = vec![0.0; rows.len()];
        let mut tile = tile::empty();
        let width = tile_width(k);
        for start in (0..panel.stride()).step_by(width) {
            let wide = start..(start + width).min(panel.stride());
            for first in rows.clone().step_by(ROWS) {
                let some = first..(first + ROWS).min(rows.end);
                for part in columns.cover(some.clone(), &wide, T::lanes::<S>()) {
                    let points = &queries[first * k..];
                    tile::sq_distances(simd, k, points, panel, &part, &mut tile);
                    for (row, query) in tile.iter_mut().zip(some.clone()) {
                        let row = &mut row[..part.len()];
                        for out in columns.left_out(query, &part) {
                            row[out].fill(nothing);
                        }
                        let sum = match summand {
                            Summand::Hinge => tile::sum_of_hinge::<T, S>(simd, row),
                            Summand::Euclidean => {
                                tile::roots(row);
                                tile::sum::<T, S>(simd, row)
                            }
                        };
                        exact[query - rows.start] += sum.to_f64();
                    }
                }
            }
        }
        for (sum, exact) in sums.iter_mut().zip(exact) {
            *sum = T::from_f64(exact);
        }
    }
}
