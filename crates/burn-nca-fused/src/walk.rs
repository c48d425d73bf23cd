//! The ways through all pairs of some queries and references: that of sums, and that of gradients and means.

use core::ops::Range;

use pulp::Simd;

use crate::pairs::Pairs;
use crate::tile::{self, ROWS, Tile};
use crate::{Aligned, BLOCK, NeighborSets, Real, tile_width};

/// Work on the squared distances of one query to some references at a time.
pub(crate) trait OnRows<T: Real> {
    /// Takes the squared distances of a query to the references `part`, which [left-out](NeighborSets::left_out) ones and
    /// padding are among.
    ///
    /// To be inlined.
    fn add<S: Simd>(&mut self, simd: S, row: &mut [T], query: usize, part: &Range<usize>);
}

/// Leads the queries `rows` past all references of their columns, a tile of references after the other.
#[inline(always)]
pub(crate) fn over_rows<T: Real, S: Simd, P: Pairs<T>, W: OnRows<T>>(
    simd: S,
    (pairs, k): (&P, usize),
    columns: &NeighborSets,
    rows: &Range<usize>,
    work: &mut W,
) {
    let mut tile = tile::empty();
    let width = P::tile_width(k);
    for start in (0..pairs.stride()).step_by(width) {
        let wide = start..(start + width).min(pairs.stride());
        for first in rows.clone().step_by(ROWS) {
            let some = first..(first + ROWS).min(rows.end);
            for part in columns.cover(some.clone(), &wide, P::step::<S>()) {
                pairs.sq_distances(simd, k, first, &part, &mut tile);
                for (row, query) in tile.iter_mut().zip(some.clone()) {
                    work.add(simd, &mut row[..part.len()], query, &part);
                }
            }
        }
    }
}

/// Work on a few queries and some references at a time.
pub(crate) trait OnTiles<T: Real> {
    /// Adds what the queries `some`, up to [`ROWS`], and the references `wide` have to say; to `kept`, what it is to the
    /// queries: one vector for each axis and row, `[axes, ROWS]`, whose lanes are still to be summed.
    ///
    /// To be inlined.
    fn add<S: Simd>(
        &mut self,
        simd: S,
        k: usize,
        some: Range<usize>,
        wide: &Range<usize>,
        tile: &mut Tile<T>,
        kept: &mut [T],
    );
}

/// Leads the queries `some` past the references `among`, points in k dimensions: blocks of queries pass over each tile of
/// references while it is in the cache. Adds the sums of the queries, `[some, axes]`, to `of_queries`.
#[inline(always)]
pub(crate) fn over_tiles<T: Real, S: Simd, W: OnTiles<T>>(
    simd: S,
    (k, axes): (usize, usize),
    (some, among): (&Range<usize>, &Range<usize>),
    work: &mut W,
    of_queries: &mut [T],
) {
    let four = ROWS * axes * T::lanes::<S>();
    let mut tile = tile::empty();
    // The sums for queries stay vectors until all references have passed.
    let mut kept = Aligned::zeros(BLOCK / ROWS * four);
    for first in some.clone().step_by(BLOCK) {
        kept.fill(T::ZERO);
        let block = first..(first + BLOCK).min(some.end);
        for start in among.clone().step_by(tile_width(k)) {
            let wide = start..(start + tile_width(k)).min(among.end);
            for (first, kept) in block.clone().step_by(ROWS).zip(kept.chunks_exact_mut(four)) {
                let some = first..(first + ROWS).min(block.end);
                work.add(simd, k, some, &wide, &mut tile, kept);
            }
        }
        add_lanes::<T, S>(simd, &kept, axes, &block, some, of_queries);
    }
}

/// Adds sums that are still vectors, `[fours, c, ROWS]` of the queries `block`, to numbers `[rows, c]`.
#[inline(always)]
fn add_lanes<T: Real, S: Simd>(
    simd: S,
    kept: &[T],
    c: usize,
    block: &Range<usize>,
    rows: &Range<usize>,
    to: &mut [T],
) {
    let sums = T::vectors::<S>(kept).as_chunks::<ROWS>().0;
    for (at, sums) in sums.iter().enumerate() {
        let (four, axis) = (at / c, at % c);
        for (row, &sum) in sums.iter().enumerate() {
            let query = block.start + ROWS * four + row;
            if query < block.end {
                let place = &mut to[(query - rows.start) * c + axis];
                *place = *place + T::sum(simd, sum);
            }
        }
    }
}
