//! The ways through all pairs of queries and references: that of sums, and that of gradients and means.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::arch::{arch, dispatch};
use crate::pairs::Pairs;
use crate::panel::PADDING;
use crate::sums::{Sums, add_parts, references_at_once};
use crate::tile::{self, ROWS, Tile};
use crate::unrolled::{OverDimensions, Unrolled};
use crate::{Aligned, BLOCK, NeighborSets, Real, groups, tile_width};

/// Work on the squared distances of one query to some references at a time.
pub(crate) trait OnRows<T: Real> {
    /// Whether it takes longer than a few dimensions, and nothing is to be compiled for these.
    const MANY: bool = false;

    /// Takes the squared distances of a query to the references `part`, which [left-out](NeighborSets::left_out) ones and
    /// padding are among.
    ///
    /// To be inlined.
    fn add<S: Simd>(&mut self, simd: S, row: &mut [T], query: usize, part: &Range<usize>);
}

/// Leads all queries past all references of their columns, a tile of references after the other: the work on each group of
/// queries from its `beginning` on, and its `result`.
pub(crate) fn over_rows<P: Pairs, W: OnRows<P::Number>, R: Send>(
    (pairs, k): (&P, usize),
    columns: &NeighborSets,
    beginning: impl Fn(&Range<usize>) -> W + Sync,
    result: impl Fn(W) -> R + Sync,
) -> Vec<R> {
    let arch = arch();
    // One type for all kinds of work: what shares the groups out is compiled once.
    let of_group: &(dyn Fn(Range<usize>) -> R + Sync) = &|rows| {
        let work = beginning(&rows);
        result(dispatch(arch, Unrolled(k, Rows { pairs, columns, rows, work })))
    };
    groups(columns.queries()).into_par_iter().map(of_group).collect()
}

struct Rows<'a, P, W> {
    pairs: &'a P,
    columns: &'a NeighborSets,
    rows: Range<usize>,
    work: W,
}

impl<P: Pairs, W: OnRows<P::Number>> OverDimensions for Rows<'_, P, W> {
    const MANY: bool = P::MANY || W::MANY;

    type Output = W;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, k: usize) -> W {
        let Self { pairs, columns, rows, mut work } = self;
        let mut tile = tile::empty();
        let width = P::tile_width(k);
        for start in (0..pairs.stride()).step_by(width) {
            let wide = start..(start + width).min(pairs.stride());
            for first in rows.clone().step_by(ROWS) {
                let some = first..(first + ROWS).min(rows.end);
                for part in columns.cover(some.clone(), &wide, P::step::<S>()) {
                    pairs.sq_distances(simd, k, first, &part, &mut tile);
                    for (row, query) in tile.0.iter_mut().zip(some.clone()) {
                        work.add(simd, &mut row[..part.len()], query, &part);
                    }
                }
            }
        }
        work
    }
}

/// A few queries and some references of a tile, points in k dimensions.
pub(crate) struct Block<'a> {
    pub(crate) k: usize,
    /// The queries, up to [`ROWS`].
    pub(crate) some: Range<usize>,
    pub(crate) wide: &'a Range<usize>,
}

/// What the queries of a block have so far, one vector for each axis and row, `[axes, ROWS]`, whose lanes are still to be summed;
/// and what the references have.
pub(crate) type Sides<'a, T> = (&'a mut [T], &'a mut Sums<T>);

/// Work on a few queries and some references at a time.
pub(crate) trait OnTiles<T: Real>: Sync {
    /// Whether the dimensions are many, and nothing is to be compiled for a few.
    const MANY: bool = false;

    /// Number of sums of a query of points in k dimensions.
    #[inline(always)]
    fn axes(&self, k: usize) -> usize {
        k
    }

    /// The first reference that sums of these queries are for.
    fn first_reference(&self, _queries: &Range<usize>) -> usize {
        0
    }

    /// Adds what the queries and the references of a block have to say to both sides. To be inlined.
    fn add<S: Simd>(&self, simd: S, of: &Block<'_>, tile: &mut Tile<T>, to: Sides<'_, T>);
}

/// Leads groups of all queries past m references, points in k dimensions: the sums of the queries, `[b, axes]`, and those of
/// the references, for each number of axes with its scale: `[m, axes]`.
pub(crate) fn over_tiles<T: Real, W: OnTiles<T>, const N: usize>(
    work: &W,
    (k, m): (usize, usize),
    groups: &[Range<usize>],
    of_references: [(usize, f64); N],
) -> (Vec<T>, [Vec<T>; N]) {
    let (arch, axes) = (arch(), work.axes(k));
    let mut of_queries = vec![T::ZERO; groups.last().map_or(0, |last| last.end) * axes];
    let mut totals = of_references.map(|(axes, _)| vec![T::ZERO; m * axes]);
    let all_axes = of_references.iter().map(|(axes, _)| axes).sum();
    let wide = references_at_once(groups.len(), all_axes, size_of::<T>());
    let stride = m.next_multiple_of(PADDING);
    for start in (0..stride).step_by(wide) {
        let among = start..(start + wide).min(stride);
        let mut rest = &mut of_queries[..];
        let own = |some: &Range<usize>| {
            let own = rest.split_off_mut(..some.len() * axes)?;
            (!own.is_empty()).then(|| (some.clone(), work.first_reference(some), own))
        };
        let groups: Vec<_> =
            groups.iter().filter_map(own).filter(|(_, first, _)| *first < among.end).collect();
        let of_group: &(dyn Fn(_) -> Sums<T> + Sync) = &|group: (Range<usize>, usize, &mut [T])| {
            let (some, first, of_queries) = group;
            let mut sums = Sums::zeros(all_axes, among.start.max(first)..among.end);
            dispatch(arch, Unrolled(k, Tiles { work, some, of_queries, sums: &mut sums }));
            sums
        };
        let parts: Vec<Sums<T>> = groups.into_par_iter().map(of_group).collect();
        let mut first = 0;
        for ((axes, scale), total) in of_references.into_iter().zip(&mut totals) {
            let total = &mut total[start * axes..among.end.min(m) * axes];
            add_parts(&parts, (first, axes), &among, T::from_f64(scale), total);
            first += axes;
        }
    }
    (of_queries, totals)
}

struct Tiles<'a, T, W> {
    work: &'a W,
    some: Range<usize>,
    of_queries: &'a mut [T],
    sums: &'a mut Sums<T>,
}

impl<T: Real, W: OnTiles<T>> OverDimensions for Tiles<'_, T, W> {
    const MANY: bool = W::MANY;

    type Output = ();

    /// Blocks of queries pass over each tile of references while it is in the cache.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S, k: usize) {
        let Self { work, some, of_queries, sums } = self;
        let (axes, among) = (work.axes(k), sums.among.clone());
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
                    let of = Block { k, some: first..(first + ROWS).min(block.end), wide: &wide };
                    work.add(simd, &of, &mut tile, (kept, &mut *sums));
                }
            }
            add_lanes::<T, S>(simd, &kept, axes, &block, some.start, of_queries);
        }
    }
}

/// Adds sums that are still vectors, `[fours, c, ROWS]` of the queries `block`, to numbers `[rows, c]` of the queries from
/// `first` on.
#[inline(always)]
fn add_lanes<T: Real, S: Simd>(
    simd: S,
    kept: &[T],
    c: usize,
    block: &Range<usize>,
    first: usize,
    to: &mut [T],
) {
    let sums = T::vectors::<S>(kept).as_chunks::<ROWS>().0;
    for (at, sums) in sums.iter().enumerate() {
        let (four, axis) = (at / c, at % c);
        for (row, &sum) in sums.iter().enumerate() {
            let query = block.start + ROWS * four + row;
            if query < block.end {
                let place = &mut to[(query - first) * c + axis];
                *place = *place + T::sum(simd, sum);
            }
        }
    }
}
