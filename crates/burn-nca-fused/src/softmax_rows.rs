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

    /// The means of some queries from their products `q_i · r_j`, and of each its least distance and `Σ_j exp(least_i - d_ij)`.
    /// The products become distances, infinite where j does not count.
    pub(crate) fn means(&self, some: Range<usize>, products: &mut [T]) -> (Vec<T>, Vec<[T; 2]>) {
        let (stride, c, b) = (self.stride().max(1), self.c, some.len());
        let (mut means, mut sums) = (vec![T::ZERO; b * c], vec![[T::ZERO; 2]; b]);
        let arch = arch();
        products
            .par_chunks_mut(GROUP * stride)
            .zip(means.par_chunks_mut(GROUP * c.max(1)).zip(sums.par_chunks_mut(GROUP)))
            .enumerate()
            .for_each(|(group, (products, (means, sums)))| {
                let first = some.start + group * GROUP;
                dispatch(arch, Forward { of: self, first, products, means, sums });
            });
        (means, sums)
    }

    /// The slopes of `Σ g_i · mean_i` over the differences of some queries with all references, in place of their products:
    /// `a_ij = -p_ij (g_i · v_j - g_i · mean_i) / d_ij`, 0 where d is. Adds their columns to `of_columns`, gives the sums
    /// of their rows.
    pub(crate) fn slopes(
        &self,
        some: Range<usize>,
        products: &mut [T],
        [sums, means, gradient]: [&[T]; 3],
        of_columns: &mut [T],
    ) -> Vec<T> {
        let (stride, c) = (self.stride().max(1), self.c);
        let mut of_rows = vec![T::ZERO; some.len()];
        let arch = arch();
        let parts: Vec<Vec<T>> = products
            .par_chunks_mut(GROUP * stride)
            .zip(of_rows.par_chunks_mut(GROUP))
            .enumerate()
            .map(|(group, (products, of_rows))| {
                let (at, mut columns) = (group * GROUP, vec![T::ZERO; stride]);
                let numbers = [&sums[2 * at..], &means[c * at..], &gradient[c * at..]];
                let (first, of_columns) = (some.start + at, &mut columns);
                dispatch(
                    arch,
                    Backward { of: self, first, numbers, products, of_rows, of_columns },
                );
                columns
            })
            .collect();
        for part in parts {
            of_columns.iter_mut().zip(part).for_each(|(sum, x)| *sum = *sum + x);
        }
        of_rows
    }

    /// Replaces products of a query by distances; those of references that do not count for it are infinite.
    #[inline(always)]
    fn distances<S: Simd>(&self, simd: S, query: usize, row: &mut [T]) {
        let [zero, minus_two, of_query] =
            [T::ZERO, T::from_f64(-2.0), self.query_norms[query]].map(|x| T::splat(simd, x));
        for (d, &norm) in T::vectors_mut::<S>(row).iter_mut().zip(T::vectors::<S>(&self.norms)) {
            let square = T::times_plus(simd, minus_two, *d, T::plus(simd, of_query, norm));
            // Rounding may leave less than nothing of two points at one place.
            *d = T::minus(simd, square, T::lesser(simd, zero, square));
        }
        tile::roots(row);
        row[self.references..].fill(T::INFINITY);
        if let Some(own) = self.own_of(query) {
            row[own] = T::INFINITY;
        }
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
    sums: &'a mut [[T; 2]],
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { of, first, products, means, sums } = self;
        let (stride, c) = (of.stride(), of.c);
        let mut terms = Aligned::zeros(stride);
        for (at, (row, of_row)) in products.chunks_exact_mut(stride).zip(sums).enumerate() {
            of.distances(simd, first + at, row);
            if of.is_without(first + at) {
                of_row[1] = T::INFINITY;
                continue;
            }
            let least = tile::least::<T, S>(simd, row);
            let sum = terms_of::<T, S>(simd, row, least, &mut terms);
            *of_row = [least, sum];
            for (axis, mean) in means[at * c..][..c].iter_mut().enumerate() {
                let values = of.values.coordinate(axis, 0, stride);
                *mean = dot::<T, S>(simd, &terms, values) / sum;
            }
        }
    }
}

/// The slopes of some queries.
struct Backward<'a, T> {
    of: &'a SoftmaxRows<T>,
    first: usize,
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
        let Self { of, first, numbers: [sums, means, gradient], products, of_rows, of_columns } =
            self;
        let (stride, c) = (of.stride(), of.c);
        let mut terms = Aligned::zeros(stride);
        for (at, (row, of_row)) in products.chunks_exact_mut(stride).zip(of_rows).enumerate() {
            of.distances(simd, first + at, row);
            let (mean, slope) = (&means[at * c..][..c], &gradient[at * c..][..c]);
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
            let shift = T::splat(simd, sums[2 * at]);
            let factor = T::splat(simd, T::from_f64(-1.0) / sums[2 * at + 1]);
            let terms_of = T::vectors_mut::<S>(&mut terms).iter_mut();
            for (term, &d) in terms_of.zip(T::vectors::<S>(row)) {
                let weight = T::times(simd, factor, T::exp(simd, T::minus(simd, shift, d)));
                *term = T::times(simd, weight, *term);
            }
            quotients(row, &terms);
            *of_row = tile::sum::<T, S>(simd, row);
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
