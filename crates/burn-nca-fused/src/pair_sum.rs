//! Sums of a function of the distance over pairs: the hinge between near points, and the distance itself.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::arch::arch;
use crate::pairs::Differences;
use crate::tile;
use crate::unrolled::{OverDimensions, Unrolled};
use crate::walk::{OnRows, over_rows};
use crate::{NeighborSets, Real, group_size};

/// What is summed over pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summand {
    /// `max(0, 1 - ||q_i - r_j||²)²`, which ends at distance 1.
    Hinge,
    /// `||q_i - r_j||`.
    Euclidean,
}

/// See [`Number::sums`](crate::Number::sums).
pub(crate) fn sums<T: Real>(
    summand: Summand,
    (queries, references, k): (&[T], &[T], usize),
    columns: &NeighborSets,
) -> Vec<T> {
    let b = columns.queries();
    let pairs = Differences::new(queries, references, k);
    let mut sums = vec![T::ZERO; b];
    let (arch, size) = (arch(), group_size(b));
    sums.par_chunks_mut(size).enumerate().for_each(|(group, sums)| {
        let rows = group * size..group * size + sums.len();
        let group = Group { pairs: &pairs, k, summand, columns, rows, sums };
        arch.dispatch(Unrolled(group));
    });
    sums
}

/// The sums of some queries.
struct Group<'a, T> {
    pairs: &'a Differences<T>,
    k: usize,
    summand: Summand,
    columns: &'a NeighborSets,
    rows: Range<usize>,
    sums: &'a mut [T],
}

impl<T: Real> OverDimensions for Group<'_, T> {
    fn dimensions(&self) -> usize {
        self.k
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, k: usize) {
        let Self { pairs, summand, columns, rows, sums, .. } = self;
        let exact = vec![0.0; rows.len()];
        let mut work = Sums { summand, columns, first: rows.start, exact };
        over_rows(simd, (pairs, k), columns, &rows, &mut work);
        for (sum, exact) in sums.iter_mut().zip(work.exact) {
            *sum = T::from_f64(exact);
        }
    }
}

/// The sums of the queries from `first` on, as far as they have come.
struct Sums<'a> {
    summand: Summand,
    columns: &'a NeighborSets,
    first: usize,
    exact: Vec<f64>,
}

impl<T: Real> OnRows<T> for Sums<'_> {
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, row: &mut [T], query: usize, part: &Range<usize>) {
        // What adds nothing.
        let nothing = if self.summand == Summand::Hinge { T::INFINITY } else { T::ZERO };
        for out in self.columns.left_out(query, part) {
            row[out].fill(nothing);
        }
        let sum = match self.summand {
            Summand::Hinge => tile::sum_of_hinge::<T, S>(simd, row),
            Summand::Euclidean => {
                tile::roots(row);
                tile::sum::<T, S>(simd, row)
            }
        };
        self.exact[query - self.first] += sum.to_f64();
    }
}
