//! The number of neighbors from the perplexity of the kernel.

use burn::config::Config;
use burn::tensor::Tensor;

use super::candidate_filter::CandidateFilter;
use super::excluded::Exclude;
use super::kernel::entropies;
use super::points::{check_labels, read_both};
use super::search::{check_k, nearest_rows};
use super::voters::majority;
use crate::error::{Error, Result};

/// How the perplexities of many points become one k.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum PerplexityMean {
    /// `(1/n) Σ_i exp(H_i)`: the mean number of neighbors, which a few points far from all others decide.
    Arithmetic,
    /// `exp((1/n) Σ_i H_i)`: the perplexity of the mean entropy.
    Geometric,
    /// The median of `exp(H_i)`: half of the points count fewer neighbors.
    Median,
}

impl PerplexityMean {
    /// The mean of at least one perplexity.
    fn of(self, perplexities: &[f64]) -> f64 {
        let n = perplexities.len();
        match self {
            Self::Arithmetic => perplexities.iter().sum::<f64>() / n as f64,
            Self::Geometric => (perplexities.iter().map(|p| p.ln()).sum::<f64>() / n as f64).exp(),
            Self::Median => {
                let mut sorted = perplexities.to_vec();
                sorted.sort_unstable_by(f64::total_cmp);
                (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0
            }
        }
    }
}

/// One k for the k-NN rule, read off the leave-one-out perplexities of the n reference points.
///
/// ```text
/// k = round(mean_i exp(H_i)),   1 <= k <= n - 1,   H_i = -Σ_j p_ij log p_ij      (section 2 of [1])
/// ```
/// The perplexities are those of [`perplexities`](crate::evaluate::perplexities).
///
/// # Errors
/// Fewer than two perplexities, or one that is not finite or below 1.
///
/// # References
/// \[1\] J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
pub fn global_k(perplexities: &[f64], mean: PerplexityMean) -> Result<usize> {
    let n = perplexities.len();
    if n < 2 {
        return Err(Error::data(format!(
            "k is read off the perplexities of the reference points, and there are {n}; give at least 2 points"
        )));
    }
    // Rounding may lead a perplexity just below 1.
    let usable = |p: &f64| p.is_finite() && *p > 1.0 - 1e-9;
    if let Some(at) = perplexities.iter().position(|p| !usable(p)) {
        return Err(Error::data(format!(
            "perplexity {} is {}; give numbers of neighbors, from 1 on",
            at + 1,
            perplexities[at]
        )));
    }
    Ok(rounded(mean.of(perplexities), n - 1))
}

/// Classes by a k of each query's own, and these k.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVote {
    /// The class of each query.
    pub predicted: Vec<usize>,
    /// The k of each query.
    pub k: Vec<usize>,
}

/// The majority class among the nearest references of each query, as many as its own perplexity counts.
///
/// ```text
/// k_i = round(exp(H_i)),   H_i = -Σ_j p_ij log p_ij,   p_ij = exp(-d²_ij) / Σ_l exp(-d²_il)      (section 2 of [1])
/// ŷ_i = argmax_c #{ j among the k_i nearest of i : y_j = c }
/// ```
/// The sums run over the references other than the query itself, of which `own` names the row. Ties as in
/// [`majority_vote`](super::majority_vote).
///
/// # Shapes
/// - queries: `[n, d]`, references: `[m, d]`, labels: m classes below `classes`, own: n reference rows
///
/// # Numerics
/// Exact distances, entropies in f64 and log space; memory for blocks of queries, never n x m.
///
/// # Errors
/// No reference that can be used, labels or `own` that do not fit, different dimensions, or a coordinate that
/// is not finite.
///
/// # References
/// \[1\] J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
pub fn local_k_vote(
    queries: &Tensor<2>,
    references: &Tensor<2>,
    labels: &[usize],
    classes: usize,
    own: Option<&[usize]>,
) -> Result<LocalVote> {
    let device = references.device();
    let [queries, references] = read_both(queries, references)?;
    check_labels(labels, references.rows(), classes)?;
    let exclude = Exclude::own_if(own);
    let excluded = exclude.eligible(queries.rows(), references.rows())?.excluded;
    if queries.rows() == 0 {
        return Ok(LocalVote { predicted: Vec::new(), k: Vec::new() });
    }
    check_k(1, references.rows(), excluded.as_ref())?;
    let largest = references.rows() - usize::from(own.is_some());
    let entropies = entropies(&queries, &references, exclude)?;
    let filter = CandidateFilter::new(&queries, &references, &device);
    let rows = filter.map_rows(excluded.as_ref(), |row| {
        let k = rounded(entropies[row.query()].exp(), largest);
        (majority(&nearest_rows(row, k), labels, None, &mut vec![0.0; classes]), k)
    });
    let (predicted, k) = rows.into_iter().unzip();
    Ok(LocalVote { predicted, k })
}

/// The whole number of neighbors nearest to a perplexity, from 1 to `largest`.
fn rounded(perplexity: f64, largest: usize) -> usize {
    (perplexity.round() as usize).clamp(1, largest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{d2, log_shares, others, perplexity, tensor};
    use super::*;
    use crate::baseline::fixture::assert_refused;

    /// The definition with nested loops: k and class of query i among all other rows.
    fn naive(values: &[f64], d: usize, labels: &[usize], i: usize) -> (usize, usize) {
        let n = values.len() / d;
        let k = perplexity(&log_shares(values, d, i, others(i))).round() as usize;
        let d2 = |j: usize| d2(values, d, i, j);
        let mut order: Vec<usize> = (0..n).filter(|j| *j != i).collect();
        order.sort_by(|a, b| d2(*a).total_cmp(&d2(*b)).then(a.cmp(b)));
        let voters = &order[..k];
        let votes = |class: usize| voters.iter().filter(|j| labels[**j] == class).count();
        let most = voters.iter().map(|j| votes(labels[*j])).max().unwrap();
        (k, labels[*voters.iter().find(|j| votes(labels[**j]) == most).unwrap()])
    }

    proptest! {
        #[test]
        fn local_votes_are_those_of_the_definition(
            values in prop::collection::vec(-2.0f64..2.0, 6..90),
            labels in prop::collection::vec(0usize..3, 30),
        ) {
            let n = values.len() / 3;
            let points = tensor(&values[..3 * n], 3);
            let own: Vec<usize> = (0..n).collect();
            let vote = local_k_vote(&points, &points, &labels[..n], 3, Some(&own)).unwrap();
            for i in 0..n {
                let expected = naive(&values[..3 * n], 3, &labels, i);
                prop_assert_eq!((vote.k[i], vote.predicted[i]), expected);
                prop_assert!((1..n).contains(&vote.k[i]));
            }
        }
    }

    #[test]
    fn k_is_the_mean_of_its_kind_between_1_and_the_other_points() {
        // Of six: sum 90, product 2^14 (its sixth root is 5.04), the middle two 4 and 4.
        let perplexities = [1.0, 4.0, 4.0, 16.0, 1.0, 64.0].repeat(4);
        for (mean, k) in [
            (PerplexityMean::Arithmetic, 15),
            (PerplexityMean::Geometric, 5),
            (PerplexityMean::Median, 4),
        ] {
            assert_eq!(global_k(&perplexities, mean).unwrap(), k, "{mean:?}");
            assert_eq!(global_k(&[1.0 - 1e-12; 4], mean).unwrap(), 1);
            assert_eq!(global_k(&[99.0; 3], mean).unwrap(), 2);
        }
        // Equal points: every other one is a neighbor of the same weight.
        let same = tensor(&[2.5; 8], 1);
        let own: Vec<usize> = (0..8).collect();
        assert_eq!(local_k_vote(&same, &same, &[0; 8], 1, Some(&own)).unwrap().k, [7; 8]);
        assert_eq!(local_k_vote(&same, &same, &[0; 8], 1, None).unwrap().k, [8; 8]);
    }

    #[test]
    fn what_cannot_be_read_off_is_refused() {
        let nan = global_k(&[1.0, f64::NAN], PerplexityMean::Median);
        assert_refused(nan, &["perplexity 2 is NaN"]);
        let single = tensor(&[0.0], 1);
        assert!(local_k_vote(&single, &single, &[0], 1, Some(&[0])).is_err());
        assert!(local_k_vote(&single, &single, &[], 1, None).is_err());
        let none = single.clone().slice([0..0]);
        assert!(local_k_vote(&none, &single, &[0], 1, None).unwrap().k.is_empty());
    }
}
