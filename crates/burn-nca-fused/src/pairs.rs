//! Squared distances of queries to references, a tile at a time: by differences, or by products in many dimensions.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::panel::PADDING;
use crate::sums::Sums;
use crate::tile::{ROWS, Tile};
use crate::{Aligned, Panel, Real, WIDTH, padded, tile_width};

/// Dimensions from which products are faster than differences by more than their layout costs: by half at 32, by 1.8 at
/// 784 (f64, 3000 x 5000 points, two cores with AVX2).
const PRODUCTS_FROM: usize = 32;

/// Coordinates of a tile's references that should stay in the second cache.
const CACHED: usize = 24576;

/// Queries and references, and a way to compute the squared distances of a tile.
pub(crate) trait Pairs: Sync {
    type Number: Real;

    /// Whether there are many dimensions.
    const MANY: bool;

    /// Number of references with the padding.
    fn stride(&self) -> usize;

    fn tile_width(k: usize) -> usize;

    /// What the bounds of the references of a tile are multiples of.
    fn step<S: Simd>() -> usize;

    /// Writes the squared distances of the `ROWS` queries from `first` on to the references `columns`. To be inlined.
    fn sq_distances<S: Simd>(
        &self,
        simd: S,
        k: usize,
        first: usize,
        columns: &Range<usize>,
        tile: &mut Tile<Self::Number>,
    );
}

/// Squared distances as `Σ (q - r)²`: where points are near to each other as exact as the points, however far from the
/// origin they are.
pub(crate) struct Differences<T> {
    queries: Vec<T>,
    references: Panel<T>,
}

impl<T: Real> Differences<T> {
    /// Of queries `[b, k]` and references `[m, k]`.
    pub(crate) fn new((queries, references, k): (&[T], &[T], usize)) -> Self {
        Self { queries: padded(queries, k), references: Panel::new(references, k) }
    }

    /// The distances of the `ROWS` queries from `first` on to `N` vectors of references, in registers.
    #[inline(always)]
    fn sums_of_squares<S: Simd, const N: usize>(
        &self,
        simd: S,
        k: usize,
        first: usize,
        start: usize,
    ) -> [[T::Vector<S>; N]; ROWS] {
        let mut sums = [[T::splat(simd, T::ZERO); N]; ROWS];
        let queries = &self.queries[first * k..][..ROWS * k];
        for axis in 0..k {
            let points = self.references.coordinate(axis, start, N * T::lanes::<S>());
            let points = &T::vectors::<S>(points)[..N];
            for (row, sums) in sums.iter_mut().enumerate() {
                let x = T::splat(simd, queries[row * k + axis]);
                for (sum, &y) in sums.iter_mut().zip(points) {
                    let difference = T::minus(simd, x, y);
                    *sum = T::times_plus(simd, difference, difference, *sum);
                }
            }
        }
        sums
    }

    /// Adds the first moments of a tile's weights about the points: to `kept` `Σ_j w_ij (q_i - r_j)` of the `ROWS` queries
    /// from `first` on, as one vector for each axis and row, `[k, ROWS]`, whose lanes are still to be summed; to `sums`
    /// `Σ_i w_ij (q_i - r_j)` of the references `columns`.
    #[inline(always)]
    pub(crate) fn add_moments<S: Simd>(
        &self,
        simd: S,
        k: usize,
        first: usize,
        columns: &Range<usize>,
        tile: &Tile<T>,
        (kept, sums): (&mut [T], &mut Sums<T>),
    ) {
        let queries = &self.queries[first * k..];
        let vectors = columns.len() / T::lanes::<S>();
        let weights = tile.0.each_ref().map(|row| &T::vectors::<S>(row)[..vectors]);
        let (kept, _) = T::vectors_mut::<S>(kept).as_chunks_mut::<ROWS>();
        for (axis, kept) in kept.iter_mut().enumerate().take(k) {
            let points = self.references.coordinate(axis, columns.start, columns.len());
            let points = &T::vectors::<S>(points)[..vectors];
            let moments = &mut T::vectors_mut::<S>(sums.of(axis, columns))[..vectors];
            let x: [T::Vector<S>; ROWS] =
                core::array::from_fn(|row| T::splat(simd, queries[row * k + axis]));
            let mut of_queries = *kept;
            for at in 0..vectors {
                let point = points[at];
                let mut differences = x;
                for difference in &mut differences {
                    *difference = T::minus(simd, *difference, point);
                }
                // Two sums that do not wait for each other.
                let mut moments_of = [moments[at], T::splat(simd, T::ZERO)];
                for row in 0..ROWS {
                    let (weight, difference) = (weights[row][at], differences[row]);
                    of_queries[row] = T::times_plus(simd, weight, difference, of_queries[row]);
                    let half = &mut moments_of[row % 2];
                    *half = T::times_plus(simd, weight, difference, *half);
                }
                moments[at] = T::plus(simd, moments_of[0], moments_of[1]);
            }
            *kept = of_queries;
        }
    }
}

impl<T: Real> Pairs for Differences<T> {
    type Number = T;

    const MANY: bool = false;

    #[inline(always)]
    fn stride(&self) -> usize {
        self.references.stride()
    }

    #[inline(always)]
    fn tile_width(k: usize) -> usize {
        tile_width(k)
    }

    #[inline(always)]
    fn step<S: Simd>() -> usize {
        T::lanes::<S>()
    }

    #[inline(always)]
    fn sq_distances<S: Simd>(
        &self,
        simd: S,
        k: usize,
        first: usize,
        columns: &Range<usize>,
        tile: &mut Tile<T>,
    ) {
        let lanes = T::lanes::<S>();
        let vectors = columns.len() / lanes;
        let mut out = tile.0.each_mut().map(|row| &mut T::vectors_mut::<S>(row)[..vectors]);
        let mut at = 0;
        while at + 2 <= vectors {
            let sums = self.sums_of_squares::<S, 2>(simd, k, first, columns.start + at * lanes);
            for (out, sums) in out.iter_mut().zip(sums) {
                out[at] = sums[0];
                out[at + 1] = sums[1];
            }
            at += 2;
        }
        if at < vectors {
            let sums = self.sums_of_squares::<S, 1>(simd, k, first, columns.start + at * lanes);
            for (out, [sum]) in out.iter_mut().zip(sums) {
                out[at] = sum;
            }
        }
    }
}

/// Squared distances as `||q||² + ||r||² - 2 q·r`, from points about the mean of the references and their squared norms.
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
    /// Of queries `[b, k]` and references `[m, k]`, where this is faster and no squared distance is off by more than
    /// `error`, which may be 0.
    pub(crate) fn within(error: T, (queries, references, k): (&[T], &[T], usize)) -> Option<Self> {
        if k < PRODUCTS_FROM || error <= T::ZERO {
            return None;
        }
        let products = Self::new(queries, references, k);
        (products.error() <= error.to_f64()).then_some(products)
    }

    fn new(queries: &[T], references: &[T], k: usize) -> Self {
        let center = mean(references, k);
        let minus_two = T::from_f64(-2.0);
        let (queries, query_norms) = laid_out(queries, &center, minus_two, ROWS);
        let (references, norms) = laid_out(references, &center, T::from_f64(1.0), PADDING);
        Self { queries, query_norms, references, norms, k }
    }

    /// The most that a squared distance is off by rounding: `2 (k + 8) u (||q||² + ||r||²)`, k for the sums of products
    /// (by Cauchy-Schwarz) and as many for the norms, the 8 for what comes before and after.
    fn error(&self) -> f64 {
        let largest = |norms: &[T]| norms.iter().fold(0.0, |most, norm| norm.to_f64().max(most));
        let norms = largest(&self.query_norms) + largest(&self.norms);
        (self.k + 8) as f64 * T::ROUNDING * 2.0 * norms
    }
}

impl<T: Real> Pairs for Products<T> {
    type Number = T;

    const MANY: bool = true;

    #[inline(always)]
    fn stride(&self) -> usize {
        self.norms.len()
    }

    #[inline(always)]
    fn tile_width(k: usize) -> usize {
        (CACHED / k).clamp(PADDING, WIDTH) / PADDING * PADDING
    }

    #[inline(always)]
    fn step<S: Simd>() -> usize {
        PADDING
    }

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
                    let out = &mut tile.0[row][start + at - columns.start..][..pair];
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

fn mean<T: Real>(points: &[T], k: usize) -> Vec<T> {
    let mut sums = vec![0.0; k];
    for point in points.chunks_exact(k) {
        sums.iter_mut().zip(point).for_each(|(sum, x)| *sum += x.to_f64());
    }
    let count = (points.len() / k).max(1) as f64;
    sums.into_iter().map(|sum| T::from_f64(sum / count)).collect()
}

/// Points about a center times a factor, `some` at a time, coordinate by coordinate: `[n / some, k, some]`; and the
/// squared norms without the factor. Both end with zeros.
fn laid_out<T: Real>(
    points: &[T],
    center: &[T],
    factor: T,
    some: usize,
) -> (Aligned<T>, Aligned<T>) {
    let k = center.len();
    let padded = (points.len() / k).next_multiple_of(some);
    let [mut blocks, mut norms] = [Aligned::zeros(padded * k), Aligned::zeros(padded)];
    let parts = blocks.par_chunks_mut(some * k).zip(norms.par_chunks_mut(some));
    parts.zip(points.par_chunks(some * k)).for_each(|((block, norms), points)| {
        for ((at, point), norm) in points.chunks_exact(k).enumerate().zip(norms) {
            for (axis, (&x, &center)) in point.iter().zip(center).enumerate() {
                let moved = x - center;
                *norm = *norm + moved * moved;
                block[axis * some + at] = factor * moved;
            }
        }
    });
    (blocks, norms)
}

/// The products of `ROWS` queries with two vectors of a block's references, in registers.
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
