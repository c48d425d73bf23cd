//! Reference rows that say what class a query has, each with its weight in the vote.

use burn::tensor::Tensor;

use super::excluded::Exclude;
use super::points::{check_groups, check_labels, read_both};
use super::probabilities::ClassProbabilities;
use super::ranking::Neighbors;
use crate::data::check_weights;
use crate::error::{Error, Result};

/// Sums of weights that differ by less than this are equal: 0.1 + 0.2 is 0.3.
const EQUAL: f64 = 1e-12;

/// The classes of reference rows, and how much the voice of each counts.
///
/// ```text
/// votes         argmax_c Σ_{j among the k nearest, y_j = c} w_j
/// stochastic    P(c | x_i) = Σ_{j: y_j = c} w_j exp(-d²_ij) / Σ_l w_l exp(-d²_il)
/// ```
/// Without weights each counts 1.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::neighbors::{Voters, nearest};
///
/// let device = Device::flex();
/// let references = Tensor::<2>::from_floats([[0.0], [1.0], [2.0]], &device);
/// let neighbors = nearest(&Tensor::from_floats([[0.2]], &device), &references, 3, None)?;
/// let rare = Voters::new(&[0, 0, 1], 2, Some(&[1.0, 1.0, 5.0]))?;
/// assert_eq!(rare.majority(&neighbors, 3)?, [1]);
/// assert_eq!(Voters::new(&[0, 0, 1], 2, None)?.majority(&neighbors, 3)?, [0]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Voters<'a> {
    pub(super) labels: &'a [usize],
    pub(super) classes: usize,
    pub(super) weights: Option<&'a [f64]>,
    pub(super) groups: Option<&'a [usize]>,
}

impl<'a> Voters<'a> {
    /// Reference rows of these classes (below `classes`), with these weights.
    ///
    /// # Errors
    /// A class that is not below `classes`; not one weight per row, one that is negative or not finite, or none that
    /// is positive.
    pub fn new(labels: &'a [usize], classes: usize, weights: Option<&'a [f64]>) -> Result<Self> {
        check_labels(labels, labels.len(), classes)?;
        if let Some(weights) = weights {
            check_weights(weights, labels.len())?;
        }
        Ok(Self { labels, classes, weights, groups: None })
    }

    /// The same rows with the group of each: a row of one of them has no say about another.
    ///
    /// # Errors
    /// Not one group per row.
    pub fn with_groups(self, groups: Option<&'a [usize]>) -> Result<Self> {
        check_groups(groups, self.labels.len())?;
        Ok(Self { groups, ..self })
    }

    /// What queries do not find, of which `own` names the rows: itself or its group, and rows of weight 0.
    pub fn exclude(&self, own: Option<&'a [usize]>) -> Exclude<'a> {
        Exclude::own_if(own).with_groups(self.groups).with_weights(self.weights)
    }

    /// The class with the most weight among the `k` nearest neighbors of each query; ties go to the nearest.
    ///
    /// # Errors
    /// k of 0 or larger than the neighbors that were searched, or neighbors among other references.
    pub fn majority(&self, neighbors: &Neighbors, k: usize) -> Result<Vec<usize>> {
        self.check(neighbors, k)?;
        let mut votes = vec![0.0; self.classes];
        let rows = (0..neighbors.rows()).map(|row| &neighbors.indices(row)[..k]);
        Ok(rows.map(|voters| majority(voters, self.labels, self.weights, &mut votes)).collect())
    }

    /// The share of each class in the votes of the `k` nearest neighbors, row-major `[n, c]`; neighbors without any weight
    /// share alike.
    ///
    /// # Errors
    /// As [`Voters::majority`].
    pub fn shares(&self, neighbors: &Neighbors, k: usize) -> Result<Vec<f64>> {
        self.check(neighbors, k)?;
        let rows = (0..neighbors.rows()).map(|row| &neighbors.indices(row)[..k]);
        Ok(rows
            .flat_map(|voters| shares(voters, self.labels, self.weights, self.classes))
            .collect())
    }

    /// The class probabilities of queries by the stochastic rule; see
    /// [`class_probabilities`](super::class_probabilities).
    ///
    /// # Errors
    /// As [`class_probabilities`](super::class_probabilities).
    pub fn probabilities(
        &self,
        queries: &Tensor<2>,
        references: &Tensor<2>,
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        self.among(&read_both(queries, references)?, own)
    }

    fn check(&self, neighbors: &Neighbors, k: usize) -> Result<()> {
        if k == 0 || k > neighbors.k() {
            return Err(Error::setting(format!(
                "a vote of k = {k} neighbors, but {} were searched; give k from 1 to {0}, or search more",
                neighbors.k()
            )));
        }
        check_labels(self.labels, neighbors.references(), self.classes)
    }
}

/// The majority class among the `k` nearest neighbors of each query.
///
/// ```text
/// ŷ_i = argmax_c #{ j among the k nearest of i : y_j = c }
/// ```
/// Among classes with equally many votes, the class of the nearest neighbor of any of them wins. `neighbors` may hold more
/// than k, so that one search serves several k; `labels` are the classes of the reference rows, below `classes`.
///
/// # Errors
/// k of 0 or larger than the neighbors that were searched, or labels that do not fit the references.
pub fn majority_vote(
    neighbors: &Neighbors,
    labels: &[usize],
    classes: usize,
    k: usize,
) -> Result<Vec<usize>> {
    Voters::new(labels, classes, None)?.majority(neighbors, k)
}

/// The class with most votes among `voters`, nearest first; `votes` has an entry a class, 0 before and after.
pub(super) fn majority(
    voters: &[u32],
    labels: &[usize],
    weights: Option<&[f64]>,
    votes: &mut [f64],
) -> usize {
    let class = |voter: &u32| labels[*voter as usize];
    voters.iter().for_each(|voter| votes[class(voter)] += weight(weights, *voter));
    // Nearest first: only more votes displace a nearer class, and more than rounding adds.
    let most = voters.iter().map(class).fold(class(&voters[0]), |best, class| {
        if votes[class] > votes[best] * (1.0 + EQUAL) { class } else { best }
    });
    votes.fill(0.0);
    most
}

/// The share of each class in the votes of `voters`; alike where none of them has a weight.
fn shares(voters: &[u32], labels: &[usize], weights: Option<&[f64]>, classes: usize) -> Vec<f64> {
    let total: f64 = voters.iter().map(|voter| weight(weights, *voter)).sum();
    let weights = weights.filter(|_| total > 0.0);
    let total = if weights.is_some() { total } else { voters.len() as f64 };
    let mut shares = vec![0.0; classes];
    voters.iter().for_each(|voter| shares[labels[*voter as usize]] += weight(weights, *voter));
    shares.iter_mut().for_each(|share| *share /= total);
    shares
}

fn weight(weights: Option<&[f64]>, voter: u32) -> f64 {
    weights.map_or(1.0, |weights| weights[voter as usize])
}

#[cfg(test)]
mod tests {
    use super::super::fixture::line;
    use super::super::search::nearest;
    use super::*;

    #[test]
    fn weights_count_in_votes_and_shares() {
        let references = line(&[1.0, 2.0, 3.0, 4.0]);
        let neighbors = nearest(&line(&[0.0]), &references, 4, None).unwrap();
        let labels = [0, 0, 1, 2];
        let voters = |weights| Voters::new(&labels, 3, Some(weights)).unwrap();
        let weighted = voters(&[1.0, 1.0, 2.0, 6.0]);
        assert_eq!(weighted.majority(&neighbors, 3).unwrap(), [0], "a tie goes to the nearest");
        assert_eq!(weighted.majority(&neighbors, 4).unwrap(), [2]);
        assert_eq!(weighted.shares(&neighbors, 4).unwrap(), [0.2, 0.2, 0.6]);
        let silent = voters(&[0.0, 0.0, 0.0, 1.0]);
        assert_eq!(silent.majority(&neighbors, 2).unwrap(), [0]);
        assert_eq!(silent.shares(&neighbors, 3).unwrap(), [2.0 / 3.0, 1.0 / 3.0, 0.0]);
    }

    #[test]
    fn weights_that_cannot_serve_are_refused() {
        assert!(Voters::new(&[0, 1], 2, Some(&[1.0])).is_err());
        assert!(Voters::new(&[0, 1], 2, Some(&[0.0, 0.0])).is_err());
        assert!(Voters::new(&[0, 2], 2, None).is_err());
    }

    #[test]
    fn the_majority_wins_and_ties_go_to_the_nearest_tied_class() {
        let references = line(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let labels = [2, 0, 1, 1, 0];
        let neighbors = nearest(&line(&[0.0]), &references, 5, None).unwrap();
        let vote = |k| majority_vote(&neighbors, &labels, 3, k).unwrap();
        assert_eq!(vote(1), [2]);
        assert_eq!(vote(2), [2]);
        assert_eq!(vote(3), [2]);
        assert_eq!(vote(4), [1]);
        // Classes 0 and 1 have two votes each; the nearest of their points is the one of class 0 at 2.
        assert_eq!(vote(5), [0]);
        let voters = Voters::new(&labels, 3, None).unwrap();
        assert_eq!(voters.shares(&neighbors, 4).unwrap(), [0.25, 0.5, 0.25]);
    }
}
