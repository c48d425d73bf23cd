//! How much a say each reference has about a query: the terms of which probabilities and means are sums.

use burn::tensor::Tensor;
use rayon::prelude::*;
use serde::Serialize;

use super::in_parts::{of_rows, parts};
use super::points::{read_both, sq_distance};
use super::rule::{ClassReferences, Rule};
use super::{Exclude, MemberRule};
use crate::error::{Error, Result};

/// A reference that has a say about a query.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Influence {
    /// Its row.
    pub reference: usize,
    /// p_ij: its share in the probability of its class, or in the mean of numbers. The shares of all references sum to 1.
    pub share: f64,
    /// How far it is, in the distance of the rule; for several members the mean of their distances.
    pub distance: f64,
}

/// The distance of a rule, between rows of an embedding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RuleDistance {
    /// The Euclidean one.
    Euclidean,
    /// The sum of absolute differences.
    Manhattan,
    /// The mean of the Euclidean ones of so many members side by side.
    OfMembers(usize),
}

impl RuleDistance {
    /// That of a rule.
    pub(crate) fn of(rule: &Rule) -> Self {
        match rule {
            Rule::Manhattan => Self::Manhattan,
            Rule::Members(MemberRule { members, .. }) => Self::OfMembers((*members).max(1)),
            _ => Self::Euclidean,
        }
    }

    /// The distance of two rows.
    pub(crate) fn between(self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Euclidean => sq_distance(a, b).sqrt(),
            Self::Manhattan => a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum(),
            Self::OfMembers(members) => {
                let size = (a.len() / members).max(1);
                let parts = a.chunks(size).zip(b.chunks(size));
                parts.map(|(a, b)| sq_distance(a, b).sqrt()).sum::<f64>() / members as f64
            }
        }
    }
}

impl Rule {
    /// The references that have the largest share in what the rule says of each query, at most `most`, largest share first;
    /// of equal shares the nearer first.
    ///
    /// ```text
    /// soft   p_ij of the rule: P(c | x_i) = Σ_{j: y_j = c} p_ij,   t̂_i = Σ_j p_ij t_j
    /// k-NN   p_ij = w_j / Σ_l w_l over the k nearest, 0 for the others;   without weights 1 / k
    /// ```
    /// References of share 0 are not among them. Labels have no effect: those of `references` may be any.
    ///
    /// # Errors
    /// A rule by which references have no say ([`Rule::Coincidence`]), k of 0 or more than the references, a coordinate
    /// that is not finite.
    pub fn influences(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        k: Option<usize>,
        most: usize,
    ) -> Result<Vec<Vec<Influence>>> {
        if let Self::Coincidence(_) = self {
            return Err(Error::setting(
                "this model decides by the means of its classes, and no training row has a share in that; explain a model of \
                 another method",
            ));
        }
        let ClassReferences { embedding, weights, .. } = references;
        let [of_queries, of_references] = read_both(queries, embedding)?;
        let found = match k {
            Some(k) => self.votes(queries, (embedding, weights), k, most)?,
            None => self.soft_shares(queries, (embedding, weights), most)?,
        };
        let distance = RuleDistance::of(self);
        let influences = |(query, shares): (usize, Vec<Share>)| {
            let query = of_queries.row(query);
            let influence = |(reference, share)| Influence {
                reference,
                share,
                distance: distance.between(query, of_references.row(reference)),
            };
            shares.into_iter().map(influence).collect()
        };
        Ok(found.into_iter().enumerate().map(influences).collect())
    }

    /// Of the k nearest.
    fn votes(
        &self,
        queries: &Tensor<2>,
        (references, weights): (&Tensor<2>, Option<&[f64]>),
        k: usize,
        most: usize,
    ) -> Result<Vec<Vec<Share>>> {
        let exclude = Exclude::nothing().with_weights(weights);
        let found = self.nearest(queries, references, k, exclude)?;
        let row = |row: usize| {
            let weight = |at: usize| weights.map_or(1.0, |weights| weights[at]);
            let nearest = found.indices(row).iter().map(|&at| at as usize);
            let total: f64 = nearest.clone().map(weight).sum();
            let mut votes: Vec<Share> = nearest.map(|at| (at, weight(at) / total)).collect();
            // Nearest first among equals, as they were found.
            votes.sort_by(|a, b| b.1.total_cmp(&a.1));
            votes.truncate(most);
            votes
        };
        Ok((0..found.rows()).map(row).collect())
    }

    /// Of all references.
    fn soft_shares(
        &self,
        queries: &Tensor<2>,
        (references, weights): (&Tensor<2>, Option<&[f64]>),
        most: usize,
    ) -> Result<Vec<Vec<Share>>> {
        let ([n, _], [m, _]) = (queries.dims(), references.dims());
        let mut found = Vec::with_capacity(n);
        let mut add = |logs: Vec<f64>| {
            found.par_extend(logs.par_chunks_exact(m).map(|logs| largest(logs, most)));
        };
        if let Self::Members(rule) = self {
            rule.each_block((queries, references), weights, Exclude::nothing(), |shares| {
                add(shares.iter().map(|share| share.ln()).collect());
            })?;
            return Ok(found);
        }
        // The share of a row is the probability of a class that is its own.
        let own: Vec<usize> = (0..m).collect();
        let of = ClassReferences { weights, ..ClassReferences::new(references, &own, m) };
        for rows in parts(n, m) {
            let some = self.probabilities(&of_rows(queries, rows), of, None)?;
            add((0..some.rows()).flat_map(|row| some.log_probabilities(row)).copied().collect());
        }
        Ok(found)
    }
}

/// A reference and its share.
type Share = (usize, f64);

/// The references of the largest shares, by their logarithms.
fn largest(logs: &[f64], most: usize) -> Vec<Share> {
    let mut order: Vec<usize> =
        (0..logs.len()).filter(|&at| logs[at] > f64::NEG_INFINITY).collect();
    let by_share = |a: &usize, b: &usize| logs[*b].total_cmp(&logs[*a]).then_with(|| a.cmp(b));
    if (1..order.len()).contains(&most) {
        order.select_nth_unstable_by(most - 1, by_share);
    }
    order.truncate(most);
    order.sort_unstable_by(by_share);
    order.into_iter().map(|at| (at, logs[at].exp())).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::super::fixture::tensor;
    use super::*;
    use crate::neighbors::{Numbers, VariableKernel};

    const N: usize = 12;

    fn points(values: &[f64], rows: Range<usize>) -> Tensor<2> {
        tensor(&values[rows.start * 2..rows.end * 2], 2)
    }

    fn labels() -> Vec<usize> {
        (0..N).map(|row| row % 3).collect()
    }

    /// The sum of the shares of each class.
    fn by_class(found: &[Influence]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        found.iter().for_each(|one| sums[labels()[one.reference]] += one.share);
        sums
    }

    proptest! {
        #[test]
        fn shares_sum_to_the_probabilities_and_the_means_of_every_rule(
            // Few values: there are ties, and copies.
            values in prop::collection::vec((0u8..5).prop_map(f64::from), 2 * (N + 3)),
            weighted in any::<bool>(),
        ) {
            let (references, queries) = (points(&values, 0..N), points(&values, N..N + 3));
            let (labels, targets) = (labels(), (0..N).map(|row| (row * row) as f64).collect::<Vec<_>>());
            let weights: Vec<f64> = (0..N).map(|row| (row % 4) as f64).collect();
            let weights = weighted.then_some(&weights[..]);
            let of = ClassReferences { weights, ..ClassReferences::new(&references, &labels, 3) };
            let numbers = Numbers::new(&targets, 1).with_weights(weights);
            let kernel = VariableKernel::new().with_neighbors(4).with_averaged(2);
            let rules = [
                Rule::Neighbors,
                Rule::Manhattan,
                Rule::Members(MemberRule::new(2)),
                Rule::VariableKernel(kernel),
            ];
            for rule in rules {
                let found = rule.influences(&queries, of, None, N).unwrap();
                let expected = rule.probabilities(&queries, of, None).unwrap();
                let means = rule.kernel_means(&queries, &references, numbers, None).unwrap();
                let some = [0, 2].map(|most| rule.influences(&queries, of, None, most).unwrap());
                for (row, found) in found.iter().enumerate() {
                    prop_assert_eq!(&some[1][row], &found[..2]);
                    prop_assert!(some[0][row].is_empty());
                    let sums = by_class(found);
                    prop_assert!((sums.iter().sum::<f64>() - 1.0).abs() < 1e-6);
                    for class in 0..3 {
                        let p = expected.probability(row, class);
                        prop_assert!((sums[class] - p).abs() < 1e-6, "{rule:?} {sums:?} {p}");
                    }
                    prop_assert!(found.windows(2).all(|two| two[0].share >= two[1].share));
                    if !matches!(rule, Rule::VariableKernel(_)) {
                        let mean: f64 = found.iter().map(|one| one.share * targets[one.reference]).sum();
                        prop_assert!((mean - means[row]).abs() < 1e-4 * (1.0 + means[row]));
                    }
                }
            }
            for rule in [Rule::Neighbors, Rule::Manhattan] {
                for k in [1, 4, 7] {
                    let found = rule.influences(&queries, of, Some(k), N).unwrap();
                    let expected = rule.shares(&queries, of, k, None).unwrap();
                    for (found, expected) in found.iter().zip(expected.chunks(3)) {
                        prop_assert_eq!(found.len(), k);
                        let sums = by_class(found);
                        prop_assert!((0..3).all(|class| (sums[class] - expected[class]).abs() < 1e-12));
                    }
                }
            }
        }
    }
}
