//! The gradient of weighted means: every pair's weight again, with what its value differs from the mean.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::arch::arch;
use crate::backward::{Sums, add_parts, references_at_once};
use crate::mean::{Laid, Means};
use crate::tile::{self, Tile};
use crate::unrolled::{OverDimensions, Unrolled};
use crate::walk::{OnTiles, over_tiles};
use crate::{Aligned, Real, group_size, padded};

/// See [`Number::mean_gradients`](crate::Number::mean_gradients).
///
/// With `s_ij = p_ij (g_i · v_j - g_i · mean_i)`: `-2 Σ_j s_ij (q_i - r_j)`, `2 Σ_i s_ij (q_i - r_j)` and `Σ_i p_ij g_i`.
pub(crate) fn gradients<T: Real>(of: Means<'_, T>, means: &[T], gradient: &[T]) -> [Vec<T>; 3] {
    let (b, m, k, c) = (of.columns.queries(), of.columns.references(), of.k, of.c);
    let laid = Laid::new(of);
    let dots: Vec<T> = means
        .chunks_exact(c.max(1))
        .zip(gradient.chunks_exact(c.max(1)))
        .map(|(mean, g)| mean.iter().zip(g).fold(T::ZERO, |sum, (&x, &y)| sum + x * y))
        .collect();
    let gradient = padded(gradient, c);
    let mut of_queries = vec![T::ZERO; b * k];
    let (mut of_references, mut of_values) = (vec![T::ZERO; m * k], vec![T::ZERO; m * c]);
    let (arch, size, stride) = (arch(), group_size(b), laid.points.stride());
    let wide = references_at_once(b.div_ceil(size.max(1)), k + c, size_of::<T>());
    for start in (0..stride).step_by(wide) {
        let among = start..(start + wide).min(stride);
        let groups = of_queries.par_chunks_mut((size * k).max(1)).enumerate();
        let parts: Vec<Sums<T>> = groups
            .map(|(group, of_queries)| {
                let values = Aligned::zeros((k + c) * among.len());
                let mut sums = Sums { values, among: among.clone() };
                arch.dispatch(Unrolled(Group {
                    laid: &laid,
                    gradient: &gradient,
                    dots: &dots,
                    some: group * size..((group + 1) * size).min(b),
                    of_queries,
                    sums: &mut sums,
                }));
                sums
            })
            .collect();
        let end = among.end.min(m);
        let total = &mut of_references[start * k..end * k];
        add_parts(&parts, (0, k), &among, T::from_f64(2.0), total);
        let total = &mut of_values[start * c..end * c];
        add_parts(&parts, (k, c), &among, T::from_f64(1.0), total);
    }
    let minus_two = T::from_f64(-2.0);
    of_queries.iter_mut().for_each(|x| *x = minus_two * *x);
    [of_queries, of_references, of_values]
}

/// The gradient of some queries.
struct Group<'a, T> {
    laid: &'a Laid<'a, T>,
    /// `[b, c]`, padded.
    gradient: &'a [T],
    /// `g_i · mean_i`.
    dots: &'a [T],
    /// The queries.
    some: Range<usize>,
    of_queries: &'a mut [T],
    /// Of references and of values, `k + c` axes.
    sums: &'a mut Sums<T>,
}

impl<T: Real> OverDimensions for Group<'_, T> {
    fn dimensions(&self) -> usize {
        self.laid.of.k
    }

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, k: usize) {
        let (some, of_queries) = (self.some.clone(), std::mem::take(&mut self.of_queries));
        let among = self.sums.among.clone();
        over_tiles(simd, (k, k), (&some, &among), &mut self, of_queries);
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
        let laid = self.laid;
        let c = laid.of.c;
        let queries = &laid.queries[some.start * k..];
        let rows = &self.gradient[some.start * c..];
        let less = core::array::from_fn(|row| {
            self.dots[some.clone()].get(row).copied().unwrap_or(T::ZERO)
        });
        let Sums { values, among } = &mut *self.sums;
        let (first, stride) = (among.start, among.len());
        let (of_references, of_values) = values.split_at_mut(k * stride);
        for part in laid.of.columns.cover(some.clone(), wide, T::lanes::<S>()) {
            laid.weights(simd, k, &some, &part, tile);
            tile::add_spread::<T, S>(simd, c, rows, &part, tile, (of_values, stride, first));
            tile::turn::<T, S>(simd, c, (rows, less), &laid.values, &part, tile);
            let sums = (&mut *of_references, stride, first);
            tile::add_moments(simd, k, queries, &laid.points, &part, tile, kept, sums);
        }
    }
}
