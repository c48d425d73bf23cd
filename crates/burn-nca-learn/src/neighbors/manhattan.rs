//! Neighbors and stochastic neighbors by the sum of absolute differences (the L1 or Manhattan distance).

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::ClassReferences;
use super::excluded::{Eligible, Exclude};
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
    let distances = Distances::read(queries, references, exclude)?;
    let Distances { queries, references, eligible } = &distances;
    check_k(k, eligible.count(references.rows()), eligible.excluded.as_ref())?;
    let rows = distances.each(|query, row| {
        let candidates = row.map(|(reference, distance)| Candidate {
            sq_distance: distance * distance,
            reference: reference as u32,
        });
        // The norm is that of the distance.
        let norm = queries.row(query).iter().map(|x| x.abs()).sum();
        k_nearest(candidates.collect(), k, queries.resolution(query, references).of_norm(norm))
    });
    Ok(Neighbors::from_rows(rows, references.rows(), k))
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
    let distances = Distances::read(queries, embedding, references.exclude(own)?)?;
    let rows = distances.usable()?.each(|_, row| {
        let mut of_class = vec![Vec::new(); classes];
        for (reference, distance) in row {
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
    let distances = Distances::read(queries, references, numbers.exclude(own))?;
    numbers.check(distances.references.rows())?;
    Ok(distances.usable()?.each(|_, row| numbers.kernel_mean(row.collect())).concat())
}

/// The perplexity of `p_ij ∝ exp(-D_ij)`, of some rows of the points among the others, of other groups where there are any.
pub(crate) fn manhattan_perplexities(
    points: &Tensor<2>,
    rows: &[usize],
    groups: Option<&[usize]>,
) -> Result<Vec<f64>> {
    let exclude = Exclude::own(rows).with_groups(groups);
    let distances = Distances::read(&rows_at(points, rows), points, exclude)?;
    Ok(distances.usable()?.each(|_, row| {
        let logs: Vec<f64> = row.map(|(_, distance)| -distance).collect();
        let log = log_sum(&logs);
        // H = log Σ_j exp(-D_j) + Σ_j p_j D_j
        let mean: f64 = logs.iter().map(|near| (near - log).exp() * -near).sum();
        (log + mean).exp()
    }))
}

/// Queries and references on the host, and which of the latter the queries may find.
struct Distances<'a> {
    queries: Points,
    references: Points,
    eligible: Eligible<'a>,
}

impl<'a> Distances<'a> {
    fn read(queries: &Tensor<2>, references: &Tensor<2>, exclude: Exclude<'a>) -> Result<Self> {
        let [queries, references] = read_both(queries, references)?;
        let eligible = exclude.eligible(queries.rows(), references.rows())?;
        Ok(Self { queries, references, eligible })
    }

    /// These, if every query may find a reference.
    fn usable(&self) -> Result<&Self> {
        self.eligible.check_usable(self.queries.rows(), self.references.rows())?;
        Ok(self)
    }

    /// What `visit` makes of each query's number and of the references that it may find, with their distances.
    fn each<T: Send>(
        &self,
        visit: impl Fn(usize, &mut dyn Iterator<Item = (usize, f64)>) -> T + Sync,
    ) -> Vec<T> {
        let Self { queries, references, eligible } = self;
        let of_query = |query: usize| {
            let excluded = eligible.excluded.as_ref();
            let left_out = |place| excluded.is_some_and(|excluded| excluded.has(query, place));
            let places = (0..eligible.count(references.rows())).filter(|place| !left_out(*place));
            let point = queries.row(query);
            visit(
                query,
                &mut places.map(|place| {
                    let row = eligible.row(place);
                    let apart = point.iter().zip(references.row(row)).map(|(a, b)| (a - b).abs());
                    (row, apart.sum())
                }),
            )
        };
        (0..queries.rows()).into_par_iter().map(of_query).collect()
    }
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
