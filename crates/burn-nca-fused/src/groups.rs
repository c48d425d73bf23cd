//! A sum per row and group of references: its logarithm.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::arch::arch;
use crate::pairs::{Differences, Pairs, Products};
use crate::unrolled::{OverDimensions, Unrolled};
use crate::walk::{OnRows, over_rows};
use crate::{Distance, NeighborSets, Real, forward, group_size};

/// See [`Number::log_sums_within`](crate::Number::log_sums_within).
pub(crate) fn log_sums<T: Real>(
    error: T,
    (queries, references, k): (&[T], &[T], usize),
    columns: &NeighborSets,
    ends: &[usize],
) -> Vec<T> {
    assert!(ends.is_sorted() && ends.last() == Some(&columns.references()), "groups: {ends:?}");
    let points = (queries, references, k);
    if ends.len() == 1 {
        let found = forward::statistics(Distance::SqEuclidean, points, error, &[], columns);
        let (least, logs) = found.split_at(columns.queries());
        return logs.iter().zip(least).map(|(&log, &least)| log - least).collect();
    }
    match Products::within(error, points) {
        Some(pairs) => run(&pairs, k, columns, ends),
        None => run(&Differences::new(queries, references, k), k, columns, ends),
    }
}

fn run<T: Real, P: Pairs<T>>(
    pairs: &P,
    k: usize,
    columns: &NeighborSets,
    ends: &[usize],
) -> Vec<T> {
    let arch = arch();
    let mut all = vec![T::INFINITY; columns.queries() * ends.len()];
    let size = group_size(columns.queries());
    let some_rows = all.par_chunks_mut(size * ends.len());
    some_rows.enumerate().for_each(|(at, least)| {
        let first = at * size;
        let sums = vec![0.0; least.len()];
        arch.dispatch(Unrolled(Rows {
            pairs,
            k,
            sums: Sums { columns, ends, first, least, sums },
        }));
    });
    all
}

struct Rows<'a, T, P> {
    pairs: &'a P,
    k: usize,
    sums: Sums<'a, T>,
}

impl<T: Real, P: Pairs<T>> OverDimensions for Rows<'_, T, P> {
    // Groups are small: their exponentials, one at a time, take longer than a few dimensions.
    const MANY: bool = true;

    fn dimensions(&self) -> usize {
        self.k
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, k: usize) {
        let Self { pairs, mut sums, .. } = self;
        let rows = sums.first..sums.first + sums.least.len() / sums.ends.len();
        over_rows(simd, (pairs, k), sums.columns, &rows, &mut sums);
        for (least, sum) in sums.least.iter_mut().zip(sums.sums) {
            *least = T::from_f64(sum.ln()) - *least;
        }
    }
}

/// The sums of the queries from `first` on, as far as they have come, each relative to its least distance:
/// `[rows, groups]`.
struct Sums<'a, T> {
    columns: &'a NeighborSets,
    ends: &'a [usize],
    first: usize,
    least: &'a mut [T],
    sums: Vec<f64>,
}

impl<T: Real> OnRows<T> for Sums<'_, T> {
    #[inline(always)]
    fn add<S: Simd>(&mut self, _: S, row: &mut [T], query: usize, part: &Range<usize>) {
        for out in self.columns.left_out(query, part) {
            row[out].fill(T::INFINITY);
        }
        let before = self.ends.partition_point(|end| *end <= part.start);
        let at = (query - self.first) * self.ends.len() + before;
        let mut start = part.start;
        let sums = self.least[at..].iter_mut().zip(&mut self.sums[at..]);
        for (&end, (least, sum)) in self.ends[before..].iter().zip(sums) {
            if start == part.end {
                break;
            }
            let end = end.min(part.end);
            add_some(&row[start - part.start..end - part.start], least, sum);
            start = end;
        }
    }
}

/// Adds distances to a sum that is relative to the least of them so far.
#[inline(always)]
fn add_some<T: Real>(some: &[T], least: &mut T, sum: &mut f64) {
    let low = some.iter().fold(T::INFINITY, |low, &d| if d < low { d } else { low });
    if low < *least {
        *sum *= (low.to_f64() - least.to_f64()).exp();
        *least = low;
    }
    // Where all is left out there is nothing to be relative to.
    if *least < T::INFINITY {
        *sum += some.iter().map(|&d| (*least - d).to_f64().exp()).sum::<f64>();
    }
}
