//! The gradient of row-wise sums among the points of one set: each pair once, for both of its points.
//!
//! Where j is among the columns of i and i among those of j, the weights of a pair meet in one sum:
//!
//! ```text
//! d/dz_i Σ_l g_l lse_l = -2 Σ_j (w_ij + w_ji) (z_i - z_j),    w_ij = g_i exp(-||z_i - z_j||² - lse_i)
//! ```
//! so that distances and moments are computed for half of the pairs.

use core::ops::Range;

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::arch::arch;
use crate::backward::{CHUNK, Sums, add_parts, references_at_once};
use crate::tile::{self, ROWS, Terms, Tile};
use crate::walk::{OnTiles, over_tiles};
use crate::{Aligned, GROUPS, NeighborSets, Panel, Real, padded};

/// The gradient with respect to points that are both queries and references, `[n, k]`, from the statistics of the rows
/// and the gradient of their sums; `columns` are mutual.
pub(crate) fn gradient<T: Real>(
    points: &[T],
    k: usize,
    columns: &NeighborSets,
    statistics: &[T],
    gradient: &[T],
) -> Vec<T> {
    let n = columns.queries();
    let panel = Panel::new(points, k);
    let queries = padded(points, k);
    let (arch, stride) = (arch(), panel.stride());
    let terms = Terms::new(statistics, gradient, stride);
    let mut of_rows = vec![T::ZERO; n * k];
    let mut total = vec![T::ZERO; n * k];
    let wide = references_at_once(GROUPS, k, size_of::<T>());
    for start in (0..stride).step_by(wide) {
        let among = start..(start + wide).min(stride);
        let mut rest = &mut of_rows[..];
        let groups: Vec<(Range<usize>, &mut [T])> = groups(n)
            .into_iter()
            .map(|rows| {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(rows.len() * k);
                rest = others;
                (rows, own)
            })
            .filter(|(rows, _)| rows.start < among.end)
            .collect();
        let parts: Vec<Sums<T>> = groups
            .into_par_iter()
            .map(|(some, of_rows)| {
                // Pairs with earlier rows are those of earlier groups.
                let among = among.start.max(some.start / CHUNK * CHUNK)..among.end;
                let mut sums = Sums { values: Aligned::zeros(k * among.len()), among };
                arch.dispatch(Group {
                    queries: &queries,
                    panel: &panel,
                    k,
                    columns,
                    terms: &terms,
                    some,
                    of_rows,
                    sums: &mut sums,
                });
                sums
            })
            .collect();
        let end = among.end.min(n);
        add_parts(&parts, (0, k), &among, T::from_f64(2.0), &mut total[start * k..end * k]);
    }
    let two = T::from_f64(2.0);
    total.iter_mut().zip(of_rows).for_each(|(x, of_row)| *x = *x - two * of_row);
    total
}

/// Rows with about equally many pairs that no earlier row has.
fn groups(n: usize) -> Vec<Range<usize>> {
    let start = |group: usize| {
        let left = (1.0 - group as f64 / GROUPS as f64).sqrt();
        ((n as f64 * (1.0 - left)) as usize).next_multiple_of(ROWS).min(n)
    };
    let rows = |group| start(group)..if group + 1 == GROUPS { n } else { start(group + 1) };
    (0..GROUPS).map(rows).filter(|rows| !rows.is_empty()).collect()
}

/// The gradient of some rows and all later points.
struct Group<'a, T> {
    queries: &'a [T],
    panel: &'a Panel<T>,
    k: usize,
    columns: &'a NeighborSets,
    terms: &'a Terms<T>,
    /// The rows.
    some: Range<usize>,
    of_rows: &'a mut [T],
    sums: &'a mut Sums<T>,
}

impl<T: Real> WithSimd for Group<'_, T> {
    type Output = ();

    // Not unrolled: few dimensions do not come here.
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (some, of_rows) = (self.some.clone(), std::mem::take(&mut self.of_rows));
        let (k, among) = (self.k, self.sums.among.clone());
        over_tiles(simd, (k, k), (&some, &among), &mut self, of_rows);
    }
}

impl<T: Real> OnTiles<T> for Group<'_, T> {
    #[inline(always)]
    fn add<S: Simd>(
        &mut self,
        simd: S,
        k: usize,
        some: Range<usize>,
        wide: &Range<usize>,
        tile: &mut Tile<T>,
        kept: &mut [T],
    ) {
        let queries = &self.queries[some.start * k..];
        // Of points that come after each row, whole vectors from that of the first row on.
        let lanes = T::lanes::<S>();
        let later = wide.start.max(some.start / lanes * lanes)..wide.end;
        if later.is_empty() {
            return;
        }
        for part in self.columns.cover(some.clone(), &later, lanes) {
            tile::sq_distances(simd, k, queries, self.panel, &part, tile);
            let mut far = true;
            for (at, distances) in tile.iter_mut().enumerate() {
                let distances = &mut distances[..part.len()];
                let row = some.start + at;
                if row >= some.end {
                    distances.fill(T::ZERO);
                    continue;
                }
                let up_to_itself = (row + 1).clamp(part.start, part.end) - part.start;
                distances[..up_to_itself].fill(T::INFINITY);
                for out in self.columns.left_out(row, &part) {
                    distances[out].fill(T::INFINITY);
                }
                far &= !tile::weigh_mutually(simd, distances, self.terms, row, &part);
            }
            if far {
                continue;
            }
            let Sums { values, among } = &mut *self.sums;
            let sums = (&mut values[..], among.len(), among.start);
            tile::add_moments(simd, k, queries, self.panel, &part, tile, kept, sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_all_rows_with_about_as_many_pairs_each() {
        for n in [0, 1, 5, 64, 1797, 100_003] {
            let groups = groups(n);
            let rows: Vec<usize> = groups.iter().cloned().flatten().collect();
            assert!(rows.into_iter().eq(0..n), "{n}");
            let pairs = |rows: &Range<usize>| rows.clone().map(|row| n - row).sum::<usize>();
            let most = groups.iter().map(pairs).max().unwrap_or(0);
            assert!(most <= n * (n + 1) / 2 / GROUPS + (ROWS + 1) * n, "{n}: {most}");
        }
    }
}
