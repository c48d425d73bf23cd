//! Means under a softmax of negated Euclidean distances in many dimensions, from a matrix of products.
//!
//! With many coordinates the products of queries with all references are a matrix product, which backends have; what is left of
//! each row is done here while the row is in the cache.

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

    /// The column of a query itself.
    fn own_of(&self, query: usize) -> Option<usize> {
        self.own.map(|own| own + query).filter(|column| *column < self.references)
    }

    /// Adds a span of references to the sums of some queries, from their products `q_i · r_j`, with padding: `sums` are the least
    /// distance of each query so far and `Σ_j exp(least_i - d_ij)`, at first infinite and 0, `means` are `Σ_j exp(least_i - d_ij) v_j`.
    /// The products become distances, infinite where j does not count.
    pub(crate) fn add(
        &self,
        [queries, references]: [Range<usize>; 2],
        products: &mut [T],
        means: &mut [T],
        sums: &mut [[T; 2]],
    ) {
        let (stride, c) = (products.len() / queries.len().max(1), self.c);
        let arch = arch();
        products
            .par_chunks_mut((GROUP * stride).max(1))
            .zip(means.par_chunks_mut((GROUP * c).max(1)).zip(sums.par_chunks_mut(GROUP)))
            .enumerate()
            .for_each(|(group, (products, (means, sums)))| {
                let of = Block { rows: self, query: queries.start + group * GROUP, stride };
                let columns = references.clone();
                dispatch(arch, Forward { of, columns, products, means, sums });
            });
    }

    /// Divides the means by their sums, which become infinite, and the least distances 0, where no reference counts.
    pub(crate) fn divide(&self, means: &mut [T], sums: &mut [[T; 2]]) {
        for (means, [_, sum]) in means.chunks_exact_mut(self.c.max(1)).zip(&mut *sums) {
            if *sum > T::ZERO {
                means.iter_mut().for_each(|mean| *mean = *mean / *sum);
            }
        }
        sums.iter_mut().filter(|of| of[1] == T::ZERO).for_each(|of| *of = [T::ZERO, T::INFINITY]);
    }

    /// The slopes of `Σ g_i · mean_i` over the differences of some queries with a span of references, in place of their products,
    /// with padding: `a_ij = -p_ij (g_i · v_j - g_i · mean_i) / d_ij`, 0 where d is. Adds the sums of their rows to `of_rows` and gives
    /// those of their columns.
    pub(crate) fn slopes(
        &self,
        [queries, references]: [Range<usize>; 2],
        products: &mut [T],
        [sums, means, gradient]: [&[T]; 3],
        of_rows: &mut [T],
    ) -> Vec<T> {
        let (stride, c) = (products.len() / queries.len().max(1), self.c);
        let arch = arch();
        let parts: Vec<Vec<T>> = products
            .par_chunks_mut((GROUP * stride).max(1))
            .zip(of_rows.par_chunks_mut(GROUP))
            .enumerate()
            .map(|(group, (products, of_rows))| {
                let (at, mut of_columns) = (group * GROUP, vec![T::ZERO; stride]);
                let numbers = [&sums[2 * at..], &means[c * at..], &gradient[c * at..]];
                let of = Block { rows: self, query: queries.start + at, stride };
                let (columns, to) = (references.clone(), &mut of_columns);
                dispatch(
                    arch,
                    Backward { of, columns, numbers, products, of_rows, of_columns: to },
                );
                of_columns
            })
            .collect();
        let mut of_columns = vec![T::ZERO; stride];
        for part in parts {
            of_columns.iter_mut().zip(part).for_each(|(sum, x)| *sum = *sum + x);
        }
        of_columns
    }
}

/// Some queries from one on, with so many columns in a row.
struct Block<'a, T> {
    rows: &'a SoftmaxRows<T>,
    query: usize,
    stride: usize,
}

impl<T: Real> Block<'_, T> {
    /// Replaces products of a query by distances; those of references that do not count for it are infinite.
    #[inline(always)]
    fn distances<S: Simd>(&self, simd: S, at: usize, columns: &Range<usize>, row: &mut [T]) {
        let (rows, query) = (self.rows, self.query + at);
        let [zero, minus_two, of_query] =
            [T::ZERO, T::from_f64(-2.0), rows.query_norms[query]].map(|x| T::splat(simd, x));
        let norms = T::vectors::<S>(&rows.norms[columns.start..][..self.stride]);
        for (d, &norm) in T::vectors_mut::<S>(row).iter_mut().zip(norms) {
            let square = T::times_plus(simd, minus_two, *d, T::plus(simd, of_query, norm));
            // Rounding may leave less than nothing of two points at one place.
            *d = T::minus(simd, square, T::lesser(simd, zero, square));
        }
        tile::roots(row);
        row[columns.len()..].fill(T::INFINITY);
        if let Some(own) = rows.own_of(query).filter(|own| columns.contains(own)) {
            row[own - columns.start] = T::INFINITY;
        }
    }

    /// One coordinate of the values of the columns.
    #[inline(always)]
    fn values(&self, axis: usize, columns: &Range<usize>) -> &[T] {
        self.rows.values.coordinate(axis, columns.start, self.stride)
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

/// What some references add to the means of some queries.
struct Forward<'a, T> {
    of: Block<'a, T>,
    columns: Range<usize>,
    products: &'a mut [T],
    means: &'a mut [T],
    sums: &'a mut [[T; 2]],
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { of, columns, products, means, sums } = self;
        let c = of.rows.c;
        let mut terms = Aligned::zeros(of.stride);
        let rows = products.chunks_exact_mut(of.stride).zip(sums);
        for (at, (row, [least, sum])) in rows.enumerate() {
            of.distances(simd, at, &columns, row);
            let (means, near) = (&mut means[at * c..][..c], tile::least::<T, S>(simd, row));
            if near < *least {
                let factor = T::from_f64((near - *least).to_f64().exp());
                *sum = *sum * factor;
                means.iter_mut().for_each(|mean| *mean = *mean * factor);
                *least = near;
            } else if near == T::INFINITY {
                continue;
            }
            *sum = *sum + terms_of::<T, S>(simd, row, *least, &mut terms);
            for (axis, mean) in means.iter_mut().enumerate() {
                *mean = *mean + dot::<T, S>(simd, &terms, of.values(axis, &columns));
            }
        }
    }
}

/// The slopes of some queries over some references.
struct Backward<'a, T> {
    of: Block<'a, T>,
    columns: Range<usize>,
    /// Least distances and sums `[b, 2]`, means and their gradient `[b, c]`, of these queries.
    numbers: [&'a [T]; 3],
    products: &'a mut [T],
    of_rows: &'a mut [T],
    of_columns: &'a mut [T],
}

impl<T: Real> WithSimd for Backward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { of, columns, numbers, products, of_rows, of_columns } = self;
        let ([sums, means, gradient], c) = (numbers, of.rows.c);
        let mut terms = Aligned::zeros(of.stride);
        for (at, (row, of_row)) in products.chunks_exact_mut(of.stride).zip(of_rows).enumerate() {
            of.distances(simd, at, &columns, row);
            let (mean, slope) = (&means[at * c..][..c], &gradient[at * c..][..c]);
            let dot = mean.iter().zip(slope).fold(T::ZERO, |sum, (&x, &g)| sum + x * g);
            // Of g_i · v_j - g_i · mean_i.
            terms.fill(T::ZERO - dot);
            for (axis, &g) in slope.iter().enumerate() {
                let (g, values) = (T::splat(simd, g), of.values(axis, &columns));
                let values = T::vectors::<S>(values);
                for (term, &value) in T::vectors_mut::<S>(&mut terms).iter_mut().zip(values) {
                    *term = T::times_plus(simd, g, value, *term);
                }
            }
            let shift = T::splat(simd, sums[2 * at]);
            let factor = T::splat(simd, T::from_f64(-1.0) / sums[2 * at + 1]);
            let terms_of = T::vectors_mut::<S>(&mut terms).iter_mut();
            for (term, &d) in terms_of.zip(T::vectors::<S>(row)) {
                let weight = T::times(simd, factor, T::exp(simd, T::minus(simd, shift, d)));
                *term = T::times(simd, weight, *term);
            }
            quotients(row, &terms);
            *of_row = *of_row + tile::sum::<T, S>(simd, row);
            for (sum, &x) in T::vectors_mut::<S>(of_columns).iter_mut().zip(T::vectors::<S>(row)) {
                *sum = T::plus(simd, *sum, x);
            }
        }
    }
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
