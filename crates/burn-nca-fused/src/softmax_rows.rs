//! Means under a softmax of negated Euclidean distances in many dimensions, from a matrix of products.
//!
//! With many coordinates the products of all queries with all references are a matrix product, which backends have; what is
//! left of each row is done here while the row is in the cache.

use core::ops::Range;

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::arch::{arch, dispatch};
use crate::panel::Panel;
use crate::shares::terms_of;
use crate::{Aligned, Real, tile};

/// Rows of a group; a fixed number, for the order of sums.
const GROUP: usize = 64;

/// What the rows of a matrix are about, whose columns are the references with padding.
pub(crate) struct SoftmaxRows<T> {
    /// `||q_i||²`.
    query_norms: Vec<T>,
    /// `||r_j||²`, padded.
    norms: Vec<T>,
    /// `[m, c]`.
    values: Panel<T>,
    c: usize,
    /// Number of references, m.
    references: usize,
    /// The reference that the first query is itself; the next is the second query, and so on.
    own: Option<usize>,
}

impl<T: Real> SoftmaxRows<T> {
    /// Queries `[b, k]`, references `[m, k]`, values `[m, c]`.
    pub(crate) fn new(
        (queries, references, k): (&[T], &[T], usize),
        (values, c): (&[T], usize),
        own: Option<usize>,
    ) -> Self {
        let values = Panel::new(values, c);
        let mut norms = squared_norms(references, k);
        let references = norms.len();
        norms.resize(values.stride(), T::ZERO);
        Self { query_norms: squared_norms(queries, k), norms, values, c, references, own }
    }

    /// Number of columns of the matrix: the references with padding.
    fn stride(&self) -> usize {
        self.norms.len()
    }

    /// The column of a query itself.
    fn own_of(&self, query: usize) -> Option<usize> {
        self.own.map(|own| own + query).filter(|column| *column < self.references)
    }

    /// Whether no reference counts for a query.
    fn is_without(&self, query: usize) -> bool {
        self.references == usize::from(self.own_of(query).is_some())
    }

    /// Replaces products `q_i · r_j` by distances, which are infinite where j does not count. Gives the means `[b, c]`, and of each
    /// row the least distance and `Σ_j exp(least_i - d_ij)`, `[2, b]`.
    pub(crate) fn means(&self, products: &mut [T]) -> (Vec<T>, Vec<T>) {
        let (b, c) = (self.query_norms.len(), self.c);
        let (mut means, mut rows) = (vec![T::ZERO; b * c], vec![T::ZERO; 2 * b]);
        let (least, sums) = rows.split_at_mut(b);
        let arch = arch();
        products
            .par_chunks_mut(GROUP * self.stride().max(1))
            .zip(means.par_chunks_mut(GROUP * c.max(1)))
            .zip(least.par_chunks_mut(GROUP).zip(sums.par_chunks_mut(GROUP)))
            .enumerate()
            .for_each(|(group, ((products, means), (least, sums)))| {
                let first = group * GROUP;
                dispatch(arch, Forward { of: self, first, products, means, least, sums });
            });
        (means, rows)
    }

    /// Replaces distances by `a_ij = -p_ij (g_i · v_j - g_i · mean_i) / d_ij` (0 where d is), the slope of `Σ g_i · mean_i` over
    /// the difference of two points. Gives the sums of the rows and those of the columns.
    pub(crate) fn slopes(
        &self,
        distances: &mut [T],
        rows: &[T],
        (means, gradient): (&[T], &[T]),
    ) -> [Vec<T>; 2] {
        let (b, stride) = (self.query_norms.len(), self.stride());
        let mut of_rows = vec![T::ZERO; b];
        let arch = arch();
        let parts: Vec<Vec<T>> = distances
            .par_chunks_mut(GROUP * stride.max(1))
            .zip(of_rows.par_chunks_mut(GROUP))
            .enumerate()
            .map(|(group, (distances, of_rows))| {
                let mut of_columns = vec![T::ZERO; stride];
                let some = group * GROUP..group * GROUP + of_rows.len();
                let columns = &mut of_columns;
                let numbers = (rows, means, gradient);
                dispatch(arch, Backward { of: self, some, numbers, distances, of_rows, columns });
                of_columns
            })
            .collect();
        let mut of_columns = vec![T::ZERO; stride];
        for part in parts {
            of_columns.iter_mut().zip(part).for_each(|(sum, x)| *sum = *sum + x);
        }
        of_columns.truncate(self.references);
        [of_rows, of_columns]
    }
}

/// `||x_i||²` of points `[n, k]`.
fn squared_norms<T: Real>(points: &[T], k: usize) -> Vec<T> {
    let norm = |point: &[T]| {
        let (parts, rest) = point.as_chunks::<16>();
        let mut sums = [T::ZERO; 16];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, &x)| *sum = *sum + x * x);
        }
        sums.into_iter().chain(rest.iter().map(|&x| x * x)).fold(T::ZERO, |sum, x| sum + x)
    };
    points.par_chunks_exact(k.max(1)).map(norm).collect()
}

/// The distances and means of some queries.
struct Forward<'a, T> {
    of: &'a SoftmaxRows<T>,
    first: usize,
    products: &'a mut [T],
    means: &'a mut [T],
    least: &'a mut [T],
    sums: &'a mut [T],
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { of, first, products, means, least, sums } = self;
        let (stride, c) = (of.stride(), of.c);
        let mut terms = Aligned::zeros(stride);
        for (at, row) in products.chunks_exact_mut(stride).enumerate() {
            let query = first + at;
            distances::<T, S>(simd, row, of.query_norms[query], &of.norms);
            row[of.references..].fill(T::INFINITY);
            if let Some(own) = of.own_of(query) {
                row[own] = T::INFINITY;
            }
            if of.is_without(query) {
                sums[at] = T::INFINITY;
                continue;
            }
            least[at] = tile::least::<T, S>(simd, row);
            sums[at] = terms_of::<T, S>(simd, row, least[at], &mut terms);
            for (axis, mean) in means[at * c..][..c].iter_mut().enumerate() {
                let values = of.values.coordinate(axis, 0, stride);
                *mean = dot::<T, S>(simd, &terms, values) / sums[at];
            }
        }
    }
}

/// The slopes of some queries.
struct Backward<'a, T> {
    of: &'a SoftmaxRows<T>,
    some: Range<usize>,
    /// Least distances and sums `[2, b]`, means and their gradient `[b, c]`.
    numbers: (&'a [T], &'a [T], &'a [T]),
    distances: &'a mut [T],
    of_rows: &'a mut [T],
    columns: &'a mut [T],
}

impl<T: Real> WithSimd for Backward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { of, some, numbers: (rows, means, gradient), distances, of_rows, columns } = self;
        let (stride, c) = (of.stride(), of.c);
        let (least, sums) = rows.split_at(of.query_norms.len());
        let mut terms = Aligned::zeros(stride);
        for (at, row) in distances.chunks_exact_mut(stride).enumerate() {
            let query = some.start + at;
            let (mean, slope) = (&means[query * c..][..c], &gradient[query * c..][..c]);
            let dot = mean.iter().zip(slope).fold(T::ZERO, |sum, (&x, &g)| sum + x * g);
            // Of g_i · v_j - g_i · mean_i.
            terms.fill(T::ZERO - dot);
            for (axis, &g) in slope.iter().enumerate() {
                let (g, values) = (T::splat(simd, g), of.values.coordinate(axis, 0, stride));
                let values = T::vectors::<S>(values);
                for (term, &value) in T::vectors_mut::<S>(&mut terms).iter_mut().zip(values) {
                    *term = T::times_plus(simd, g, value, *term);
                }
            }
            let shift = T::splat(simd, least[query]);
            let factor = T::splat(simd, T::from_f64(-1.0) / sums[query]);
            let terms_of = T::vectors_mut::<S>(&mut terms).iter_mut();
            for (term, &d) in terms_of.zip(T::vectors::<S>(row)) {
                let weight = T::times(simd, factor, T::exp(simd, T::minus(simd, shift, d)));
                *term = T::times(simd, weight, *term);
            }
            quotients(row, &terms);
            of_rows[at] = tile::sum::<T, S>(simd, row);
            for (sum, &x) in T::vectors_mut::<S>(columns).iter_mut().zip(T::vectors::<S>(row)) {
                *sum = T::plus(simd, *sum, x);
            }
        }
    }
}

/// Replaces products by distances.
#[inline(always)]
fn distances<T: Real, S: Simd>(simd: S, row: &mut [T], of_query: T, norms: &[T]) {
    let [zero, minus_two, of_query] =
        [T::ZERO, T::from_f64(-2.0), of_query].map(|x| T::splat(simd, x));
    for (d, &norm) in T::vectors_mut::<S>(row).iter_mut().zip(T::vectors::<S>(norms)) {
        let square = T::times_plus(simd, minus_two, *d, T::plus(simd, of_query, norm));
        // Rounding may leave less than nothing of two points at one place.
        *d = T::minus(simd, square, T::lesser(simd, zero, square));
    }
    tile::roots(row);
}

#[inline(always)]
fn dot<T: Real, S: Simd>(simd: S, a: &[T], b: &[T]) -> T {
    let mut sums = [T::splat(simd, T::ZERO); 2];
    let (a, b) = (T::vectors::<S>(a).chunks(2), T::vectors::<S>(b).chunks(2));
    for (a, b) in a.zip(b) {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            *sum = T::times_plus(simd, a, b, *sum);
        }
    }
    T::sum(simd, T::plus(simd, sums[0], sums[1]))
}

/// Replaces each distance of a row by `weight / d`; 0 where the points are equal. A loop that the compiler makes vectors of.
#[inline(always)]
fn quotients<T: Real>(row: &mut [T], weights: &[T]) {
    for (d, &weight) in row.iter_mut().zip(weights) {
        *d = if *d > T::ZERO { weight / *d } else { T::ZERO };
    }
}
