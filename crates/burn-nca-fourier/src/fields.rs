//! The series at the queries of one group.

use crate::grid::{interpolate, spread};
use crate::moments::Moments;
use crate::points::{OnGrid, Points};
use crate::series::{VALUE, WITH_SQUARES, convolve};
use crate::sets::Group;

/// Sums at the queries, and what they must not be below.
pub(crate) struct Fields {
    pub(crate) values: Vec<Vec<f64>>,
    pub(crate) bound: f64,
}

/// With the bound below which the error of a sum is not below this part of it.
pub(crate) fn fields(
    on_grid: &OnGrid,
    group: &Group,
    moments: Moments<'_>,
    relative: f64,
) -> Fields {
    let (plan, references) = (&on_grid.plan, on_grid.references());
    let ones = vec![1.0; group.references.len()];
    let (values, columns) = (moments.values(group), moments.columns());
    let column = |column: usize| values.iter().skip(column).step_by(columns).copied().collect();
    let columns: Vec<Vec<f64>> = (0..columns).map(column).collect();
    let planes: Vec<&[f64]> =
        [ones.as_slice()].into_iter().chain(columns.iter().map(Vec::as_slice)).collect();
    let mut fields = Fields { values: Vec::new(), bound: 0.0 };
    for (at, charges) in planes.chunks(2).enumerate() {
        let grid = spread(plan, references, charges);
        if at == 0 {
            let rows = grid.values.chunks(plan.shape()[0]).step_by(grid.planes);
            let squares: f64 = rows.flatten().map(|u| u * u).sum();
            let of_one = plan.window.sum_of_squares().powi(plan.k as i32);
            let error = 10f64.powi(-plan.digits) * (squares / of_one).sqrt();
            fields.bound = error / relative;
        }
        let (factor, kept) = match moments {
            Moments::Squares => (WITH_SQUARES[plan.k - 1], 2),
            _ => (VALUE, charges.len()),
        };
        let grid = convolve(plan, &grid, &[factor], kept);
        fields.values.extend(interpolate(plan, on_grid.queries(), &grid));
    }
    fields
}

impl Fields {
    pub(crate) fn count_below(&self, points: &Points<'_>, group: &Group, bound: f64) -> usize {
        let rows = 0..group.queries.len();
        rows.filter(|&at| self.values[0][at] - points.own_term(group, at).term < bound).count()
    }
}

/// What a query leaves out of its sum.
pub(crate) struct OwnTerm {
    place: usize,
    sq_distance: f64,
    /// 0 where it leaves out nothing.
    pub(crate) term: f64,
}

impl OwnTerm {
    pub(crate) fn moment(&self, moments: &Moments<'_>, group: &Group, at: usize) -> f64 {
        match moments {
            Moments::Squares => self.sq_distance,
            _ => moments.values(group)[self.place * moments.columns() + at],
        }
    }
}

impl Points<'_> {
    pub(crate) fn own_term(&self, group: &Group, at: usize) -> OwnTerm {
        let (k, query) = (self.k, group.queries[at] as usize);
        let Some(place) = self.sets.own_place(group, query) else {
            return OwnTerm { place: 0, sq_distance: 0.0, term: 0.0 };
        };
        let reference = &self.references[(group.references.start + place) * k..][..k];
        let query = &self.queries[query * k..][..k];
        let sq_distance = query.iter().zip(reference).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        OwnTerm { place, sq_distance, term: (-sq_distance).exp() }
    }
}
