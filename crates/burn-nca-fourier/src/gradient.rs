//! The gradients of log-sum-exps and of means over pairs.

use rayon::prelude::*;

use crate::exact::{Columns, Factors, Row};
use crate::grid::{Grid, interpolate, spread, spread_onto};
use crate::moments::Scaled;
use crate::points::{OnGrid, Points};
use crate::series::{BY_X, BY_Y, convolve};
use crate::sets::Group;
use crate::sums::LogSums;

/// The gradients by the queries `[b, k]` and by the references `[m, k]` of `Σ_i g_i s_i`, with the log sums s that
/// [`log_sums`](crate::log_sums) found of the same points.
///
/// ```text
/// dq_i = -2 g_i Σ_j p_ij (q_i - r_j),   dr_j = 2 Σ_i g_i p_ij (q_i - r_j),   p_ij = exp(-||q_i - r_j||² - s_i)
/// ```
/// Of points that are both, the gradient is the sum of the two.
///
/// # Panics
/// As [`log_sums`](crate::log_sums), or if there is not one number g for each query.
pub fn log_sums_gradient(points: &Points<'_>, sums: &LogSums, gradient: &[f64]) -> [Vec<f64>; 2] {
    points.check();
    assert_eq!(gradient.len(), points.sets.queries(), "one gradient for each query");
    points_gradient(
        points,
        sums,
        &PairFactors { constant: gradient, slopes: &[], values: &[], c: 0 },
    )
}

/// The gradients by the queries `[b, k]` and by the references `[m, k]` of `Σ_ic g_ic t_ic`, with the means t `[b, c]` of
/// values v `[m, c]` and the log sums that [`means`](crate::means) found of the same points.
///
/// ```text
/// dq_i = -2 Σ_j p_ij f_ij (q_i - r_j),   dr_j = 2 Σ_i p_ij f_ij (q_i - r_j),   f_ij = Σ_c g_ic (v_jc - t_ic)
/// ```
///
/// # Panics
/// As [`means`](crate::means), or if there is not a gradient for each mean.
pub fn means_gradient(
    points: &Points<'_>,
    values: &[f64],
    (sums, means): (&LogSums, &[f64]),
    gradient: &[f64],
) -> [Vec<f64>; 2] {
    points.check();
    let c = points.columns(values);
    assert_eq!(gradient.len(), points.sets.queries() * c, "one gradient for each mean");
    assert_eq!(means.len(), gradient.len(), "one mean for each gradient");
    let scaled = Scaled::new(values, c);
    let slopes: Vec<f64> = gradient.chunks(c).flat_map(|row| scaled.slopes(row)).collect();
    let of_means = slopes.chunks(c).zip(means.chunks(c));
    let constant: Vec<f64> = of_means
        .map(|(slopes, means)| {
            let means = scaled.scale(means);
            -slopes.iter().zip(means).map(|(slope, mean)| slope * mean).sum::<f64>()
        })
        .collect();
    let factors = PairFactors { constant: &constant, slopes: &slopes, values: &scaled.values, c };
    points_gradient(points, sums, &factors)
}

/// Factors of all pairs, `f_ij = a_i + Σ_c b_ic v_jc`.
struct PairFactors<'a> {
    /// `[b]`.
    constant: &'a [f64],
    /// `[b, c]`.
    slopes: &'a [f64],
    /// `[m, c]`.
    values: &'a [f64],
    c: usize,
}

impl PairFactors<'_> {
    fn of(&self, query: usize) -> Factors<'_> {
        let slopes = &self.slopes[query * self.c..(query + 1) * self.c];
        Factors { constant: self.constant[query], slopes }
    }
}

/// The gradient of `Σ_ij p_ij f_ij` by the exponents alone, see [`Columns::gradients`].
fn points_gradient(
    points: &Points<'_>,
    sums: &LogSums,
    factors: &PairFactors<'_>,
) -> [Vec<f64>; 2] {
    let (k, sets) = (points.k, points.sets);
    let mut of_queries = vec![0.0; points.queries.len()];
    let mut of_references = vec![0.0; points.references.len()];
    let of_groups: Vec<[Vec<[f64; 2]>; 2]> =
        sets.groups.par_iter().map(|group| group_gradient(points, group, sums, factors)).collect();
    for (group, [queries, references]) in sets.groups.iter().zip(of_groups) {
        for (&query, part) in group.queries.iter().zip(queries) {
            let row = query as usize * k;
            of_queries[row..row + k].copy_from_slice(&part[..k]);
        }
        for (reference, part) in group.references.clone().zip(references) {
            let row = &mut of_references[reference * k..(reference + 1) * k];
            row.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
    }
    [of_queries, of_references]
}

fn group_gradient(
    points: &Points<'_>,
    group: &Group,
    sums: &LogSums,
    factors: &PairFactors<'_>,
) -> [Vec<[f64; 2]>; 2] {
    let (of_group, c) = (points.of_group(group), factors.c);
    let queries = || group.queries.iter().map(|&query| query as usize);
    let mut of_queries = vec![[0.0; 2]; group.queries.len()];
    let mut of_references = vec![[0.0; 2]; group.references.len()];
    let digits = queries().map(|query| sums.digits[query]).max().unwrap_or(0);
    // 1 / Z_i, of a row that is summed exactly 0.
    let share = |query: usize| match sums.digits[query] {
        0 => 0.0,
        _ => (-sums.values[query]).exp(),
    };
    let values = &factors.values[group.references.start * c..group.references.end * c];
    let choice = (digits > 0).then(|| of_group.choose(i32::from(digits), c));
    if let Some((choice, _)) = choice.flatten() {
        let on_grid = of_group.place(&choice);
        for plane in 0..=c {
            let factor = |query: usize| match plane {
                0 => factors.constant[query],
                _ => factors.slopes[query * c + plane - 1],
            };
            let charges: Vec<f64> = queries().map(|query| share(query) * factor(query)).collect();
            let others: Vec<f64> = match plane {
                0 => vec![1.0; group.references.len()],
                _ => values.iter().skip(plane - 1).step_by(c).copied().collect(),
            };
            let [at_queries, at_references] = slopes(&on_grid, &others, &charges);
            add(&mut of_queries, &charges, &at_queries);
            add(&mut of_references, &others, &at_references);
        }
    }
    let exact = queries().enumerate().filter(|(_, query)| {
        let Factors { constant, slopes } = factors.of(*query);
        sums.digits[*query] == 0
            && sums.values[*query] != f64::NEG_INFINITY
            && (constant != 0.0 || slopes.iter().any(|slope| *slope != 0.0))
    });
    let (places, exact): (Vec<usize>, Vec<usize>) = exact.unzip();
    if !exact.is_empty() {
        let columns = Columns::new(points.k, of_group.references, exact.len(), (values, c));
        let row = |query: usize| points.row(group, query, sums.values[query]);
        let rows: Vec<(Row, Factors<'_>)> =
            exact.iter().map(|&query| (row(query), factors.of(query))).collect();
        let [own, pushed] = columns.gradients(&rows);
        places.into_iter().zip(own).for_each(|(place, own)| of_queries[place] = own);
        for (sum, part) in of_references.iter_mut().zip(pushed) {
            *sum = [sum[0] + part[0], sum[1] + part[1]];
        }
    }
    [of_queries, of_references]
}

fn add(sums: &mut [[f64; 2]], charges: &[f64], slopes: &[[f64; 2]]) {
    for (sum, (charge, slope)) in sums.iter_mut().zip(charges.iter().zip(slopes)) {
        *sum = [sum[0] + charge * slope[0], sum[1] + charge * slope[1]];
    }
}

/// The gradients of `Σ_j c_j exp(-||x - r_j||²)` at the queries, and of `Σ_i c_i exp(-||x - q_i||²)` at the references, from
/// the charges of references and of queries.
fn slopes(on_grid: &OnGrid, of_references: &[f64], of_queries: &[f64]) -> [Vec<[f64; 2]>; 2] {
    let (plan, references) = (&on_grid.plan, on_grid.references());
    let [across, rows] = plan.shape();
    let grid = match &on_grid.queries {
        None => spread(plan, references, &[of_references, of_queries]),
        Some(queries) => {
            let values = vec![0.0; 2 * across * rows];
            let mut grid = Grid { values, planes: 2 };
            spread_onto(plan, references, &[of_references], &mut grid, 0);
            spread_onto(plan, queries, &[of_queries], &mut grid, 1);
            grid
        }
    };
    let grid = convolve(plan, &grid, &[BY_X, BY_Y][..plan.k], 2);
    let pairs = |fields: &[Vec<f64>], plane: usize| -> Vec<[f64; 2]> {
        let y = |at: usize| if plan.k == 1 { 0.0 } else { fields[2 + plane][at] };
        fields[plane].iter().enumerate().map(|(at, x)| [*x, y(at)]).collect()
    };
    let at_references = interpolate(plan, references, &grid);
    let of_references = pairs(&at_references, 1);
    let of_queries = match &on_grid.queries {
        None => pairs(&at_references, 0),
        Some(queries) => pairs(&interpolate(plan, queries, &grid), 0),
    };
    [of_queries, of_references]
}
