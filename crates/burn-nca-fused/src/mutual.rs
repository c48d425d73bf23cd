//! The gradient of row-wise sums among the points of one set: each pair once, for both of its points.
//!
//! Where j is among the columns of i and i among those of j, the weights of a pair meet in one sum:
//!
//! ```text
//! d/dz_i Σ_l g_l lse_l = -2 Σ_j (w_ij + w_ji) (z_i - z_j),    w_ij = g_i exp(-||z_i - z_j||² - lse_i)
//! ```
//! so that distances and moments are computed for half of the pairs.

use core::ops::Range;

use pulp::Simd;

use crate::backward::gradients;
use crate::pairs::{Differences, Pairs};
use crate::sums::CHUNK;
use crate::tile::{self, ROWS, Terms, Tile};
use crate::walk::{Block, OnTiles, Sides, over_tiles};
use crate::{GROUPS, NeighborSets, Real, Weighted, Weights};

/// Dimensions from which each pair is computed once for both of its points: with fewer, the exponentials decide, which are as
/// many either way (measured at 1797 and 5000 points).
const MUTUAL_FROM: usize = 6;

pub(crate) fn sum_of_gradients<T: Real>(of: &Weighted<'_, T>) -> Vec<T> {
    match of.weights {
        Weights::Softmax(statistics) if of.k >= MUTUAL_FROM && of.columns.is_mutual() => {
            gradient(of.references, of.k, of.columns, statistics, of.gradient)
        }
        _ => {
            let (mut of_queries, of_references) = gradients(of);
            of_queries.iter_mut().zip(of_references).for_each(|(x, y)| *x = *x + y);
            of_queries
        }
    }
}

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
    let pairs = Differences::new((points, points, k));
    let terms = Terms::new(statistics, gradient, pairs.stride());
    let work = MutualWeights { pairs, columns, terms };
    let (of_rows, [mut total]) = over_tiles(&work, (k, n), &groups(n), [(k, 2.0)]);
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

/// The weights of each row with all later points.
struct MutualWeights<'a, T> {
    pairs: Differences<T>,
    columns: &'a NeighborSets,
    terms: Terms<T>,
}

impl<T: Real> OnTiles<T> for MutualWeights<'_, T> {
    // Few dimensions do not come here.
    const MANY: bool = true;

    /// Pairs with earlier rows are those of earlier groups.
    fn first_reference(&self, rows: &Range<usize>) -> usize {
        rows.start / CHUNK * CHUNK
    }

    #[inline(always)]
    fn add<S: Simd>(&self, simd: S, of: &Block<'_>, tile: &mut Tile<T>, to: Sides<'_, T>) {
        let (Block { k, some, wide }, (kept, sums)) = (of, to);
        // Of points that come after each row, whole vectors from that of the first row on.
        let lanes = T::lanes::<S>();
        let later = wide.start.max(some.start / lanes * lanes)..wide.end;
        if later.is_empty() {
            return;
        }
        for part in self.columns.cover(some.clone(), &later, lanes) {
            self.pairs.sq_distances(simd, *k, some.start, &part, tile);
            let mut far = true;
            for (at, distances) in tile.0.iter_mut().enumerate() {
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
                far &= !tile::weigh_mutually(simd, distances, &self.terms, row, &part);
            }
            if !far {
                self.pairs.add_moments(simd, *k, some.start, &part, tile, (&mut *kept, &mut *sums));
            }
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
