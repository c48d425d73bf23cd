//! Neighbors and stochastic neighbors by the sum of absolute differences (the L1 or Manhattan distance).

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::ClassReferences;
use super::excluded::{Eligible, Exclude, Excluded};
use super::in_parts::rows_at;
use super::kernel::log_sum;
use super::points::{Points, read_both};
use super::probabilities::ClassProbabilities;
use super::ranking::{Candidate, Neighbors, k_nearest};
use super::regress::Numbers;
use super::search::check_k;
use crate::error::Result;

/// The k nearest references of each query by `Σ_r |u_r - v_r|`, of those that it may find.
///
/// Ascending by distance; of equal distances the lower reference row comes first. The distances come back squared, as
/// those of every search. All distances are taken, in f64 on the host, a row at a time.
pub(super) fn nearest(
    queries: &Tensor<2>,
    references: &Tensor<2>,
    k: usize,
    exclude: Exclude<'_>,
) -> Result<Neighbors> {
    let (queries, all, eligible) = read_eligible(queries, references, exclude)?;
    let references = eligible.of(&all);
    let excluded = eligible.excluded.as_ref();
    check_k(k, references.rows(), excluded)?;
    // The norm is that of the distance.
    let resolution = |query: usize| {
        let norm = queries.row(query).iter().map(|x| x.abs()).sum();
        queries.resolution(query, &references).of_norm(norm)
    };
    let rows = rows_of(&queries, &references, excluded, |query, row| {
        let candidates = row.map(|(reference, distance)| Candidate {
            sq_distance: distance * distance,
            reference: reference as u32,
        });
        k_nearest(candidates.collect(), k, resolution(query))
    });
    let found = Neighbors::from_rows(rows, references.rows(), k);
    Ok(found.renumbered(|place| eligible.row(place), all.rows()))
}

/// The stochastic rule under the L1 distance: class probabilities of queries given labeled references.
///
/// ```text
/// P(c | u_i) = Σ_{j: y_j = c} exp(-D_ij) / Σ_l exp(-D_il),   D_ij = Σ_r |u_ir - u_jr|
/// ```
/// As [`class_probabilities`](super::class_probabilities), with another distance, and the term of each reference times its
/// weight.
pub(super) fn probabilities(
    queries: &Tensor<2>,
    references: ClassReferences<'_>,
    own: Option<&[usize]>,
) -> Result<ClassProbabilities> {
    let ClassReferences { embedding, labels, classes, weights, .. } = references;
    let (queries, all, eligible) = read_eligible(queries, embedding, references.exclude(own)?)?;
    let references = eligible.of(&all);
    eligible.check_usable(&queries, &references)?;
    let rows = rows_of(&queries, &references, eligible.excluded.as_ref(), |_, row| {
        let mut of_class = vec![Vec::new(); classes];
        for (place, distance) in row {
            let reference = eligible.row(place);
            // w exp(-D) = exp(ln w - D)
            let log = weights.map_or(0.0, |weights| weights[reference].ln());
            of_class[labels[reference]].push(log - distance);
        }
        let logs: Vec<f64> = of_class.iter().map(|logs| log_sum(logs)).collect();
        let total = log_sum(&logs);
        logs.into_iter().map(|log| log - total).collect::<Vec<f64>>()
    });
    Ok(ClassProbabilities::from_logs(rows.concat(), classes))
}

/// The numbers of all references, weighted by `exp(-D_ij)`, for each query; row-major `[n, m]`.
pub(super) fn means(
    queries: &Tensor<2>,
    references: &Tensor<2>,
    numbers: Numbers<'_>,
    own: Option<&[usize]>,
) -> Result<Vec<f64>> {
    let (queries, all, eligible) = read_eligible(queries, references, numbers.exclude(own))?;
    numbers.check(all.rows())?;
    let references = eligible.of(&all);
    eligible.check_usable(&queries, &references)?;
    let rows = rows_of(&queries, &references, eligible.excluded.as_ref(), |_, row| {
        numbers.mean(row.map(|(place, far)| (eligible.row(place), far)).collect())
    });
    Ok(rows.concat())
}

/// The perplexity of `p_ij ∝ exp(-D_ij)`, of some rows of the points among the others, of other groups where there are any.
pub(crate) fn manhattan_perplexities(
    points: &Tensor<2>,
    rows: &[usize],
    groups: Option<&[usize]>,
) -> Result<Vec<f64>> {
    let exclude = Exclude::own(rows).with_groups(groups);
    let (queries, references, eligible) = read_eligible(&rows_at(points, rows), points, exclude)?;
    eligible.check_usable(&queries, &references)?;
    Ok(rows_of(&queries, &references, eligible.excluded.as_ref(), |_, row| {
        let logs: Vec<f64> = row.map(|(_, distance)| -distance).collect();
        let log = log_sum(&logs);
        // H = log Σ_j exp(-D_j) + Σ_j p_j D_j
        let mean: f64 = logs.iter().map(|near| (near - log).exp() * -near).sum();
        (log + mean).exp()
    }))
}

/// What `visit` makes of each query's number, references and their distances, without those that are left out.
fn rows_of<T: Send>(
    queries: &Points,
    references: &Points,
    excluded: Option<&Excluded<'_>>,
    visit: impl Fn(usize, &mut dyn Iterator<Item = (usize, f64)>) -> T + Sync,
) -> Vec<T> {
    let distance =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum() };
    let row = |query: usize| {
        let left_out = |row: &usize| excluded.is_some_and(|excluded| excluded.has(query, *row));
        let others = (0..references.rows()).filter(|row| !left_out(row));
        let point = queries.row(query);
        visit(
            query,
            &mut others.map(|reference| (reference, distance(point, references.row(reference)))),
        )
    };
    (0..queries.rows()).into_par_iter().map(row).collect()
}

/// Queries and references on the host, and which of the latter the queries may find.
fn read_eligible<'a>(
    queries: &Tensor<2>,
    references: &Tensor<2>,
    exclude: Exclude<'a>,
) -> Result<(Points, Points, Eligible<'a>)> {
    let [queries, references] = read_both(queries, references, None)?;
    let eligible = exclude.eligible(queries.rows(), references.rows())?;
    Ok((queries, references, eligible))
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::baseline::fixture::{assert_close, assert_refused};

    /// Points 0, 1, 3 in the unit in which exp(-D) is 2^(-D); the second coordinate is the same everywhere.
    fn line() -> Tensor<2> {
        let unit = 2f32.ln();
        Tensor::from_floats([[0.0, 7.0], [unit, 7.0], [3.0 * unit, 7.0]], &Device::flex())
    }

    fn of<'a>(points: &'a Tensor<2>, labels: &'a [usize]) -> ClassReferences<'a> {
        ClassReferences::new(points, labels, 3)
    }

    #[test]
    fn probabilities_and_means_are_those_worked_by_hand() {
        let (line, own) = (line(), [0, 1, 2]);
        let found = probabilities(&line, of(&line, &[0, 0, 1]), Some(&own)).unwrap();
        for (row, [same, other]) in
            [[0.8, 0.2], [2.0 / 3.0, 1.0 / 3.0], [1.0, 0.0]].iter().enumerate()
        {
            assert!((found.probability(row, 0) - same).abs() < 1e-6);
            assert!((found.probability(row, 1) - other).abs() < 1e-6);
            assert_eq!(found.probability(row, 2), 0.0);
        }
        let perplexities = manhattan_perplexities(&line, &[0], None).unwrap();
        let entropy = -0.8 * 0.8f64.ln() - 0.2 * 0.2f64.ln();
        assert!((perplexities[0].ln() - entropy).abs() < 1e-6, "{perplexities:?}");
        let numbers = Numbers::new(&[0.0, 3.0, 9.0], 1);
        let means = means(&line, &line, numbers, Some(&own)).unwrap();
        assert_close(&means, &[4.2, 3.0, 2.0], 1e-5);
    }

    #[test]
    fn neighbors_ascend_and_leave_the_query_out() {
        let (line, own) = (line(), Exclude::own(&[0, 1, 2]));
        let found = nearest(&line, &line, 2, own).unwrap();
        assert_eq!([0, 1, 2].map(|row| found.indices(row)), [[1, 2], [0, 2], [1, 0]]);
        assert_refused(nearest(&line, &line, 3, own), &["only 2 references"]);
        let alone = line.slice([0..1]);
        let found = probabilities(&alone, of(&alone, &[0]), Some(&[0]));
        assert_refused(found, &["no reference other than the query"]);
    }
}
