//! The votes of the nearest neighbors, without weights.

use super::ranking::Neighbors;
use super::voters::Voters;
use crate::error::Result;

/// The majority class among the `k` nearest neighbors of each query.
///
/// ```text
/// ŷ_i = argmax_c #{ j among the k nearest of i : y_j = c }
/// ```
/// Among classes with equally many votes, the class of the nearest neighbor of any of them wins: with
/// k = 2 and one vote each this is the nearest neighbor's class.
///
/// `neighbors` may hold more than k neighbors, so that one search serves several k. `labels` are the
/// classes of the reference rows, counted from 0 and below `classes`.
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

/// The share of each class in the votes of the `k` nearest neighbors, row-major `[n, c]`; rows sum to 1.
///
/// # Errors
/// As [`majority_vote`].
pub fn vote_shares(
    neighbors: &Neighbors,
    labels: &[usize],
    classes: usize,
    k: usize,
) -> Result<Vec<f64>> {
    Voters::new(labels, classes, None)?.shares(neighbors, k)
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Tensor};

    use super::super::search::{nearest, nearest_others};
    use super::*;

    fn line(points: &[f32]) -> Tensor<2> {
        Tensor::<1>::from_floats(points, &Device::flex()).unsqueeze_dim(1)
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
        let shares = vote_shares(&neighbors, &labels, 3, 4).unwrap();
        assert_eq!(shares, [0.25, 0.5, 0.25]);
    }

    #[test]
    fn a_vote_of_more_neighbors_than_were_searched_is_refused_with_both_numbers() {
        let neighbors = nearest_others(&line(&[0.0, 1.0, 3.0]), 2).unwrap();
        let error = majority_vote(&neighbors, &[0, 1, 1], 2, 3).unwrap_err().to_string();
        assert!(error.contains("k = 3") && error.contains("2 were searched"), "{error}");
        assert!(majority_vote(&neighbors, &[0, 1], 2, 1).is_err());
        assert!(majority_vote(&neighbors, &[0, 1, 2], 2, 1).is_err());
    }

    #[test]
    fn one_class_always_wins() {
        let neighbors = nearest_others(&line(&[0.0, 1.0, 3.0]), 2).unwrap();
        assert_eq!(majority_vote(&neighbors, &[0; 3], 1, 2).unwrap(), [0; 3]);
    }
}
