//! Log-sum-exps over pairs.

use rayon::prelude::*;

use crate::exact::{Columns, Row};
use crate::grid::{interpolate, spread};
use crate::placed::Placed;
use crate::plan::{Bounds, PAIR, Plan, Work};
use crate::series::{VALUE, WITH_SQUARES, convolve};
use crate::sets::{Group, Sets};
use crate::window::DIGITS;

/// The usual tolerance.
pub const TOLERANCE: f64 = 1e-8;

/// Sums below this multiple of their error are formed again, exactly.
const ISOLATED: f64 = 1e4;

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

/// What [`log_sums`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct LogSums {
    /// `s_i`, `[b]`; -∞ for a query without references.
    pub values: Vec<f64>,
    /// Decimal digits of the series that the sum of a query is from, `[b]`; 0 where it was formed exactly.
    pub digits: Vec<u8>,
}

impl LogSums {
    /// Number of queries whose sums were formed exactly, pair by pair.
    pub fn exact(&self) -> usize {
        self.digits.iter().filter(|digits| **digits == 0).count()
    }
}

/// Predicted times of one core in nanoseconds, for values and gradient, by the series where this is faster and pair by pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// By the series, sets of few pairs exactly.
    pub series: f64,
    /// Pair by pair.
    pub pairs: f64,
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
    fn digits(&self, references: usize) -> i32 {
        let digits = 0.5 * (references.max(1) as f64).log10() - self.tolerance.log10();
        (digits - 1e-9).ceil().clamp(f64::from(DIGITS.0), f64::from(DIGITS.1)) as i32
    }

    pub(crate) fn row(&self, group: &Group, query: usize, log_sum: f64) -> Row {
        let mut at = [0.0; 2];
        at[..self.k].copy_from_slice(&self.queries[query * self.k..(query + 1) * self.k]);
        Row { at, log_sum, own: self.sets.own_place(group, query) }
    }
}

/// The points of one group.
pub(crate) struct GroupPoints<'a> {
    k: usize,
    queries: Vec<f64>,
    pub(crate) references: &'a [f64],
    /// Whether the queries are the references, in the same order.
    among_themselves: bool,
    pub(crate) bounds: Bounds,
}

/// Points of a group on a grid.
pub(crate) struct OnGrid {
    pub(crate) plan: Plan,
    references: Placed,
    /// None where the queries are the references.
    pub(crate) queries: Option<Placed>,
}

impl GroupPoints<'_> {
    fn pairs(&self) -> f64 {
        (self.queries.len() / self.k) as f64 * (self.references.len() / self.k) as f64
    }

    /// The grid for some digits, where it is predicted to be faster than the pairs.
    pub(crate) fn on_grid(&self, digits: i32) -> Option<OnGrid> {
        let (choice, cost) = Plan::choose(self.k, &self.bounds, self.work(), digits)?;
        if cost > PAIR * self.pairs() {
            return None;
        }
        Some(self.place(Plan::new(self.k, &self.bounds, &choice)))
    }

    pub(crate) fn work(&self) -> Work {
        let points = (self.queries.len() + self.references.len()) / self.k;
        Work { point_passes: points, transforms: 2 }
    }

    pub(crate) fn place(&self, plan: Plan) -> OnGrid {
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

/// `log Σ_j exp(-||q_i - r_j||²)` of each query.
///
/// A query that is not finite, or has such a reference, may make all sums of its set not a number.
///
/// # Panics
/// If the points have not 1 or 2 dimensions, their numbers are not those of the sets, or the tolerance is not positive.
///
/// # Examples
/// ```
/// use burn_nca_fourier::{Points, Sets, TOLERANCE, log_sums};
///
/// let z = [0.0, 1.0, 3.0];
/// let sets = Sets::all(3, 3, Some(0));
/// let points = Points { queries: &z, references: &z, k: 1, sets: &sets, tolerance: TOLERANCE };
/// let expected = ((-1.0f64).exp() + (-9.0f64).exp()).ln();
/// assert!((log_sums(&points).values[0] - expected).abs() < 1e-12);
/// ```
pub fn log_sums(points: &Points<'_>) -> LogSums {
    with_moments::<1>(points).0
}

/// The log sums, and the entropies in nats of the weights `p_ij = exp(-||q_i - r_j||² - s_i)` of each query; 0 for a query
/// without references.
///
/// ```text
/// H_i = -Σ_j p_ij log p_ij = s_i + Σ_j p_ij ||q_i - r_j||²
/// ```
///
/// # Panics
/// As [`log_sums`].
pub fn entropies(points: &Points<'_>) -> (LogSums, Vec<f64>) {
    let (sums, moments) = with_moments::<2>(points);
    let entropy =
        |(log_sum, moment): (&f64, f64)| if log_sum.is_infinite() { 0.0 } else { log_sum + moment };
    let entropies = sums.values.iter().zip(moments).map(entropy).collect();
    (sums, entropies)
}

/// The log sums, and where `COUNT` is 2 the means of the squared distances.
fn with_moments<const COUNT: usize>(points: &Points<'_>) -> (LogSums, Vec<f64>) {
    points.check();
    let b = points.sets.queries();
    let mut found = LogSums { values: vec![0.0; b], digits: vec![0; b] };
    let mut moments = vec![0.0; b];
    let groups: Vec<GroupSums> =
        points.sets.groups.par_iter().map(|group| group_sums::<COUNT>(points, group)).collect();
    for (group, sums) in points.sets.groups.iter().zip(groups) {
        for (at, &query) in group.queries.iter().enumerate() {
            let query = query as usize;
            found.values[query] = sums.values[at];
            found.digits[query] = sums.digits[at];
            moments[query] = sums.moments.get(at).copied().unwrap_or(0.0);
        }
    }
    (found, moments)
}

/// What is found of one group.
struct GroupSums {
    values: Vec<f64>,
    moments: Vec<f64>,
    digits: Vec<u8>,
}

fn group_sums<const COUNT: usize>(points: &Points<'_>, group: &Group) -> GroupSums {
    let b = group.queries.len();
    let of_group = points.of_group(group);
    let mut found = GroupSums { values: vec![0.0; b], moments: Vec::new(), digits: vec![0; b] };
    let digits = points.digits(group.references.len());
    if let Some(mut on_grid) = of_group.on_grid(digits) {
        let mut fields = fields::<COUNT>(&on_grid, group);
        // More digits where that is predicted to spare more sums of isolated rows than it costs.
        let more = (digits + 2).min(DIGITS.1);
        let isolated = |bound: f64| fields.count_below(points, group, bound) as f64;
        let spared = isolated(fields.bound) - isolated(fields.bound * 10f64.powi(digits - more));
        let choice = Plan::choose(points.k, &of_group.bounds, of_group.work(), more);
        if let Some((choice, cost)) = choice
            && spared * PAIR * group.references.len() as f64 > cost
        {
            on_grid = of_group.place(Plan::new(points.k, &of_group.bounds, &choice));
            fields = self::fields::<COUNT>(&on_grid, group);
        }
        found.moments = vec![0.0; if COUNT == 1 { 0 } else { b }];
        for at in 0..b {
            let sum = fields.sum(points, group, at);
            if sum >= fields.bound {
                found.values[at] = sum.ln();
                found.digits[at] = on_grid.plan.digits as u8;
                if COUNT == 2 {
                    found.moments[at] = fields.values[1][at] / sum;
                }
            }
        }
    }
    exact_sums(points, group, &of_group, &mut found);
    found
}

/// The sums that are not there yet.
fn exact_sums(
    points: &Points<'_>,
    group: &Group,
    of_group: &GroupPoints<'_>,
    found: &mut GroupSums,
) {
    let missing: Vec<usize> =
        (0..group.queries.len()).filter(|&at| found.digits[at] == 0).collect();
    if missing.is_empty() {
        return;
    }
    let columns = Columns::new(points.k, of_group.references);
    let sums: Vec<[f64; 2]> = missing
        .par_iter()
        .map(|&at| {
            if !of_group.bounds.is_finite && !of_group.references.is_empty() {
                return [f64::NAN; 2];
            }
            let row = points.row(group, group.queries[at] as usize, 0.0);
            columns.log_sum(row.at, row.own)
        })
        .collect();
    found.moments.resize(group.queries.len(), 0.0);
    for (at, [sum, moment]) in missing.into_iter().zip(sums) {
        (found.values[at], found.moments[at]) = (sum, moment);
    }
}

/// Sums at the queries, and what they must not be below.
struct Fields {
    values: Vec<Vec<f64>>,
    bound: f64,
}

fn fields<const COUNT: usize>(on_grid: &OnGrid, group: &Group) -> Fields {
    let OnGrid { plan, references, .. } = on_grid;
    let ones = vec![1.0; group.references.len()];
    let grid = spread(plan, references, &[&ones]);
    let squares: f64 = grid.values.iter().map(|u| u * u).sum();
    let of_one = plan.window.sum_of_squares().powi(plan.k as i32);
    let error = 10f64.powi(-plan.digits) * (squares / of_one).sqrt();
    let factor = if COUNT == 1 { VALUE } else { WITH_SQUARES[plan.k - 1] };
    let grid = convolve(plan, &grid, &[factor], COUNT);
    Fields { values: interpolate(plan, on_grid.queries(), &grid), bound: ISOLATED * error }
}

impl Fields {
    /// The sum of a query without itself.
    fn sum(&self, points: &Points<'_>, group: &Group, at: usize) -> f64 {
        let own = points.sets.own_place(group, group.queries[at] as usize);
        self.values[0][at] - f64::from(u8::from(own.is_some()))
    }

    fn count_below(&self, points: &Points<'_>, group: &Group, bound: f64) -> usize {
        let rows = 0..group.queries.len();
        rows.filter(|&at| self.sum(points, group, at) < bound).count()
    }
}

/// What value and gradient are predicted to take.
///
/// # Panics
/// As [`log_sums`].
pub fn cost(points: &Points<'_>) -> Cost {
    points.check();
    let of_groups = points.sets.groups.iter().map(|group| {
        let of_group = points.of_group(group);
        let digits = points.digits(group.references.len());
        let choice = Plan::choose(points.k, &of_group.bounds, of_group.work(), digits);
        let pairs = PAIR * of_group.pairs();
        // Forwards one plane is transformed twice, backwards two are, three times.
        let series = choice.map_or(f64::INFINITY, |(_, cost)| 2.5 * cost);
        Cost { series: series.min(2.0 * pairs), pairs: 2.0 * pairs }
    });
    of_groups.fold(Cost::default(), |sum, cost| Cost {
        series: sum.series + cost.series,
        pairs: sum.pairs + cost.pairs,
    })
}
