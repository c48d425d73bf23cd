//! Means under a softmax of negated Euclidean distances in many dimensions, from products of matrices.
//!
//! With many coordinates the products of queries with all references are a matrix product, which a library has; what is left of
//! each row is done here while a span of it is in the cache.

use core::ops::Range;

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::arch::{arch, dispatch};
use crate::panel::{PADDING, Panel};
use crate::shares::terms_of;
use crate::{Aligned, Real, tile};

/// Queries of a group; a fixed number, for the order of sums.
const GROUP: usize = 256;

/// References whose products with a group the cache holds; a multiple of the padding.
const SPAN: usize = 512;

/// Queries among references, with the values that are averaged.
pub(crate) struct SoftmaxRows<'a, T> {
    /// `[b, k]`.
    queries: &'a [T],
    /// `[m, k]`.
    references: &'a [T],
    k: usize,
    /// `||q_i||²`.
    query_norms: Vec<T>,
    /// `||r_j||²`, padded.
    norms: Vec<T>,
    /// `[m, c]`.
    values: Panel<T>,
    c: usize,
    /// The reference that the first query is itself; the next is the second query, and so on.
    own: Option<usize>,
}

/// The means of rows, and what their gradients are computed of.
pub(crate) struct RowMeans<T> {
    /// `Σ_j p_ij v_j`, `[b, c]`; 0 where no reference counts.
    pub(crate) means: Vec<T>,
    /// The least distance of each query and `Σ_j exp(least_i - d_ij)`, where no reference counts 0 and infinite; and of pairs that are
    /// kept the least distance up to each span, `[b, 2 + spans]`.
    pub(crate) sums: Vec<T>,
    /// `exp(least - d_ij) / d_ij` with the least distance up to the span, `[b, stride]`; 0 where a reference does not count or is the
    /// same point. Empty unless pairs are kept.
    pub(crate) pairs: Vec<T>,
}

impl<'a, T: Real + ComplexField> SoftmaxRows<'a, T> {
    /// Queries `[b, k]`, references `[m, k]`, values `[m, c]`.
    pub(crate) fn new(
        (queries, references, k): (&'a [T], &'a [T], usize),
        (values, c): (&[T], usize),
        own: Option<usize>,
    ) -> Self {
        let values = Panel::new(values, c);
        let mut norms = squared_norms(references, k);
        norms.resize(values.stride(), T::ZERO);
        let query_norms = squared_norms(queries, k);
        Self { queries, references, k, query_norms, norms, values, c, own }
    }

    /// Pairs in a row of those that are kept: the references with padding.
    pub(crate) fn stride(&self) -> usize {
        self.values.stride()
    }

    /// The references in spans.
    fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        let m = self.references.len() / self.k.max(1);
        (0..m).step_by(SPAN).map(move |first| first..m.min(first + SPAN))
    }

    /// Some points as a matrix.
    fn matrix(&self, points: &'a [T], rows: &Range<usize>) -> MatRef<'a, T> {
        let points = &points[rows.start * self.k..rows.end * self.k];
        MatRef::from_row_major_slice(points, rows.len(), self.k)
    }

    /// Numbers of a row in [`RowMeans::sums`].
    pub(crate) fn sums_of_row(&self, keeps_pairs: bool) -> usize {
        2 + if keeps_pairs { self.spans().count() } else { 0 }
    }

    /// The means of all queries.
    pub(crate) fn means(&self, keeps_pairs: bool) -> RowMeans<T> {
        let (b, c, width) = (self.query_norms.len(), self.c, self.sums_of_row(keeps_pairs));
        let (mut means, mut sums) = (vec![T::ZERO; b * c], vec![T::INFINITY; b * width]);
        sums.chunks_exact_mut(width).for_each(|of| of[1] = T::ZERO);
        let mut pairs = vec![T::ZERO; if keeps_pairs { b * self.stride() } else { 0 }];
        let mut kept = pairs.chunks_mut((GROUP * self.stride()).max(1));
        let groups: Vec<_> = (0..b).step_by(GROUP).map(|first| (first, kept.next())).collect();
        let arch = arch();
        groups
            .into_par_iter()
            .zip(means.par_chunks_mut((GROUP * c).max(1)).zip(sums.par_chunks_mut(GROUP * width)))
            .for_each(|((first, kept), (means, sums))| {
                let (b, wide) = (sums.len() / width, SPAN.min(self.stride()));
                let mut span = Aligned::zeros(if kept.is_some() { 0 } else { b * wide });
                let (rows, stride, all) = match kept {
                    Some(kept) => (kept, self.stride(), true),
                    None => (&mut *span, wide, false),
                };
                for columns in self.spans() {
                    let rows = &mut rows[if all { columns.start } else { 0 }..];
                    let queries = self.matrix(self.queries, &(first..first + b));
                    let references = self.matrix(self.references, &columns);
                    // The function for rows takes them for columns (faer 0.24).
                    let m = columns.len();
                    let products =
                        MatMut::from_column_major_slice_with_stride_mut(rows, m, b, stride);
                    matmul(
                        products.transpose_mut(),
                        Accum::Replace,
                        queries,
                        references.transpose(),
                        T::from_f64(1.0),
                        Par::Seq,
                    );
                    let of = Block { all: self, query: first, columns, stride };
                    let sums = (&mut *sums, width);
                    dispatch(arch, Forward { of, rows, means: &mut *means, sums });
                }
                divide(means, c, sums.chunks_exact_mut(width));
            });
        RowMeans { means, sums, pairs }
    }

    /// The gradient `[b, k]` of `Σ g_i · mean_i` by the queries, from the kept pairs; that by the references is added to `to`.
    ///
    /// ```text
    /// a_ij = -p_ij (g_i · v_j - g_i · mean_i) / d_ij, 0 where d is:   Σ_j a_ij (q_i - r_j),   Σ_i a_ij (r_j - q_i)
    /// ```
    pub(crate) fn add_gradients(
        &self,
        pairs: &[T],
        [sums, means, gradient]: [&[T]; 3],
        to: &mut [T],
    ) -> Vec<T> {
        let (b, k, c, stride) = (self.query_norms.len(), self.k, self.c, self.stride());
        let width = self.sums_of_row(true);
        let (arch, minus_one) = (arch(), T::from_f64(-1.0));
        let spans: Vec<_> = self.spans().collect();
        // A span has sums of its own for the queries, which are few.
        let parts: Vec<[Vec<T>; 2]> = to
            .par_chunks_mut((SPAN * k).max(1))
            .zip(spans)
            .map_init(Vec::new, |slopes, (of_references, columns)| {
                let wide = columns.len().next_multiple_of(PADDING);
                let (m, references) = (columns.len(), self.matrix(self.references, &columns));
                slopes.resize(GROUP.min(b) * wide, T::ZERO);
                let [mut of_queries, mut of_rows] = [b * k, b].map(|count| vec![T::ZERO; count]);
                let mut of_columns = vec![T::ZERO; wide];
                for first in (0..b).step_by(GROUP) {
                    let some = first..b.min(first + GROUP);
                    let numbers = [(sums, width), (means, c), (gradient, c)];
                    let numbers = numbers.map(|(numbers, width)| &numbers[width * first..]);
                    let of = Block { all: self, query: first, columns: columns.clone(), stride };
                    let pairs = &pairs[first * stride + columns.start..];
                    let to = [&mut of_rows[some.clone()], &mut of_columns];
                    dispatch(
                        arch,
                        Backward { of, width, numbers, pairs, slopes: &mut *slopes, to },
                    );
                    let slopes = MatRef::from_row_major_slice_with_stride(
                        &slopes[..some.len() * wide],
                        some.len(),
                        m,
                        wide,
                    );
                    let to = &mut of_queries[some.start * k..some.end * k];
                    let to = MatMut::from_row_major_slice_mut(to, some.len(), k);
                    matmul(to, Accum::Add, slopes, references, minus_one, Par::Seq);
                    let to = MatMut::from_row_major_slice_mut(&mut *of_references, m, k);
                    let queries = self.matrix(self.queries, &some);
                    matmul(to, Accum::Add, slopes.transpose(), queries, minus_one, Par::Seq);
                }
                add_times(of_references, &of_columns, &self.references[columns.start * k..], k);
                [of_queries, of_rows]
            })
            .collect();
        let [mut of_queries, mut of_rows] = [b * k, b].map(|count| vec![T::ZERO; count]);
        for [queries, rows] in parts {
            for (sums, part) in [(&mut of_queries, queries), (&mut of_rows, rows)] {
                sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
            }
        }
        add_times(&mut of_queries, &of_rows, self.queries, k);
        of_queries
    }
}

/// Divides the means by their sums, which become infinite, and the least distances 0, where no reference counts.
fn divide<'a, T: Real>(means: &mut [T], c: usize, sums: impl Iterator<Item = &'a mut [T]>) {
    for (means, of) in means.chunks_exact_mut(c.max(1)).zip(sums) {
        match of[1] > T::ZERO {
            true => means.iter_mut().for_each(|mean| *mean = *mean / of[1]),
            false => of[..2].copy_from_slice(&[T::ZERO, T::INFINITY]),
        }
    }
}

/// Adds `s_i x_i` to each row; the sums and points may be more.
fn add_times<T: Real>(to: &mut [T], sums: &[T], points: &[T], k: usize) {
    let rows = to.chunks_exact_mut(k.max(1)).zip(points.chunks_exact(k.max(1)));
    for ((to, x), &sum) in rows.zip(sums) {
        to.iter_mut().zip(x).for_each(|(to, &x)| *to = *to + sum * x);
    }
}

/// Some queries from one on and some references; rows of numbers about them begin so many apart.
struct Block<'a, T> {
    all: &'a SoftmaxRows<'a, T>,
    query: usize,
    columns: Range<usize>,
    stride: usize,
}

impl<T: Real> Block<'_, T> {
    /// Numbers in a row: the references with padding.
    fn padded(&self) -> usize {
        self.columns.len().next_multiple_of(PADDING)
    }

    /// Replaces products of a query by distances; those of references that do not count for it are infinite.
    #[inline(always)]
    fn distances<S: Simd>(&self, simd: S, at: usize, row: &mut [T]) {
        let (all, query, columns) = (self.all, self.query + at, &self.columns);
        let [zero, minus_two, of_query] =
            [T::ZERO, T::from_f64(-2.0), all.query_norms[query]].map(|x| T::splat(simd, x));
        let norms = T::vectors::<S>(&all.norms[columns.start..][..row.len()]);
        for (d, &norm) in T::vectors_mut::<S>(row).iter_mut().zip(norms) {
            let square = T::times_plus(simd, minus_two, *d, T::plus(simd, of_query, norm));
            // Rounding may leave less than nothing of two points at one place.
            *d = T::minus(simd, square, T::lesser(simd, zero, square));
        }
        tile::roots(row);
        row[columns.len()..].fill(T::INFINITY);
        if let Some(own) = all.own.map(|own| own + query).filter(|own| columns.contains(own)) {
            row[own - columns.start] = T::INFINITY;
        }
    }

    /// One coordinate of the values of the columns.
    #[inline(always)]
    fn values(&self, axis: usize) -> &[T] {
        self.all.values.coordinate(axis, self.columns.start, self.padded())
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

/// Adds some references to the sums of some queries, from their products `q_i · r_j`: the first two of the `sums` of a row are the least
/// distance so far and `Σ_j exp(least_i - d_ij)`, at first infinite and 0, `means` are `Σ_j exp(least_i - d_ij) v_j`. If there is a
/// place for the least distance of the span, the products become `exp(least_i - d_ij) / d_ij`.
struct Forward<'a, T> {
    of: Block<'a, T>,
    rows: &'a mut [T],
    means: &'a mut [T],
    /// With the numbers of a row.
    sums: (&'a mut [T], usize),
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { of, rows, means, sums: (sums, width) } = self;
        let (c, padded, span) = (of.all.c, of.padded(), 2 + of.columns.start / SPAN);
        let mut terms = Aligned::zeros(padded);
        for (at, sums) in sums.chunks_exact_mut(width).enumerate() {
            let row = &mut rows[at * of.stride..][..padded];
            of.distances(simd, at, row);
            let (means, near) = (&mut means[at * c..][..c], tile::least::<T, S>(simd, row));
            if near < sums[0] {
                let factor = T::from_f64((near - sums[0]).to_f64().exp());
                sums[1] = sums[1] * factor;
                means.iter_mut().for_each(|mean| *mean = *mean * factor);
                sums[0] = near;
            } else if near == T::INFINITY {
                row.fill(T::ZERO);
                continue;
            }
            sums[1] = sums[1] + terms_of::<T, S>(simd, row, sums[0], &mut terms);
            for (axis, mean) in means.iter_mut().enumerate() {
                *mean = *mean + dot::<T, S>(simd, &terms, of.values(axis));
            }
            if width > 2 {
                sums[span] = sums[0];
                quotients(row, &terms);
            }
        }
    }
}

/// The slopes of some queries and some references from what is kept of them; adds the sums of their rows and columns.
struct Backward<'a, T> {
    of: Block<'a, T>,
    /// Numbers of a row in the sums.
    width: usize,
    /// The sums, means and their gradient of these queries.
    numbers: [&'a [T]; 3],
    pairs: &'a [T],
    /// As wide as the span with padding.
    slopes: &'a mut [T],
    to: [&'a mut [T]; 2],
}

impl<T: Real> WithSimd for Backward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { of, width, numbers: [sums, means, gradient], pairs, slopes, to } = self;
        let ([of_rows, of_columns], c, padded) = (to, of.all.c, of.padded());
        let span = 2 + of.columns.start / SPAN;
        for (at, of_row) in of_rows.iter_mut().enumerate() {
            let row = &pairs[at * of.stride..][..padded];
            let terms = &mut slopes[at * padded..][..padded];
            let (mean, slope) = (&means[at * c..][..c], &gradient[at * c..][..c]);
            let dot = mean.iter().zip(slope).fold(T::ZERO, |sum, (&x, &g)| sum + x * g);
            // Of g_i · v_j - g_i · mean_i.
            terms.fill(T::ZERO - dot);
            for (axis, &g) in slope.iter().enumerate() {
                let (g, values) = (T::splat(simd, g), of.values(axis));
                let values = T::vectors::<S>(values);
                for (term, &value) in T::vectors_mut::<S>(terms).iter_mut().zip(values) {
                    *term = T::times_plus(simd, g, value, *term);
                }
            }
            let sums = &sums[at * width..][..width];
            let share = (sums[0] - sums[span]).to_f64().exp() / sums[1].to_f64();
            let factor = T::splat(simd, T::from_f64(-share));
            for (term, &pair) in T::vectors_mut::<S>(terms).iter_mut().zip(T::vectors::<S>(row)) {
                *term = T::times(simd, T::times(simd, factor, pair), *term);
            }
            *of_row = *of_row + tile::sum::<T, S>(simd, terms);
            for (sum, &x) in T::vectors_mut::<S>(of_columns).iter_mut().zip(T::vectors::<S>(terms))
            {
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

/// Replaces each distance of a row by `term / d`; 0 where the points are equal. A loop that the compiler makes vectors of.
#[inline(always)]
fn quotients<T: Real>(row: &mut [T], terms: &[T]) {
    for (d, &term) in row.iter_mut().zip(terms) {
        *d = if *d > T::ZERO { term / *d } else { T::ZERO };
    }
}
