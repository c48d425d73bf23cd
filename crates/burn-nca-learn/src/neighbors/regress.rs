//! Regression by neighbors: means of the nearest, and kernel means.

use burn::tensor::Tensor;
use burn_nca_fused::{Means, Number};

use super::excluded::Exclude;
use super::kernel::{Arranged, log_of_sum, of_part, parts};
use super::points::read_both;
use super::ranking::Neighbors;
use super::series::{self, Averaged};
use crate::data::check_weights;
use crate::error::{Error, Result};

/// The numbers of the reference rows, row-major `[m, columns]`.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::neighbors::{Numbers, nearest, nearest_means};
///
/// let device = Device::flex();
/// let references = Tensor::<2>::from_floats([[0.0], [1.0], [9.0]], &device);
/// let neighbors = nearest(&Tensor::from_floats([[0.2]], &device), &references, 2, None)?;
/// let prices = Numbers::new(&[10.0, 20.0, 90.0], 1);
/// assert_eq!(nearest_means(&neighbors, prices, 2)?, [15.0]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// The values, row by row.
    pub values: &'a [f64],
    /// Number of target columns.
    pub columns: usize,
    /// How much each row counts in a mean; alike without.
    pub weights: Option<&'a [f64]>,
    /// The group of each row, of which a row of the table itself does not see its own.
    pub groups: Option<&'a [usize]>,
}

impl<'a> Numbers<'a> {
    /// Numbers that count alike, in so many columns.
    pub fn new(values: &'a [f64], columns: usize) -> Self {
        Self { values, columns, weights: None, groups: None }
    }

    /// The same numbers with a weight for each row, or alike without.
    #[must_use]
    pub fn with_weights(self, weights: Option<&'a [f64]>) -> Self {
        Self { weights, ..self }
    }

    /// The same numbers with a group for each row, or without.
    #[must_use]
    pub fn with_groups(self, groups: Option<&'a [usize]>) -> Self {
        Self { groups, ..self }
    }

    /// What queries do not find, of which `own` names the rows.
    pub fn exclude(&self, own: Option<&'a [usize]>) -> Exclude<'a> {
        Exclude::own_if(own).with_groups(self.groups).with_weights(self.weights)
    }

    /// How much a row counts.
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// The mean of the numbers of some references that count, each weighted by `w exp(-d)` of its distance d.
    pub(super) fn kernel_mean(&self, mut references: Vec<(usize, f64)>) -> Vec<f64> {
        // w exp(-d) = exp(-(d - log w))
        references.iter_mut().for_each(|(row, far)| *far -= self.weight(*row).ln());
        let nearest = references.iter().map(|reference| reference.1).fold(f64::INFINITY, f64::min);
        self.mean(references.into_iter().map(|(reference, far)| (reference, (nearest - far).exp())))
    }

    /// The mean of the numbers of some references, each with its weight.
    fn mean(&self, references: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let (mut mean, mut total) = (vec![0.0; self.columns], 0.0);
        for (reference, weight) in references {
            total += weight;
            let number = self.row(reference);
            mean.iter_mut().zip(number).for_each(|(mean, number)| *mean += weight * number);
        }
        mean.iter_mut().for_each(|mean| *mean /= total);
        mean
    }

    pub(super) fn check(&self, references: usize) -> Result<()> {
        if self.columns == 0 || self.values.len() != references * self.columns {
            return Err(Error::data(format!(
                "{} target values for {references} references in {} columns; give references x columns \
                 values",
                self.values.len(),
                self.columns
            )));
        }
        self.weights.map_or(Ok(()), |weights| check_weights(weights, references))
    }
}

/// The mean of the numbers of the `k` nearest neighbors of each query, row-major `[n, columns]`.
///
/// ```text
/// t̂_i = Σ_j w_j t_j / Σ_j w_j      over the k nearest j of i; without weights w_j = 1
/// ```
/// Neighbors of which none has a weight count alike. `neighbors` may hold more than k, so that one search serves several k.
///
/// # Errors
/// k of 0 or larger than the neighbors that were searched, or numbers that do not fit the references.
pub fn nearest_means(neighbors: &Neighbors, numbers: Numbers, k: usize) -> Result<Vec<f64>> {
    if k == 0 || k > neighbors.k() {
        return Err(Error::setting(format!(
            "a mean of k = {k} neighbors, but {} were searched; give k from 1 to {0}, or search more",
            neighbors.k()
        )));
    }
    numbers.check(neighbors.references())?;
    let mean = |row: usize| {
        let nearest = neighbors.indices(row)[..k].iter().map(|&neighbor| neighbor as usize);
        let any = nearest.clone().any(|neighbor| numbers.weight(neighbor) > 0.0);
        let weight = |neighbor| if any { numbers.weight(neighbor) } else { 1.0 };
        numbers.mean(nearest.map(|neighbor| (neighbor, weight(neighbor))))
    };
    Ok((0..neighbors.rows()).flat_map(mean).collect())
}

/// The kernel rule: the numbers of all references, weighted by `p_ij`; row-major `[n, columns]`.
///
/// ```text
/// t̂_i = Σ_j p_ij t_j,   p_ij = w_j exp(-d²_ij) / Σ_l w_l exp(-d²_il),   d²_ij = ||z_i - z_j||²      (1 of [1])
/// ```
/// The paper has no weights, w_j = 1. `own[i]` is the reference row that is query i, left out of both sums. A query far
/// from every reference takes the numbers of the nearest.
///
/// # Shapes
/// - queries: `[n, k]`, references: `[m, k]`, numbers: `[m, columns]`
///
/// # Numerics
/// In f64, the nearest distance taken out of all. Memory: no number per pair is held. In one and two dimensions a Fourier
/// series may be used, as by [`class_probabilities`](super::class_probabilities).
///
/// # Errors
/// No reference that can be used, numbers or `own` that do not fit, different dimensions, or a coordinate
/// that is not finite.
///
/// # References
/// \[1\] K. Weinberger, G. Tesauro, Metric Learning for Kernel Regression, AISTATS 2007.
pub fn kernel_means(
    queries: &Tensor<2>,
    references: &Tensor<2>,
    numbers: Numbers,
    own: Option<&[usize]>,
) -> Result<Vec<f64>> {
    let [queries, references] = read_both(queries, references)?;
    let eligible = numbers.exclude(own).eligible(queries.rows(), references.rows())?;
    numbers.check(references.rows())?;
    if queries.rows() == 0 {
        return Ok(Vec::new());
    }
    eligible.check_usable(queries.rows(), references.rows())?;
    let arranged = Arranged::new(&references, &eligible, numbers.weights, |_| ());
    let (b, c) = (queries.rows(), numbers.columns);
    let queries = arranged.queries(&queries);
    let k = queries.len() / b;
    let mut logs = vec![f64::NEG_INFINITY; b];
    let mut means = vec![0.0; b * c];
    for part in parts(arranged.rows.len(), k) {
        let rows = arranged.rows[part.clone()].iter();
        let values: Vec<f64> = rows.flat_map(|&row| numbers.row(row)).copied().collect();
        let columns = arranged.others(b, &part);
        let of_part = arranged.left_out.as_deref().map(|spans| of_part(spans, &part));
        let references = arranged.coordinates(part);
        let points = (queries.as_slice(), references.as_slice(), k);
        let range = 0..references.len() / k;
        let averaged = Averaged::Values(&values, c);
        let by_series = series::sums(points, range, of_part.as_deref(), averaged);
        let (of_parts, found) = by_series.unwrap_or_else(|| {
            let statistics = f64::statistics(&queries, &references, k, &columns);
            let (queries, references, values) = (&queries, &references, &values);
            let (statistics, columns) = (statistics.as_slice(), &columns);
            let of = Means { queries, references, values, k, c, columns, statistics };
            let (least, logs) = statistics.split_at(b);
            let of_part = logs.iter().zip(least).map(|(log, least)| log - least);
            (of_part.collect(), f64::means(of))
        });
        let means = means.chunks_exact_mut(c).zip(found.chunks_exact(c));
        logs.iter_mut().zip(of_parts).zip(means).for_each(|(logs, means)| add(logs, means));
    }
    Ok(means)
}

/// Adds the means of a part to those of the parts before it, each by the logarithm of its sum of weights.
fn add((log, of_part): (&mut f64, f64), (means, found): (&mut [f64], &[f64])) {
    if of_part == f64::NEG_INFINITY {
        return;
    }
    let sum = log_of_sum(*log, of_part);
    let [before, now] = [*log, of_part].map(|log| (log - sum).exp());
    let mean = means.iter_mut().zip(found);
    mean.for_each(|(mean, found)| *mean = before * *mean + now * found);
    *log = sum;
}

/// The kernel rule for each row of `points` given all other rows.
///
/// # Errors
/// As [`kernel_means`].
pub fn leave_one_out_kernel_means(points: &Tensor<2>, numbers: Numbers) -> Result<Vec<f64>> {
    let own: Vec<usize> = (0..points.dims()[0]).collect();
    kernel_means(points, points, numbers, Some(&own))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{log_shares, others, tensor};
    use super::super::search::nearest_others;
    use super::*;

    proptest! {
        #[test]
        fn the_kernel_rule_is_that_of_the_definition(
            z in prop::collection::vec(-2.0f64..2.0, 6..60),
            targets in prop::collection::vec(-50.0f64..50.0, 60),
            weights in prop::collection::vec(prop::sample::select(vec![0.0, 0.5, 1.0, 7.0]), 30),
        ) {
            let n = z.len() / 2;
            let (z, targets) = (&z[..2 * n], &targets[..2 * n]);
            let numbers = Numbers::new(targets, 2);
            let weighted = weights[..n].iter().filter(|weight| **weight > 0.0).count() > 1;
            for weights in [None, Some(&weights[..n]).filter(|_| weighted)] {
                let numbers = numbers.with_weights(weights);
                let found = leave_one_out_kernel_means(&tensor(z, 2), numbers).unwrap();
                for i in 0..n {
                    let shares = log_shares(z, 2, i, |j| others(i)(j) * numbers.weight(j));
                    for column in 0..2 {
                        let shares = shares.iter().zip(targets[column..].iter().step_by(2));
                        let expected = shares.map(|(share, t)| share.exp() * t).sum::<f64>();
                        prop_assert!((found[2 * i + column] - expected).abs() < 1e-10);
                    }
                }
            }
        }
    }

    #[test]
    fn a_query_far_from_everything_takes_the_nearest_number() {
        let references = tensor(&[0.0, 1.0, 3.0], 1);
        let numbers = Numbers::new(&[5.0, 6.0, 8.0], 1);
        let found = kernel_means(&tensor(&[1e6], 1), &references, numbers, None).unwrap();
        assert_eq!(found, [8.0]);
    }

    #[test]
    fn the_mean_is_of_the_k_nearest() {
        let neighbors = nearest_others(&tensor(&[0.0, 1.0, 3.0, 10.0], 1), 2).unwrap();
        let numbers = Numbers::new(&[1.0, 2.0, 4.0, 8.0], 1);
        assert_eq!(nearest_means(&neighbors, numbers, 1).unwrap(), [2.0, 1.0, 2.0, 4.0]);
        assert_eq!(nearest_means(&neighbors, numbers, 2).unwrap(), [3.0, 2.5, 1.5, 3.0]);
        // Of the neighbors of the first row, 1 and 2, the second counts three times; those of the last do not count.
        let weighted = numbers.with_weights(Some(&[5.0, 1.0, 3.0, 0.0]));
        assert_eq!(nearest_means(&neighbors, weighted, 2).unwrap()[0], 3.5);
        let absent = numbers.with_weights(Some(&[1.0, 0.0, 0.0, 1.0]));
        assert_eq!(nearest_means(&neighbors, absent, 2).unwrap()[0], 3.0);
    }
}
