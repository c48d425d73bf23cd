//! Sums of a function of the distance over pairs: the hinge between near points, and the distance itself.

use core::ops::Range;

use pulp::Simd;

use crate::pairs::Differences;
use crate::tile;
use crate::walk::{OnRows, over_rows};
use crate::{NeighborSets, Real};

/// What is summed over pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summand {
    /// `max(0, 1 - ||q_i - r_j||²)²`, which ends at distance 1.
    Hinge,
    /// `||q_i - r_j||`.
    Euclidean,
}

pub(crate) fn sums<T: Real>(
    summand: Summand,
    points: (&[T], &[T], usize),
    columns: &NeighborSets,
) -> Vec<T> {
    let beginning = |rows: &Range<usize>| Sums {
        summand,
        columns,
        first: rows.start,
        exact: vec![0.0; rows.len()],
    };
    let sums = |of_group: Sums<'_>| of_group.exact.into_iter().map(T::from_f64).collect();
    let found: Vec<Vec<T>> =
        over_rows((&Differences::new(points), points.2), columns, beginning, sums);
    found.concat()
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
