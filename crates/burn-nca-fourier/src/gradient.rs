//! The gradient of log-sum-exps over pairs.

use rayon::prelude::*;

use crate::exact::{Columns, Row};
use crate::grid::{Grid, interpolate, spread, spread_onto};
use crate::plan::Plan;
use crate::series::{BY_X, BY_Y, convolve};
use crate::sets::Group;
use crate::sums::{LogSums, OnGrid, Points};

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
    let (k, sets) = (points.k, points.sets);
    assert_eq!(gradient.len(), sets.queries(), "one gradient for each query");
    let mut of_queries = vec![0.0; points.queries.len()];
    let mut of_references = vec![0.0; points.references.len()];
    let of_groups: Vec<[Vec<[f64; 2]>; 2]> =
        sets.groups.par_iter().map(|group| group_gradient(points, group, sums, gradient)).collect();
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
    gradient: &[f64],
) -> [Vec<[f64; 2]>; 2] {
    let of_group = points.of_group(group);
    let queries = || group.queries.iter().map(|&query| query as usize);
    let mut of_queries = vec![[0.0; 2]; group.queries.len()];
    let mut of_references = vec![[0.0; 2]; group.references.len()];
    let digits = queries().map(|query| sums.digits[query]).max().unwrap_or(0);
    // g_i / Z_i, of a row that is summed exactly 0.
    let charge = |query: usize| match sums.digits[query] {
        0 => 0.0,
        _ => gradient[query] * (-sums.values[query]).exp(),
    };
    let choice = (digits > 0)
        .then(|| Plan::choose(points.k, &of_group.bounds, of_group.work(), i32::from(digits)));
    if let Some((choice, _)) = choice.flatten() {
        let on_grid = of_group.place(Plan::new(points.k, &of_group.bounds, &choice));
        let charges: Vec<f64> = queries().map(charge).collect();
        let [at_queries, at_references] = slopes(&on_grid, &charges);
        for (sum, (slope, charge)) in of_queries.iter_mut().zip(at_queries.iter().zip(&charges)) {
            *sum = slope.map(|slope| charge * slope);
        }
        of_references = at_references;
    }
    let exact = queries().enumerate().filter(|(_, query)| {
        sums.digits[*query] == 0
            && sums.values[*query] != f64::NEG_INFINITY
            && gradient[*query] != 0.0
    });
    let (places, exact): (Vec<usize>, Vec<usize>) = exact.unzip();
    if !exact.is_empty() {
        let columns = Columns::new(points.k, of_group.references);
        let rows: Vec<Row> =
            exact.iter().map(|&query| points.row(group, query, sums.values[query])).collect();
        let of_rows: Vec<f64> = exact.iter().map(|&query| gradient[query]).collect();
        let [own, pushed] = columns.gradients(&rows, &of_rows);
        places.into_iter().zip(own).for_each(|(place, own)| of_queries[place] = own);
        for (sum, part) in of_references.iter_mut().zip(pushed) {
            *sum = [sum[0] + part[0], sum[1] + part[1]];
        }
    }
    [of_queries, of_references]
}

/// The gradients of `Σ_j exp(-||x - r_j||²)` at the queries, and of `Σ_i c_i exp(-||x - q_i||²)` at the references.
fn slopes(on_grid: &OnGrid, charges: &[f64]) -> [Vec<[f64; 2]>; 2] {
    let (plan, references) = (&on_grid.plan, on_grid.references());
    let ones = vec![1.0; references.order.len()];
    let [across, rows] = plan.shape();
    let grid = match &on_grid.queries {
        None => spread(plan, references, &[&ones, charges]),
        Some(queries) => {
            let values = vec![0.0; 2 * across * rows];
            let mut grid = Grid { values, planes: 2 };
            spread_onto(plan, references, &[&ones], &mut grid, 0);
            spread_onto(plan, queries, &[charges], &mut grid, 1);
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
