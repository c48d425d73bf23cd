//! Two or three numbers per row: the least (squared) distance, the logarithm of the sum relative to it, and the entropy of its
//! terms.

use core::ops::Range;

use pulp::Simd;

use crate::pairs::{Differences, Pairs, Products};
use crate::tile;
use crate::walk::{OnRows, over_rows};
use crate::{Costs, Distance, NeighborSets, Real};

pub(crate) fn statistics<T: Real>(
    queries: &[T],
    references: &[T],
    k: usize,
    columns: &NeighborSets,
) -> Vec<T> {
    statistics_of(Distance::SqEuclidean, (queries, references, k), &[], columns)
}

pub(crate) fn statistics_of<T: Real>(
    distance: Distance,
    points: (&[T], &[T], usize),
    costs: &[T],
    columns: &NeighborSets,
) -> Vec<T> {
    let costs = Costs { values: costs, references: columns.references() };
    let rows = Rows { distance, costs, ..Rows::squared(columns, false) };
    run((&Differences::new(points), points.2), rows)
}

/// The statistics of squared distances that may be off by `error`.
pub(crate) fn statistics_within<T: Real>(
    error: T,
    points: (&[T], &[T], usize),
    columns: &NeighborSets,
) -> Vec<T> {
    match Products::within(error, points) {
        Some(pairs) => run((&pairs, points.2), Rows::squared(columns, false)),
        None => run((&Differences::new(points), points.2), Rows::squared(columns, false)),
    }
}

pub(crate) fn entropies<T: Real>(
    queries: &[T],
    references: &[T],
    k: usize,
    columns: &NeighborSets,
) -> Vec<T> {
    let pairs = Differences::new((queries, references, k));
    run((&pairs, k), Rows::squared(columns, true))
}

/// What is summed of each row; with the moments, whose entropies are asked for.
#[derive(Clone, Copy)]
struct Rows<'a, T> {
    distance: Distance,
    costs: Costs<'a, T>,
    columns: &'a NeighborSets,
    with_moments: bool,
}

impl<'a, T> Rows<'a, T> {
    fn squared(columns: &'a NeighborSets, with_moments: bool) -> Self {
        let costs = Costs { values: &[], references: columns.references() };
        Self { distance: Distance::SqEuclidean, costs, columns, with_moments }
    }
}

/// The numbers of all queries: `[2, b]`, with entropies `[3, b]`.
fn run<T: Real, P: Pairs<Number = T>>(pairs: (&P, usize), of: Rows<'_, T>) -> Vec<T> {
    let beginning = |rows: &Range<usize>| Sums {
        of,
        first: rows.start,
        least: vec![T::INFINITY; rows.len()],
        sums: vec![Sum::default(); rows.len()],
    };
    let found = over_rows(pairs, of.columns, beginning, Sums::numbers);
    (0..3).flat_map(|at| found.iter().flat_map(move |part| &part[at])).copied().collect()
}

/// The sum of a row's terms `exp(-t)` with `t = d - least`, and with the entropy that of `t exp(-t)`.
#[derive(Clone, Copy, Default)]
struct Sum {
    terms: f64,
    moment: f64,
}

impl Sum {
    fn entropy(&self) -> f64 {
        if self.terms > 0.0 { self.terms.ln() + self.moment / self.terms } else { 0.0 }
    }
}

/// The sums of the queries from `first` on, as far as they have come.
struct Sums<'a, T> {
    of: Rows<'a, T>,
    first: usize,
    least: Vec<T>,
    sums: Vec<Sum>,
}

impl<T: Real> Sums<'_, T> {
    fn numbers(self) -> [Vec<T>; 3] {
        let logs = self.sums.iter().map(|sum| T::from_f64(sum.terms.ln())).collect();
        let entropies = self.sums.iter().map(|sum| T::from_f64(sum.entropy()));
        let entropies = if self.of.with_moments { entropies.collect() } else { Vec::new() };
        [self.least, logs, entropies]
    }
}

impl<T: Real> OnRows<T> for Sums<'_, T> {
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, row: &mut [T], query: usize, part: &Range<usize>) {
        if self.of.distance == Distance::Euclidean {
            tile::roots(row);
        }
        self.of.costs.add_to(row, query, part);
        for out in self.of.columns.left_out(query, part) {
            row[out].fill(T::INFINITY);
        }
        let at = query - self.first;
        add_row(simd, row, &mut self.least[at], &mut self.sums[at], self.of.with_moments);
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
