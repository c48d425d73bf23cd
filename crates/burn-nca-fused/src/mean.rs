//! Means of values under the weights of each row, and their gradient.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::arch::arch;
use crate::panel::Panel;
use crate::tile::{self, Tile};
use crate::unrolled::{OverDimensions, Unrolled};
use crate::walk::{OnTiles, over_tiles};
use crate::{NeighborSets, Real, group_size, padded};

/// What means `Σ_j p_ij v_j` are taken of, with `p_ij = exp(-||q_i - r_j||² - lse_i)`.
#[derive(Clone, Copy, Debug)]
pub struct Means<'a, T> {
    /// `[b, k]`.
    pub queries: &'a [T],
    /// `[m, k]`.
    pub references: &'a [T],
    /// `[m, c]`.
    pub values: &'a [T],
    /// Number of dimensions.
    pub k: usize,
    /// Number of values of a reference.
    pub c: usize,
    /// Which references each query sums over.
    pub columns: &'a NeighborSets,
    /// The least distances and logarithms of [`Number::statistics`](crate::Number::statistics), `[2, b]`.
    pub statistics: &'a [T],
}

/// Everything about the pairs in the layout of the kernels.
pub(crate) struct Laid<'a, T> {
    pub(crate) queries: Vec<T>,
    pub(crate) points: Panel<T>,
    pub(crate) values: Panel<T>,
    /// The least distance of each query, and what is to be added to `least - d` in the exponent of a weight.
    rows: Vec<[T; 2]>,
    pub(crate) of: Means<'a, T>,
}

impl<'a, T: Real> Laid<'a, T> {
    pub(crate) fn new(of: Means<'a, T>) -> Self {
        let (least, logs) = of.statistics.split_at(of.columns.queries());
        let row = |(&least, &log): (&T, &T)| {
            let shift = T::from_f64(-log.to_f64());
            // A row without columns has no weights at all: all its distances are infinite.
            if least < T::INFINITY { [least, shift] } else { [T::ZERO, T::ZERO] }
        };
        Self {
            queries: padded(of.queries, of.k),
            points: Panel::new(of.references, of.k),
            values: Panel::new(of.values, of.c),
            rows: least.iter().zip(logs).map(row).collect(),
            of,
        }
    }

    /// Writes the weights of up to four queries and some references; of missing queries, zeros.
    #[inline(always)]
    pub(crate) fn weights<S: Simd>(
        &self,
        simd: S,
        k: usize,
        some: &Range<usize>,
        part: &Range<usize>,
        tile: &mut Tile<T>,
    ) {
        let queries = &self.queries[some.start * k..];
        tile::sq_distances(simd, k, queries, &self.points, part, tile);
        for (at, distances) in tile.iter_mut().enumerate() {
            let distances = &mut distances[..part.len()];
            if at >= some.len() {
                distances.fill(T::ZERO);
                continue;
            }
            for out in self.of.columns.left_out(some.start + at, part) {
                distances[out].fill(T::INFINITY);
            }
            let [least, shift] = self.rows[some.start + at];
            tile::weigh(simd, distances, least, shift, T::from_f64(1.0));
        }
    }
}

/// See [`Number::means`](crate::Number::means).
pub(crate) fn means<T: Real>(of: Means<'_, T>) -> Vec<T> {
    let (b, c) = (of.columns.queries(), of.c);
    let laid = Laid::new(of);
    let mut means = vec![T::ZERO; b * c];
    let (arch, size) = (arch(), group_size(b));
    let groups = means.par_chunks_mut((size * c).max(1)).enumerate();
    groups.for_each(|(group, means)| {
        let rows = group * size..((group + 1) * size).min(b);
        arch.dispatch(Unrolled(Forward { laid: &laid, rows, means }));
    });
    means
}

/// The means of some queries.
struct Forward<'a, T> {
    laid: &'a Laid<'a, T>,
    rows: Range<usize>,
    means: &'a mut [T],
}

impl<T: Real> OverDimensions for Forward<'_, T> {
    fn dimensions(&self) -> usize {
        self.laid.of.k
    }

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, k: usize) {
        let (rows, means) = (self.rows.clone(), std::mem::take(&mut self.means));
        let among = 0..self.laid.points.stride();
        let axes = self.laid.of.c;
        over_tiles(simd, (k, axes), (&rows, &among), &mut self, means);
    }
}

impl<T: Real> OnTiles<T> for Forward<'_, T> {
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
        let Means { c, columns, .. } = self.laid.of;
        for part in columns.cover(some.clone(), wide, T::lanes::<S>()) {
            self.laid.weights(simd, k, &some, &part, tile);
            tile::add_weighted::<T, S>(simd, c, &self.laid.values, &part, tile, kept);
        }
    }
}
