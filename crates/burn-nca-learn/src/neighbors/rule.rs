//! How the training rows of a model decide about others, in the space of its map.
//!
//! A new rule is a variant of [`Rule`], and what its methods say of it.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::points::check_labels;
use super::{
    ClassProbabilities, CoincidenceRule, Exclude, MemberRule, NearestConfig, Neighbors, Numbers,
    VariableKernel, Voters, kernel_means, manhattan,
};
use crate::error::Result;

/// Embedded rows of known classes, to decide about others by.
#[derive(Clone, Copy, Debug)]
pub struct ClassReferences<'a> {
    /// The embedding, `[n, k]`.
    pub embedding: &'a Tensor<2>,
    /// The class of each row.
    pub labels: &'a [usize],
    /// Number of classes, c.
    pub classes: usize,
    /// How much each row counts; alike without. Rows of weight 0 have no say.
    pub weights: Option<&'a [f64]>,
    /// The group of each row: a row of one of them has no say about another of it.
    pub groups: Option<&'a [usize]>,
}

impl<'a> ClassReferences<'a> {
    /// Rows that count alike, of no group.
    pub fn new(embedding: &'a Tensor<2>, labels: &'a [usize], classes: usize) -> Self {
        Self { embedding, labels, classes, weights: None, groups: None }
    }

    /// The rows as voters.
    ///
    /// # Errors
    /// Labels, weights or groups that do not fit the embedding.
    pub fn voters(&self) -> Result<Voters<'a>> {
        Voters::new(self.labels, self.classes, self.weights)?.with_groups(self.groups)
    }

    /// What queries do not find, of which `own` names the rows.
    pub(super) fn exclude(&self, own: Option<&'a [usize]>) -> Result<Exclude<'a>> {
        check_labels(self.labels, self.embedding.dims()[0], self.classes)?;
        Ok(self.voters()?.exclude(own))
    }
}

/// How the training rows of a model decide about others; saved with the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Rule {
    /// The k nearest in Euclidean distance, or all by `p_ij ∝ exp(-||z_i - z_j||²)`.
    #[default]
    Neighbors,
    /// The class whose mean a query most likely coincides with, each in a latent space of its own.
    Coincidence(CoincidenceRule),
    /// The k nearest by the sum of absolute differences (L1), or all by `p_ij ∝ exp(-D_ij)`.
    Manhattan,
    /// The nearest under a kernel as wide as they are far; their number is the rule's own.
    VariableKernel(VariableKernel),
    /// All, by the mean of several kernels of the distance itself.
    Members(MemberRule),
}

/// Queries `[m, k]` are in the space of the references. `own[i]` is the reference that is query i, and has no say
/// about it, nor has any of its group; without `own` no query is a reference.
impl Rule {
    /// Whether the nearest references vote; else the rule gives the classes by itself, whatever k is.
    pub fn has_votes(&self) -> bool {
        matches!(self, Self::Neighbors | Self::Manhattan)
    }

    /// The class of each query by its k nearest references, for each k of `ks` (one search serves all); the most probable one
    /// by a rule that knows no vote, whatever k is.
    ///
    /// # Errors
    /// k of 0 or more than there are references, a coordinate that is not finite.
    pub fn classes(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        ks: &[usize],
        own: Option<&[usize]>,
    ) -> Result<Vec<Vec<usize>>> {
        if !self.has_votes() {
            let classes = self.probabilities(queries, references, own)?.most_probable();
            return Ok(vec![classes; ks.len()]);
        }
        let most = ks.iter().copied().max().unwrap_or(1);
        let voters = references.voters()?;
        let neighbors = self.nearest(queries, references.embedding, most, voters.exclude(own))?;
        ks.iter().map(|&k| voters.majority(&neighbors, k)).collect()
    }

    /// How strongly each class is voted for by the k nearest references, or how probable it is by a rule that knows no vote,
    /// row-major `[m, c]`; rows sum to 1.
    ///
    /// # Errors
    /// As [`classes`](Self::classes).
    pub fn shares(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        k: usize,
        own: Option<&[usize]>,
    ) -> Result<Vec<f64>> {
        if !self.has_votes() {
            return Ok(self.probabilities(queries, references, own)?.to_vec());
        }
        let voters = references.voters()?;
        let exclude = voters.exclude(own);
        voters.shares(&self.nearest(queries, references.embedding, k, exclude)?, k)
    }

    /// The probability of each class by all references.
    ///
    /// # Errors
    /// A coordinate that is not finite.
    pub fn probabilities(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        match self {
            Self::Neighbors => {
                references.voters()?.probabilities(queries, references.embedding, own)
            }
            Self::Coincidence(rule) => rule.probabilities(queries, references.classes),
            Self::Manhattan => manhattan::probabilities(queries, references, own),
            Self::VariableKernel(rule) => rule.probabilities(queries, references, own),
            Self::Members(rule) => rule.probabilities(queries, references, own),
        }
    }

    /// The k nearest references of each query in the distance of the rule, of those that it may find.
    ///
    /// # Errors
    /// As [`NearestConfig::search_excluding`].
    pub fn nearest(
        &self,
        queries: &Tensor<2>,
        references: &Tensor<2>,
        k: usize,
        exclude: Exclude<'_>,
    ) -> Result<Neighbors> {
        match self {
            Self::Manhattan => manhattan::nearest(queries, references, k, exclude),
            _ => NearestConfig::new(k).search_excluding(queries, references, exclude),
        }
    }

    /// The numbers of all references, weighted by the rule's `p_ij`, for each query; row-major `[m, columns]`.
    ///
    /// # Errors
    /// As [`kernel_means`].
    pub fn kernel_means(
        &self,
        queries: &Tensor<2>,
        references: &Tensor<2>,
        numbers: Numbers<'_>,
        own: Option<&[usize]>,
    ) -> Result<Vec<f64>> {
        match self {
            Self::Members(rule) => rule.kernel_means((queries, references), numbers, own),
            Self::Manhattan => manhattan::means(queries, references, numbers, own),
            _ => kernel_means(queries, references, numbers, own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::tensor;
    use super::*;
    #[test]
    fn a_rule_takes_its_own_distance_and_its_own_number_of_neighbors() {
        let points = tensor(&[3.0, 0.0, 2.0, 2.0, 9.0, 9.0], 2);
        let query = tensor(&[0.0, 0.0], 2);
        let references = ClassReferences::new(&points, &[0, 1, 1], 2);
        let class = |rule: &Rule, k| rule.classes(&query, references, &[k], None).unwrap();
        assert_eq!([class(&Rule::Neighbors, 1), class(&Rule::Manhattan, 1)], [[[1]], [[0]]]);
        let found = Rule::Manhattan.nearest(&query, &points, 1, Exclude::nothing()).unwrap();
        assert_eq!(found.indices(0), [0]);
        let numbers = Numbers::new(&[1.0, 2.0, 30.0], 1);
        let mean = Rule::Manhattan.kernel_means(&query, &points, numbers, None).unwrap()[0];
        let expected = (1.0 + 2.0 * (-1f64).exp()) / (1.0 + (-1f64).exp());
        assert!((mean - expected).abs() < 1e-5, "{mean} {expected}");
        let kernel = Rule::VariableKernel(VariableKernel::new().with_neighbors(2).with_averaged(1));
        assert_eq!(class(&kernel, 3), [[1]]);
        let shares = kernel.shares(&query, references, 1, None).unwrap();
        assert!((shares[0] + shares[1] - 1.0).abs() < 1e-12 && shares[1] > 0.5);
        let text = serde_json::to_string(&kernel).unwrap();
        assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), kernel, "{text}");
    }

    #[test]
    fn a_weight_counts_a_reference_as_often_and_none_leaves_it_out() {
        let points = tensor(&[0.0, 0.0, 0.7, 2.1, 2.1, 0.7], 2);
        let query = points.clone().slice([2..3]);
        let twice = Tensor::cat(vec![points.clone(), points.clone().slice([1..2])], 0);
        for rule in [Rule::Neighbors, Rule::Manhattan, Rule::Members(MemberRule::new(2))] {
            let of = |points: &Tensor<2>, labels: &[usize], weights: Option<&[f64]>| {
                let of = ClassReferences { weights, ..ClassReferences::new(points, labels, 2) };
                rule.probabilities(&query, of, None).unwrap().probability(0, 1)
            };
            let counted = of(&twice, &[0, 1, 0, 1], None);
            let weighted = of(&points, &[0, 1, 0], Some(&[1.0, 2.0, 1.0]));
            assert!((weighted - counted).abs() < 1e-9, "{rule:?}");
            assert_eq!(of(&points, &[0, 1, 0], Some(&[1.0, 0.0, 1.0])), 0.0, "{rule:?}");
        }
    }
}
