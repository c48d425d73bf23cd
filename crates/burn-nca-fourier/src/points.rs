//! Points, and those of a group on a grid.

use crate::exact::Row;
use crate::placed::Placed;
use crate::plan::{Bounds, Choice, PAIR, Plan, Work};
use crate::sets::{Group, Sets};
use crate::window::DIGITS;

/// Queries and references in one or two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    /// `[b, k]`.
    pub queries: &'a [f64],
    /// `[m, k]`.
    pub references: &'a [f64],
    /// Number of dimensions, 1 or 2.
    pub k: usize,
    /// Which references each query sums over.
    pub sets: &'a Sets,
    /// The error of a sum over points of which no two are near to each other, in units of the largest term; from 1e-4
    /// to 1e-13 it has an effect.
    ///
    /// ```text
    /// ε = tolerance / √m          of each term, relative to the kernel's largest value 1
    /// ε √(Σ_l u_l²) <= ε m        of a sum; u_l is the number of references near each grid point
    /// ```
    pub tolerance: f64,
}

impl Points<'_> {
    pub(crate) fn check(&self) {
        let Self { queries, references, k, sets, tolerance } = self;
        assert!(matches!(k, 1 | 2), "the Fourier series is for 1 or 2 dimensions, got {k}");
        for (points, count) in [(queries, sets.queries()), (references, sets.references())] {
            assert_eq!(points.len(), count * k, "{count} points of {k} coordinates");
        }
        assert!(*tolerance > 0.0, "the tolerance must be positive, got {tolerance}");
    }

    pub(crate) fn columns(&self, values: &[f64]) -> usize {
        let m = self.sets.references();
        let columns = values.len() / m.max(1);
        assert_eq!(values.len(), m * columns, "as many values for each of {m} references");
        columns
    }

    /// The coordinates of a group's queries and references.
    pub(crate) fn of_group(&self, group: &Group) -> GroupPoints<'_> {
        let Self { k, .. } = *self;
        let references = &self.references[group.references.start * k..group.references.end * k];
        let queries = group.queries.iter().map(|&query| query as usize);
        let queries: Vec<f64> =
            queries.flat_map(|query| &self.queries[query * k..(query + 1) * k]).copied().collect();
        let among_themselves = queries == references;
        let bounds = Bounds::of(k, &[&queries, references]);
        GroupPoints { k, queries, references, among_themselves, bounds }
    }

    /// Digits of the series for sums over this many references.
    pub(crate) fn digits(&self, references: usize) -> i32 {
        let digits = 0.5 * (references.max(1) as f64).log10() - self.tolerance.log10();
        (digits - 1e-9).ceil().clamp(f64::from(DIGITS.0), f64::from(DIGITS.1)) as i32
    }

    pub(crate) fn row(&self, group: &Group, query: usize, log_sum: f64) -> Row {
        let mut at = [0.0; 2];
        at[..self.k].copy_from_slice(&self.queries[query * self.k..(query + 1) * self.k]);
        Row { at, log_sum, own: self.sets.own_place(group, query) }
    }
}

pub(crate) struct GroupPoints<'a> {
    k: usize,
    queries: Vec<f64>,
    pub(crate) references: &'a [f64],
    /// Whether the queries are the references, in the same order.
    among_themselves: bool,
    pub(crate) bounds: Bounds,
}

pub(crate) struct OnGrid {
    pub(crate) plan: Plan,
    references: Placed,
    /// None where the queries are the references.
    pub(crate) queries: Option<Placed>,
}

impl GroupPoints<'_> {
    pub(crate) fn pairs(&self) -> f64 {
        (self.queries.len() / self.k) as f64 * (self.references.len() / self.k) as f64
    }

    /// The grid for some digits, where it is predicted to be faster than the pairs.
    pub(crate) fn on_grid(&self, digits: i32, columns: usize) -> Option<OnGrid> {
        let (choice, cost) = self.choose(digits, columns)?;
        (cost <= PAIR * self.pairs()).then(|| self.place(&choice))
    }

    /// The cheapest grid for some digits, see [`Plan::choose`]: of the kernel and of columns of values, two planes at a time.
    pub(crate) fn choose(&self, digits: i32, columns: usize) -> Option<(Choice, f64)> {
        let points = (self.queries.len() + self.references.len()) / self.k;
        let passes = 1 + columns / 2;
        let work = Work { point_passes: points * passes, transforms: 2 * passes };
        Plan::choose(self.k, &self.bounds, work, digits)
    }

    pub(crate) fn place(&self, choice: &Choice) -> OnGrid {
        let plan = Plan::new(self.k, &self.bounds, choice);
        let references = Placed::new(&plan, self.references);
        let queries = (!self.among_themselves).then(|| Placed::new(&plan, &self.queries));
        OnGrid { plan, references, queries }
    }
}

impl OnGrid {
    pub(crate) fn queries(&self) -> &Placed {
        self.queries.as_ref().unwrap_or(&self.references)
    }

    pub(crate) fn references(&self) -> &Placed {
        &self.references
    }
}
