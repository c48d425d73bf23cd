//! Squared distances by products, for points in many dimensions.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::tile::{ROWS, Tile};
use crate::{Aligned, Panel, Real, WIDTH, padded, tile_width};

/// Dimensions from which products are faster than differences by more than their layout costs: by half at 32, by 1.8 at
/// 784 (f64, 3000 x 5000 points, two cores with AVX2).
const PRODUCTS_FROM: usize = 32;

/// References are laid out in blocks of so many: a multiple of two vectors of any length.
const PADDING: usize = 32;

/// Coordinates of a tile's references that should stay in the second cache.
const CACHED: usize = 24576;

/// References as the distances to them are computed, and the queries as they go with them.
pub(crate) enum Pairs<T> {
    /// `Σ (q - r)²`: as exact as the points.
    Differences { queries: Vec<T>, references: Panel<T> },
    /// `||q||² + ||r||² - 2 q·r`.
    Products(Products<T>),
}

impl<T: Real> Pairs<T> {
    /// Of queries `[b, k]` and references `[m, k]`: by products where these are faster and no squared distance is off by
    /// more than `error`, which may be 0.
    pub(crate) fn new(queries: &[T], references: &[T], k: usize, error: T) -> Self {
        let products = (k >= PRODUCTS_FROM && error > T::ZERO)
            .then(|| Products::new(queries, references, k))
            .filter(|products| products.error() <= error.to_f64());
        match products {
            Some(products) => Self::Products(products),
            None => Self::Differences {
                queries: padded(queries, k),
                references: Panel::new(references, k),
            },
        }
    }

    /// Number of references with the padding.
    pub(crate) fn stride(&self) -> usize {
        match self {
            Self::Differences { references, .. } => references.stride(),
            Self::Products(products) => products.norms.len(),
        }
    }

    /// References of a tile.
    pub(crate) fn tile_width(&self, k: usize) -> usize {
        match self {
            Self::Differences { .. } => tile_width(k),
            Self::Products(_) => (CACHED / k).clamp(PADDING, WIDTH) / PADDING * PADDING,
        }
    }

    /// What the bounds of the references of a tile are multiples of.
    pub(crate) fn step<S: Simd>(&self) -> usize {
        match self {
            Self::Differences { .. } => T::lanes::<S>(),
            Self::Products(_) => PADDING,
        }
    }

    /// Writes the squared distances of the `ROWS` queries from `first` on to the references `columns`.
    #[inline(always)]
    pub(crate) fn sq_distances<S: Simd>(
        &self,
        simd: S,
        k: usize,
        first: usize,
        columns: &Range<usize>,
        tile: &mut Tile<T>,
    ) {
        match self {
            Self::Differences { queries, references } => {
                let queries = &queries[first * k..];
                crate::tile::sq_distances(simd, k, queries, references, columns, tile);
            }
            Self::Products(products) => products.sq_distances(simd, k, first, columns, tile),
        }
    }
}

/// Points about the mean of the references, with their squared norms.
pub(crate) struct Products<T> {
    /// `-2 q`, `[b / ROWS, k, ROWS]`.
    queries: Aligned<T>,
    /// `||q||²`, padded.
    query_norms: Aligned<T>,
    /// r, `[m / PADDING, k, PADDING]`.
    references: Aligned<T>,
    /// `||r||²`, padded.
    norms: Aligned<T>,
    k: usize,
}

impl<T: Real> Products<T> {
    fn new(queries: &[T], references: &[T], k: usize) -> Self {
        let centre = mean(references, k);
        let minus_two = T::from_f64(-2.0);
        let (queries, query_norms) = laid_out::<T, ROWS>(queries, &centre, minus_two);
        let (references, norms) = laid_out::<T, PADDING>(references, &centre, T::from_f64(1.0));
        Self { queries, query_norms, references, norms, k }
    }

    /// The most that a squared distance is off by rounding: `2 (k + 8) u (||q||² + ||r||²)`, k for the sums of products
    /// (by Cauchy-Schwarz) and as many for the norms, the 8 for what comes before and after.
    fn error(&self) -> f64 {
        let largest = |norms: &[T]| norms.iter().fold(0.0, |most, norm| norm.to_f64().max(most));
        let norms = largest(&self.query_norms) + largest(&self.norms);
        (self.k + 8) as f64 * T::ROUNDING * 2.0 * norms
    }

    /// See [`Pairs::sq_distances`]; `columns` begin and end at multiples of `PADDING`.
    #[inline(always)]
    fn sq_distances<S: Simd>(
        &self,
        simd: S,
        k: usize,
        first: usize,
        columns: &Range<usize>,
        tile: &mut Tile<T>,
    ) {
        let queries = &self.queries[first * k..];
        let pair = 2 * T::lanes::<S>();
        for start in columns.clone().step_by(PADDING) {
            let block = &self.references[start * k..(start + PADDING) * k];
            for at in (0..PADDING).step_by(pair) {
                let products = products::<T, S>(simd, k, queries, block, at);
                let norms = &self.norms[start + at..][..pair];
                let norms = T::vectors::<S>(norms);
                for (row, products) in products.into_iter().enumerate() {
                    let own = T::splat(simd, self.query_norms[first + row]);
                    let out = &mut tile[row][start + at - columns.start..][..pair];
                    let out = T::vectors_mut::<S>(out);
                    for ((out, product), &norm) in out.iter_mut().zip(products).zip(norms) {
                        let d = T::plus(simd, T::plus(simd, own, norm), product);
                        // Rounding may leave less than nothing of two points at one place.
                        let below = T::lesser(simd, T::splat(simd, T::ZERO), d);
                        *out = T::minus(simd, d, below);
                    }
                }
            }
        }
    }
}

/// The mean of points.
fn mean<T: Real>(points: &[T], k: usize) -> Vec<T> {
    let mut sums = vec![0.0; k];
    for point in points.chunks_exact(k) {
        sums.iter_mut().zip(point).for_each(|(sum, x)| *sum += x.to_f64());
    }
    let count = (points.len() / k).max(1) as f64;
    sums.into_iter().map(|sum| T::from_f64(sum / count)).collect()
}

/// Points about a centre times a factor, `N` at a time, coordinate by coordinate: `[n / N, k, N]`; and the squared norms
/// without the factor. Both end with zeros.
fn laid_out<T: Real, const N: usize>(
    points: &[T],
    centre: &[T],
    factor: T,
) -> (Aligned<T>, Aligned<T>) {
    let k = centre.len();
    let padded = (points.len() / k).next_multiple_of(N);
    let [mut blocks, mut norms] = [Aligned::zeros(padded * k), Aligned::zeros(padded)];
    let parts = blocks.par_chunks_mut(N * k).zip(norms.par_chunks_mut(N));
    parts.zip(points.par_chunks(N * k)).for_each(|((block, norms), points)| {
        for ((at, point), norm) in points.chunks_exact(k).enumerate().zip(norms) {
            for (axis, (&x, &centre)) in point.iter().zip(centre).enumerate() {
                let moved = x - centre;
                *norm = *norm + moved * moved;
                block[axis * N + at] = factor * moved;
            }
        }
    });
    (blocks, norms)
}

/// The products of `ROWS` queries with pair vectors of a block's references, in registers.
#[inline(always)]
fn products<T: Real, S: Simd>(
    simd: S,
    k: usize,
    queries: &[T],
    block: &[T],
    at: usize,
) -> [[T::Vector<S>; 2]; ROWS] {
    let mut sums = [[T::splat(simd, T::ZERO); 2]; ROWS];
    let (lines, _) = block.as_chunks::<PADDING>();
    let (queries, _) = queries[..ROWS * k].as_chunks::<ROWS>();
    for (line, queries) in lines.iter().zip(queries) {
        let points = T::vectors::<S>(&line[at..][..2 * T::lanes::<S>()]);
        let points = [points[0], points[1]];
        for (sums, &x) in sums.iter_mut().zip(queries) {
            let x = T::splat(simd, x);
            for (sum, y) in sums.iter_mut().zip(points) {
                *sum = T::times_plus(simd, x, y, *sum);
            }
        }
    }
    sums
}
