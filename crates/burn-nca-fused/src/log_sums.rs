//! A sum per row and group of references: its logarithm.

use core::ops::Range;

use pulp::Simd;

use crate::pairs::{Differences, Pairs, Products};
use crate::walk::{OnRows, over_rows};
use crate::{NeighborSets, Real, forward};

pub(crate) fn log_sums<T: Real>(
    error: T,
    points: (&[T], &[T], usize),
    columns: &NeighborSets,
    ends: &[usize],
) -> Vec<T> {
    assert!(ends.is_sorted() && ends.last() == Some(&columns.references()), "groups: {ends:?}");
    if ends.len() == 1 {
        let found = forward::statistics_within(error, points, columns);
        let (least, logs) = found.split_at(columns.queries());
        return logs.iter().zip(least).map(|(&log, &least)| log - least).collect();
    }
    match Products::within(error, points) {
        Some(pairs) => run((&pairs, points.2), columns, ends),
        None => run((&Differences::new(points), points.2), columns, ends),
    }
}

fn run<P: Pairs>(pairs: (&P, usize), columns: &NeighborSets, ends: &[usize]) -> Vec<P::Number> {
    let beginning = |rows: &Range<usize>| {
        let count = rows.len() * ends.len();
        let least = vec![P::Number::INFINITY; count];
        Sums { columns, ends, first: rows.start, least, sums: vec![0.0; count] }
    };
    over_rows(pairs, columns, beginning, Sums::log_sums).concat()
}

/// The sums of the queries from `first` on, as far as they have come, each relative to its least distance:
/// `[rows, groups]`.
struct Sums<'a, T> {
    columns: &'a NeighborSets,
    ends: &'a [usize],
    first: usize,
    least: Vec<T>,
    sums: Vec<f64>,
}

impl<T: Real> Sums<'_, T> {
    fn log_sums(mut self) -> Vec<T> {
        for (least, sum) in self.least.iter_mut().zip(self.sums) {
            *least = T::from_f64(sum.ln()) - *least;
        }
        self.least
    }
}

impl<T: Real> OnRows<T> for Sums<'_, T> {
    // Groups are small: their exponentials, one at a time, take longer than a few dimensions.
    const MANY: bool = true;

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
