//! How the training rows of a model decide about others, in the space of its map.
//!
//! A new rule is a type that implements [`ClassRule`], and a variant of [`Rule`] that holds it.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::manhattan::{nearest_excluding, weighted_probabilities as manhattan_weighted};
use super::{
    ClassProbabilities, CoincidenceRule, Exclude, MemberRule, NearestConfig, Neighbors, Numbers,
    VariableKernel, Voters, kernel_means, manhattan_means,
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
}

/// How references decide about the class of queries.
///
/// Queries `[m, k]` are in the space of the references. `own[i]` is the reference that is query i, and has no say
/// about it, nor has any of its group; without `own` no query is a reference. A rule that says only the probabilities
/// decides by them, whatever k is.
pub trait ClassRule {
    /// The class of each query by its k nearest references, for each k of `ks` (one search may serve all).
    ///
    /// # Errors
    /// k of 0 or more than there are references, a coordinate that is not finite.
    fn classes(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        ks: &[usize],
        own: Option<&[usize]>,
    ) -> Result<Vec<Vec<usize>>> {
        let classes = self.probabilities(queries, references, own)?.most_probable();
        Ok(vec![classes; ks.len()])
    }

    /// How strongly each class is voted for by the k nearest references, row-major `[m, c]`; rows sum to 1.
    ///
    /// # Errors
    /// As [`classes`](Self::classes).
    fn shares(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        _k: usize,
        own: Option<&[usize]>,
    ) -> Result<Vec<f64>> {
        let probabilities = self.probabilities(queries, references, own)?;
        let rows = 0..probabilities.rows();
        Ok(rows.flat_map(|row| probabilities.log_probabilities(row)).map(|log| log.exp()).collect())
    }

    /// The probability of each class by all references.
    ///
    /// # Errors
    /// A coordinate that is not finite.
    fn probabilities(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities>;
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

impl Rule {
    /// The rule as it decides about classes.
    pub fn of_classes(&self) -> &dyn ClassRule {
        match self {
            Self::Neighbors => &Distance::Euclidean,
            Self::Coincidence(rule) => rule,
            Self::Manhattan => &Distance::Manhattan,
            Self::VariableKernel(rule) => rule,
            Self::Members(rule) => rule,
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
        self.distance().nearest(queries, references, k, exclude)
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
            _ => self.distance().kernel_means(queries, references, numbers, own),
        }
    }

    fn distance(&self) -> Distance {
        match self {
            Self::Manhattan => Distance::Manhattan,
            _ => Distance::Euclidean,
        }
    }
}

/// The distance that neighbors are near in.
#[derive(Clone, Copy)]
enum Distance {
    Euclidean,
    Manhattan,
}

impl Distance {
    fn nearest(
        self,
        queries: &Tensor<2>,
        references: &Tensor<2>,
        k: usize,
        exclude: Exclude<'_>,
    ) -> Result<Neighbors> {
        match self {
            Self::Euclidean => NearestConfig::new(k).search_excluding(queries, references, exclude),
            Self::Manhattan => nearest_excluding(queries, references, k, exclude),
        }
    }

    fn kernel_means(
        self,
        queries: &Tensor<2>,
        references: &Tensor<2>,
        numbers: Numbers<'_>,
        own: Option<&[usize]>,
    ) -> Result<Vec<f64>> {
        match self {
            Self::Euclidean => kernel_means(queries, references, numbers, own),
            Self::Manhattan => manhattan_means(queries, references, numbers, own),
        }
    }
}

/// The vote of the k nearest, and the stochastic rule over all.
impl ClassRule for Distance {
    fn classes(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        ks: &[usize],
        own: Option<&[usize]>,
    ) -> Result<Vec<Vec<usize>>> {
        let most = ks.iter().copied().max().unwrap_or(1);
        let voters = references.voters()?;
        let exclude = voters.exclude(own);
        let neighbors = self.nearest(queries, references.embedding, most, exclude)?;
        ks.iter().map(|&k| voters.majority(&neighbors, k)).collect()
    }

    fn shares(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        k: usize,
        own: Option<&[usize]>,
    ) -> Result<Vec<f64>> {
        let voters = references.voters()?;
        let exclude = voters.exclude(own);
        voters.shares(&self.nearest(queries, references.embedding, k, exclude)?, k)
    }

    fn probabilities(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        let ClassReferences { embedding, labels, classes, weights, .. } = references;
        let voters = references.voters()?;
        match self {
            Self::Euclidean => voters.probabilities(queries, embedding, own),
            Self::Manhattan => {
                let exclude = voters.exclude(own);
                manhattan_weighted(queries, embedding, (labels, weights), classes, exclude)
            }
        }
    }
}

/// The number of neighbors is that which the width was learned for, whatever k is asked for.
impl ClassRule for VariableKernel {
    fn probabilities(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        let ClassReferences { embedding, labels, classes, weights, .. } = references;
        let exclude = references.voters()?.exclude(own);
        self.weighted_probabilities(queries, embedding, (labels, weights), classes, exclude)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::neighbors::{leave_one_out_probabilities, majority_vote, nearest_others};

    #[test]
    fn the_rule_of_neighbors_is_votes_and_the_stochastic_rule() {
        let points = Tensor::<2>::from_floats([[0.0], [1.0], [3.0], [4.0]], &Device::flex());
        let labels = [0, 0, 1, 1];
        let references = ClassReferences::new(&points, &labels, 2);
        let own = [0, 1, 2, 3];
        let rule = Rule::default();
        let rule = rule.of_classes();
        let classes = rule.classes(&points, references, &[1, 3], Some(&own)).unwrap();
        assert_eq!(classes[0], labels);
        let neighbors = nearest_others(&points, 3).unwrap();
        assert_eq!(classes[1], majority_vote(&neighbors, &labels, 2, 3).unwrap());
        let shares = rule.shares(&points, references, 2, Some(&own)).unwrap();
        assert_eq!(shares[..2], [0.5, 0.5]);
        let probabilities = rule.probabilities(&points, references, Some(&own)).unwrap();
        assert_eq!(probabilities, leave_one_out_probabilities(&points, &labels, 2).unwrap());
    }

    #[test]
    fn a_rule_takes_its_own_distance_and_its_own_number_of_neighbors() {
        let points =
            Tensor::<2>::from_floats([[3.0, 0.0], [2.0, 2.0], [9.0, 9.0]], &Device::flex());
        let query = Tensor::<2>::from_floats([[0.0, 0.0]], &Device::flex());
        let references = ClassReferences::new(&points, &[0, 1, 1], 2);
        let class =
            |rule: &Rule, k| rule.of_classes().classes(&query, references, &[k], None).unwrap();
        assert_eq!([class(&Rule::Neighbors, 1), class(&Rule::Manhattan, 1)], [[[1]], [[0]]]);
        let found = Rule::Manhattan.nearest(&query, &points, 1, Exclude::nothing()).unwrap();
        assert_eq!(found.indices(0), [0]);
        let numbers = Numbers::new(&[1.0, 2.0, 30.0], 1);
        let mean = Rule::Manhattan.kernel_means(&query, &points, numbers, None).unwrap()[0];
        let expected = (1.0 + 2.0 * (-1f64).exp()) / (1.0 + (-1f64).exp());
        assert!((mean - expected).abs() < 1e-5, "{mean} {expected}");
        let kernel = Rule::VariableKernel(VariableKernel::new().with_neighbors(2).with_averaged(1));
        assert_eq!(class(&kernel, 3), [[1]]);
        let shares = kernel.of_classes().shares(&query, references, 1, None).unwrap();
        assert!((shares[0] + shares[1] - 1.0).abs() < 1e-12 && shares[1] > 0.5);
        let text = serde_json::to_string(&kernel).unwrap();
        assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), kernel, "{text}");
    }

    #[test]
    fn a_rule_is_saved_by_its_name() {
        let text = serde_json::to_string(&Rule::Neighbors).unwrap();
        assert_eq!(text, r#"{"kind":"Neighbors"}"#);
        assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), Rule::Neighbors);
    }
}
