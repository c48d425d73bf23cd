//! Log-sum-exps over pairs, and means under their terms.

use rayon::prelude::*;

use crate::exact::{Columns, Row};
use crate::fields::fields;
use crate::moments::{Moments, Scaled};
use crate::plan::PAIR;
use crate::points::{GroupPoints, Points};
use crate::sets::Group;
use crate::window::DIGITS;

/// The usual tolerance.
pub const TOLERANCE: f64 = 1e-8;

/// Isolated queries by which the time of all is predicted.
const SAMPLE: usize = 64;

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

/// Predicted times of one core in nanoseconds, by the series where this is faster and pair by pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// By the series, sets of few pairs exactly.
    pub series: f64,
    /// Pair by pair.
    pub pairs: f64,
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
    with_moments(points, Moments::None, Limits::SUMS).expect("any time will do").0
}

/// The log sums, and the means of values `[m, c]` under the weights `p_ij = exp(-||q_i - r_j||² - s_i)` of each query,
/// `[b, c]`; 0 for a query without references.
///
/// ```text
/// t_ic = Σ_j p_ij v_jc
/// ```
///
/// # Panics
/// As [`log_sums`], or if there are not as many values for each reference.
pub fn means(points: &Points<'_>, values: &[f64]) -> (LogSums, Vec<f64>) {
    let moments = Moments::Values(values, points.columns(values));
    with_moments(points, moments, Limits::MEANS).expect("any time will do")
}

/// What sums may be and take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The error of a sum by the series, as a part of the sum: others are formed again, exactly.
    pub relative: f64,
    /// Nanoseconds that the exact sums may take on one core.
    pub exact: f64,
}

impl Limits {
    const SUMS: Self = Self { relative: 1e-4, exact: f64::INFINITY };
    /// What is near to a mean leaves a difference of it.
    const MEANS: Self = Self { relative: 1e-6, exact: f64::INFINITY };
}

/// The log sums, and means `[b, c]` under their weights; `None` where the exact sums of isolated queries are predicted to
/// take longer than they may, and what the series took is in vain.
///
/// # Panics
/// As [`means`].
pub fn with_moments(
    points: &Points<'_>,
    moments: Moments<'_>,
    limits: Limits,
) -> Option<(LogSums, Vec<f64>)> {
    points.check();
    let (b, count) = (points.sets.queries(), moments.count());
    let scaled = match moments {
        Moments::Values(values, c) => {
            assert_eq!(values.len(), points.sets.references() * c, "{c} values a reference");
            Some(Scaled::new(values, c))
        }
        _ => None,
    };
    let moments = match &scaled {
        Some(scaled) => Moments::Values(&scaled.values, count),
        None => moments,
    };
    let mut found = LogSums { values: vec![0.0; b], digits: vec![0; b] };
    let mut means = vec![0.0; b * count];
    let groups = points.sets.groups.par_iter();
    let groups: Option<Vec<GroupSums>> =
        groups.map(|group| group_sums(points, group, moments, limits)).collect();
    for (group, sums) in points.sets.groups.iter().zip(groups?) {
        for (at, &query) in group.queries.iter().enumerate() {
            let query = query as usize;
            found.values[query] = sums.values[at];
            found.digits[query] = sums.digits[at];
            let means = &mut means[query * count..(query + 1) * count];
            means.copy_from_slice(&sums.means[at * count..(at + 1) * count]);
            if let Some(scaled) = scaled.as_ref().filter(|_| sums.values[at] != f64::NEG_INFINITY) {
                scaled.unscale(means);
            }
        }
    }
    Some((found, means))
}

struct GroupSums {
    values: Vec<f64>,
    /// `[b, c]`.
    means: Vec<f64>,
    digits: Vec<u8>,
}

fn group_sums(
    points: &Points<'_>,
    group: &Group,
    moments: Moments<'_>,
    limits: Limits,
) -> Option<GroupSums> {
    let (b, count, columns) = (group.queries.len(), moments.count(), moments.columns());
    let of_group = points.of_group(group);
    let mut found =
        GroupSums { values: vec![0.0; b], means: vec![0.0; b * count], digits: vec![0; b] };
    let digits = points.digits(group.references.len());
    if let Some(mut on_grid) = of_group.on_grid(digits, columns) {
        let mut fields = fields(&on_grid, group, moments, limits.relative);
        // More digits where that is predicted to spare more sums of isolated rows than it costs.
        let more = (digits + 2).min(DIGITS.1);
        let isolated = |bound: f64| fields.count_below(points, group, bound) as f64;
        let spared = isolated(fields.bound) - isolated(fields.bound * 10f64.powi(digits - more));
        if let Some((choice, cost)) = of_group.choose(more, columns)
            && spared * PAIR * group.references.len() as f64 > cost
        {
            on_grid = of_group.place(&choice);
            fields = crate::fields::fields(&on_grid, group, moments, limits.relative);
        }
        for at in 0..b {
            let own = points.own_term(group, at);
            let sum = fields.values[0][at] - own.term;
            if sum >= fields.bound {
                found.values[at] = sum.ln();
                found.digits[at] = on_grid.plan.digits as u8;
                for moment in 0..count {
                    let own = own.term * own.moment(&moments, group, moment);
                    let of_all = fields.values[1 + moment][at];
                    found.means[at * count + moment] = (of_all - own) / sum;
                }
            }
        }
    }
    exact_sums(points, group, &of_group, (moments, limits.exact), &mut found)?;
    Some(found)
}

/// The sums that are not there yet, if they take no more than so many nanoseconds.
fn exact_sums(
    points: &Points<'_>,
    group: &Group,
    of_group: &GroupPoints<'_>,
    (moments, most): (Moments<'_>, f64),
    found: &mut GroupSums,
) -> Option<()> {
    let missing: Vec<usize> =
        (0..group.queries.len()).filter(|&at| found.digits[at] == 0).collect();
    if missing.is_empty() {
        return Some(());
    }
    let (values, columns) = (moments.values(group), moments.columns());
    let row = |at: usize| points.row(group, group.queries[at] as usize, 0.0);
    let sources = Columns::new(points.k, of_group.references, missing.len(), (values, columns));
    if most.is_finite() {
        let some: Vec<usize> =
            missing.iter().copied().step_by(1 + missing.len() / SAMPLE).collect();
        let pairs: usize = some.iter().map(|&at| sources.count(&row(at))).sum();
        if PAIR * pairs as f64 * missing.len() as f64 > most * some.len() as f64 {
            return None;
        }
    }
    let none = vec![f64::NAN; moments.count()];
    let sums: Vec<(f64, Vec<f64>)> = missing
        .par_iter()
        .map(|&at| {
            if !of_group.bounds.is_finite && !of_group.references.is_empty() {
                return (f64::NAN, none.clone());
            }
            let [log_sum, square] = sources.log_sum(&row(at));
            let means = match moments {
                Moments::None => Vec::new(),
                Moments::Squares => vec![square],
                Moments::Values(..) => sources.means(&Row { log_sum, ..row(at) }),
            };
            (log_sum, means)
        })
        .collect();
    for (at, (sum, means)) in missing.into_iter().zip(sums) {
        found.values[at] = sum;
        let count = means.len();
        found.means[at * count..(at + 1) * count].copy_from_slice(&means);
    }
    Some(())
}

/// What sums with so many columns of values are predicted to take, and their gradient where it is asked for.
///
/// # Panics
/// As [`log_sums`].
pub fn cost(points: &Points<'_>, columns: usize, with_gradient: bool) -> Cost {
    points.check();
    let of_groups = points.sets.groups.iter().map(|group| {
        let of_group = points.of_group(group);
        let digits = points.digits(group.references.len());
        let work = |columns: usize| {
            of_group.choose(digits, columns).map_or(f64::INFINITY, |(_, cost)| cost)
        };
        let (mut series, mut pairs) = (work(columns), PAIR * of_group.pairs());
        if with_gradient {
            // Forwards a plane is transformed twice, backwards two are, three times.
            series += 1.5 * (1 + columns) as f64 * work(0);
            pairs *= 2.0;
        }
        Cost { series: series.min(pairs), pairs }
    });
    of_groups.fold(Cost::default(), |sum, cost| Cost {
        series: sum.series + cost.series,
        pairs: sum.pairs + cost.pairs,
    })
}
