//! Two or three numbers per row: the least (squared) distance, the logarithm of the sum relative to it, and the entropy of its
//! terms.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::arch::arch;
use crate::pairs::{Differences, Pairs, Products};
use crate::tile;
use crate::unrolled::{OverDimensions, Unrolled};
use crate::walk::{OnRows, over_rows};
use crate::{Costs, Distance, NeighborSets, Real, group_size};

/// See [`Number::statistics_of`](crate::Number::statistics_of); squared distances may be off by `error`.
pub(crate) fn statistics<T: Real>(
    distance: Distance,
    (queries, references, k): (&[T], &[T], usize),
    error: T,
    costs: &[T],
    columns: &NeighborSets,
) -> Vec<T> {
    let b = columns.queries();
    let mut all = vec![T::ZERO; 2 * b];
    let (least, logs) = all.split_at_mut(b);
    let out = [least, logs, &mut []];
    match Products::within(error, (queries, references, k)) {
        Some(pairs) => run(distance, (&pairs, k), (costs, columns), out),
        None => {
            let pairs = Differences::new(queries, references, k);
            run(distance, (&pairs, k), (costs, columns), out);
        }
    }
    all
}

/// See [`Number::entropies`](crate::Number::entropies).
pub(crate) fn entropies<T: Real>(
    queries: &[T],
    references: &[T],
    k: usize,
    columns: &NeighborSets,
) -> Vec<T> {
    let b = columns.queries();
    let mut all = vec![T::ZERO; 3 * b];
    let (least, others) = all.split_at_mut(b);
    let (logs, entropies) = others.split_at_mut(b);
    let pairs = Differences::new(queries, references, k);
    run(Distance::SqEuclidean, (&pairs, k), (&[], columns), [least, logs, entropies]);
    all
}

/// Writes the numbers of all queries; entropies where there is room for them.
fn run<T: Real, P: Pairs<T>>(
    distance: Distance,
    (pairs, k): (&P, usize),
    (costs, columns): (&[T], &NeighborSets),
    [least, logs, entropies]: [&mut [T]; 3],
) {
    let arch = arch();
    let size = group_size(least.len());
    let mut entropies = entropies.chunks_mut(size);
    let groups: Vec<_> = least
        .chunks_mut(size)
        .zip(logs.chunks_mut(size))
        .map(|(least, logs)| (least, logs, entropies.next().unwrap_or_default()))
        .collect();
    groups.into_par_iter().enumerate().for_each(|(group, (least, logs, entropies))| {
        let rows = group * size..group * size + least.len();
        arch.dispatch(Unrolled(Group {
            pairs,
            k,
            distance,
            costs: Costs { values: costs, references: columns.references() },
            columns,
            rows,
            least,
            logs,
            entropies,
        }));
    });
}

/// The statistics of some queries.
struct Group<'a, T, P> {
    pairs: &'a P,
    k: usize,
    distance: Distance,
    costs: Costs<'a, T>,
    columns: &'a NeighborSets,
    rows: Range<usize>,
    least: &'a mut [T],
    logs: &'a mut [T],
    entropies: &'a mut [T],
}

/// The sum of a row's terms `exp(-t)` with `t = d - least`, and with the entropy that of `t exp(-t)`.
#[derive(Clone, Copy, Default)]
struct Sum {
    terms: f64,
    moment: f64,
}

impl<T: Real, P: Pairs<T>> OverDimensions for Group<'_, T, P> {
    const MANY: bool = P::MANY;

    fn dimensions(&self) -> usize {
        self.k
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, k: usize) {
        let Self { pairs, distance, costs, columns, rows, least, logs, entropies, .. } = self;
        least.fill(T::INFINITY);
        let sums = vec![Sum::default(); rows.len()];
        let with_moments = !entropies.is_empty();
        let mut work =
            Sums { distance, costs, columns, first: rows.start, least, sums, with_moments };
        over_rows(simd, (pairs, k), columns, &rows, &mut work);
        let sums = work.sums;
        for (log, sum) in logs.iter_mut().zip(&sums) {
            *log = T::from_f64(f64::ln(sum.terms));
        }
        for (entropy, Sum { terms, moment }) in entropies.iter_mut().zip(&sums) {
            *entropy = T::from_f64(if *terms > 0.0 { terms.ln() + moment / terms } else { 0.0 });
        }
    }
}

/// The sums of the queries from `first` on, as far as they have come.
struct Sums<'a, T> {
    distance: Distance,
    costs: Costs<'a, T>,
    columns: &'a NeighborSets,
    first: usize,
    least: &'a mut [T],
    sums: Vec<Sum>,
    with_moments: bool,
}

impl<T: Real> OnRows<T> for Sums<'_, T> {
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, row: &mut [T], query: usize, part: &Range<usize>) {
        if self.distance == Distance::Euclidean {
            tile::roots(row);
        }
        self.costs.add_to(row, query, part);
        for out in self.columns.left_out(query, part) {
            row[out].fill(T::INFINITY);
        }
        let at = query - self.first;
        add_row(simd, row, &mut self.least[at], &mut self.sums[at], self.with_moments);
    }
}

/// Adds a row of distances to a sum that is relative to the least of them so far.
#[inline(always)]
fn add_row<T: Real, S: Simd>(simd: S, row: &[T], least: &mut T, sum: &mut Sum, with_moment: bool) {
    let low = tile::least::<T, S>(simd, row);
    if low < *least {
        if sum.terms > 0.0 {
            let nearer = least.to_f64() - low.to_f64();
            sum.moment = (sum.moment + nearer * sum.terms) * (-nearer).exp();
            sum.terms *= (-nearer).exp();
        }
        *least = low;
    }
    // Where all is left out there is nothing to be relative to; where all is far there is nothing to add.
    let far = low - *least > T::FAR;
    if *least < T::INFINITY && !far {
        if with_moment {
            let [terms, moment] = tile::sums_of_exp::<T, S>(simd, row, *least);
            sum.terms += terms.to_f64();
            sum.moment += moment.to_f64();
        } else {
            sum.terms += tile::sum_of_exp::<T, S>(simd, row, *least).to_f64();
        }
    }
}
