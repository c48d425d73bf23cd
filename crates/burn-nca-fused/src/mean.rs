//! Means of values under the weights of each row, and their gradient.

use core::ops::Range;

use pulp::Simd;

use crate::pairs::{Differences, Pairs};
use crate::panel::Panel;
use crate::tile::{self, Tile};
use crate::walk::{Block, OnTiles, Sides, over_tiles};
use crate::{NeighborSets, Real, groups, padded};

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
struct Laid<'a, T> {
    pairs: Differences<T>,
    values: Panel<T>,
    /// The least distance of each query, and what is to be added to `least - d` in the exponent of a weight.
    rows: Vec<[T; 2]>,
    of: Means<'a, T>,
}

impl<'a, T: Real> Laid<'a, T> {
    fn new(of: Means<'a, T>) -> Self {
        let (least, logs) = of.statistics.split_at(of.columns.queries());
        let row = |(&least, &log): (&T, &T)| {
            let shift = T::from_f64(-log.to_f64());
            // A row without columns has no weights at all: all its distances are infinite.
            if least < T::INFINITY { [least, shift] } else { [T::ZERO, T::ZERO] }
        };
        Self {
            pairs: Differences::new((of.queries, of.references, of.k)),
            values: Panel::new(of.values, of.c),
            rows: least.iter().zip(logs).map(row).collect(),
            of,
        }
    }

    /// Writes the weights of up to four queries and some references; of missing queries, zeros.
    #[inline(always)]
    fn weights<S: Simd>(
        &self,
        simd: S,
        k: usize,
        some: &Range<usize>,
        part: &Range<usize>,
        tile: &mut Tile<T>,
    ) {
        self.pairs.sq_distances(simd, k, some.start, part, tile);
        for (at, distances) in tile.0.iter_mut().enumerate() {
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

pub(crate) fn means<T: Real>(of: Means<'_, T>) -> Vec<T> {
    let shape = (of.k, of.columns.references());
    let (means, []) = over_tiles(&Laid::new(of), shape, &groups(of.columns.queries()), []);
    means
}

impl<T: Real> OnTiles<T> for Laid<'_, T> {
    #[inline(always)]
    fn axes(&self, _k: usize) -> usize {
        self.of.c
    }

    #[inline(always)]
    fn add<S: Simd>(&self, simd: S, of: &Block<'_>, tile: &mut Tile<T>, to: Sides<'_, T>) {
        let (Block { k, some, wide }, (kept, _)) = (of, to);
        let Means { c, columns, .. } = self.of;
        for part in columns.cover(some.clone(), wide, T::lanes::<S>()) {
            self.weights(simd, *k, some, &part, tile);
            tile::add_weighted::<T, S>(simd, c, &self.values, &part, tile, kept);
        }
    }
}

/// See [`Number::mean_gradients`](crate::Number::mean_gradients): every pair's weight again, with what its value differs from the
/// mean.
///
/// With `s_ij = p_ij (g_i · v_j - g_i · mean_i)`: `-2 Σ_j s_ij (q_i - r_j)`, `2 Σ_i s_ij (q_i - r_j)` and `Σ_i p_ij g_i`.
pub(crate) fn gradients<T: Real>(of: Means<'_, T>, means: &[T], gradient: &[T]) -> [Vec<T>; 3] {
    let (b, m, k, c) = (of.columns.queries(), of.columns.references(), of.k, of.c);
    let rows = means.chunks_exact(c.max(1)).zip(gradient.chunks_exact(c.max(1)));
    let dot =
        |(mean, g): (&[T], &[T])| mean.iter().zip(g).fold(T::ZERO, |sum, (&x, &y)| sum + x * y);
    let work = Slopes {
        dots: rows.map(dot).collect(),
        gradient: padded(gradient, c),
        laid: Laid::new(of),
    };
    let (mut of_queries, [of_references, of_values]) =
        over_tiles(&work, (k, m), &groups(b), [(k, 2.0), (c, 1.0)]);
    let minus_two = T::from_f64(-2.0);
    of_queries.iter_mut().for_each(|x| *x = minus_two * *x);
    [of_queries, of_references, of_values]
}

/// The slopes of all pairs; of references and of values, `k + c` axes are summed.
struct Slopes<'a, T> {
    laid: Laid<'a, T>,
    /// `[b, c]`, padded.
    gradient: Vec<T>,
    /// `g_i · mean_i`.
    dots: Vec<T>,
}

impl<T: Real> OnTiles<T> for Slopes<'_, T> {
    #[inline(always)]
    fn add<S: Simd>(&self, simd: S, of: &Block<'_>, tile: &mut Tile<T>, to: Sides<'_, T>) {
        let (Block { k, some, wide }, (kept, sums)) = (of, to);
        let laid = &self.laid;
        let c = laid.of.c;
        let rows = &self.gradient[some.start * c..];
        let less = core::array::from_fn(|row| {
            self.dots[some.clone()].get(row).copied().unwrap_or(T::ZERO)
        });
        for part in laid.of.columns.cover(some.clone(), wide, T::lanes::<S>()) {
            laid.weights(simd, *k, some, &part, tile);
            tile::add_spread::<T, S>(simd, c, rows, &part, tile, (&mut *sums, *k));
            tile::turn::<T, S>(simd, c, (rows, less), &laid.values, &part, tile);
            laid.pairs.add_moments(simd, *k, some.start, &part, tile, (&mut *kept, &mut *sums));
        }
    }
}
