//! The ranks of held-out partners: an evaluation without labels.

use std::collections::BTreeMap;

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::Quantiles;
use crate::data::{Features, Pairs};
use crate::error::{Error, Result};
use crate::neighbors::{Points, sq_distance};

/// Where the partners of held-out pairs are among the neighbors: what can be measured without labels.
///
/// Each pair (a, b) asks twice, from a for b and from b for a. The candidates are all other points but the known partners
/// of the one who asks (those of `known`, and of other held-out pairs). The rank is 1 where no candidate is nearer; points
/// at the distance of the partner ([`neighbors`](crate::neighbors) says when distances are equal) count half, so that a
/// metric that has collapsed to a point gains nothing.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::data::Pairs;
/// use burn_nca_learn::evaluate::PartnerRanks;
///
/// let points = Tensor::<2>::from_floats([[0.0], [1.0], [3.0], [9.0]], &Device::flex());
/// let pairs = Pairs::new(4, vec![(0, 2, 1.0)])?;
/// // From 0, point 1 is nearer than point 2; from 2, point 1 is nearer than point 0.
/// let ranks = PartnerRanks::of(&points, &pairs, None)?;
/// assert_eq!(ranks.ranks(), [2.0, 2.0]);
/// assert_eq!((ranks.recall(1), ranks.recall(2)), (Some(0.0), Some(1.0)));
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PartnerRanks {
    ranks: Vec<f64>,
}

impl PartnerRanks {
    /// The ranks for the pairs `asked` among the rows of `embedding`, `[n, k]`; pairs of weight 0 do not ask.
    ///
    /// # Errors
    /// Pairs of another number of points than the embedding has rows, or coordinates that are not finite.
    pub fn of(embedding: &Tensor<2>, asked: &Pairs, known: Option<&Pairs>) -> Result<Self> {
        Self::among(&Points::read(embedding, "embedding")?, asked, known)
    }

    /// The same among rows on the host, which are not copied.
    ///
    /// # Errors
    /// As [`PartnerRanks::of`].
    pub fn of_features(rows: &Features, asked: &Pairs, known: Option<&Pairs>) -> Result<Self> {
        Self::among(&Points::of(rows, "rows")?, asked, known)
    }

    fn among(points: &Points, asked: &Pairs, known: Option<&Pairs>) -> Result<Self> {
        for pairs in [Some(asked), known].into_iter().flatten() {
            if pairs.points() != points.rows() {
                return Err(Error::data(format!(
                    "the pairs are of {} points, the embedding has {} rows; embed all the points",
                    pairs.points(),
                    points.rows()
                )));
            }
        }
        let mut partners: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (a, b, weight) in known.into_iter().chain([asked]).flat_map(Pairs::iter) {
            if weight > 0.0 {
                partners.entry(a).or_default().push(b);
                partners.entry(b).or_default().push(a);
            }
        }
        let asked = asked.iter().filter(|pair| pair.2 > 0.0);
        let queries: Vec<(usize, usize)> = asked.flat_map(|(a, b, _)| [(a, b), (b, a)]).collect();
        let rank = |&(from, to): &(usize, usize)| rank(points, (from, to), &partners[&from]);
        Ok(Self { ranks: queries.par_iter().map(rank).collect() })
    }

    /// The rank for each question, two a pair, in the order of the pairs; from 1.
    pub fn ranks(&self) -> &[f64] {
        &self.ranks
    }

    /// The share of questions whose partner is among the k nearest candidates, 0..1; `None` without any.
    pub fn recall(&self, k: usize) -> Option<f64> {
        let found = self.ranks.iter().filter(|rank| **rank <= k as f64).count();
        (!self.ranks.is_empty()).then(|| found as f64 / self.ranks.len() as f64)
    }

    /// The median rank; `None` without any.
    pub fn median(&self) -> Option<f64> {
        Quantiles::of(&self.ranks).map(|all| all.median)
    }

    /// The mean of 1 / rank, 0..1: 1 where every partner is the nearest; `None` without any.
    pub fn mean_reciprocal(&self) -> Option<f64> {
        let sum: f64 = self.ranks.iter().map(|rank| rank.recip()).sum();
        (!self.ranks.is_empty()).then(|| sum / self.ranks.len() as f64)
    }
}

/// The rank of point `to` by distance from point `from`.
fn rank(points: &Points, (from, to): (usize, usize), partners: &[usize]) -> f64 {
    let query = points.row(from);
    let wanted = sq_distance(query, points.row(to));
    let resolution = points.resolution(from, points);
    let (mut nearer, mut equal) = (0usize, 0usize);
    for other in (0..points.rows()).filter(|&other| other != from && other != to) {
        let apart = sq_distance(query, points.row(other));
        if resolution.sq_reach(apart) < wanted {
            nearer += usize::from(!partners.contains(&other));
        } else if apart <= resolution.sq_reach(wanted) {
            equal += usize::from(!partners.contains(&other));
        }
    }
    1.0 + nearer as f64 + 0.5 * equal as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::fixture::line;

    #[test]
    fn known_partners_do_not_count_against_the_one_that_is_asked_for() {
        let points = line(&[0.0, 1.0, 2.0, 3.0, 50.0]);
        let asked = Pairs::new(5, vec![(0, 3, 1.0)]).unwrap();
        let known = Pairs::new(5, vec![(0, 1, 1.0), (4, 2, 0.0)]).unwrap();
        // From 0: 2 is nearer (1 is a known partner). From 3: 2 and 1 are nearer.
        assert_eq!(PartnerRanks::of(&points, &asked, Some(&known)).unwrap().ranks(), [2.0, 3.0]);
        let alone = PartnerRanks::of(&points, &asked, None).unwrap();
        assert_eq!(alone.ranks(), [3.0, 3.0]);
        assert_eq!(alone.median(), Some(3.0));
        assert!((alone.mean_reciprocal().unwrap() - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn a_collapsed_embedding_has_the_rank_of_chance() {
        let asked = Pairs::new(5, vec![(0, 3, 1.0)]).unwrap();
        let ranks = PartnerRanks::of(&line(&[7.0; 5]), &asked, None).unwrap();
        assert_eq!(ranks.ranks(), [2.5, 2.5]);
        assert_eq!((ranks.recall(2), ranks.recall(3)), (Some(0.0), Some(1.0)));
    }
}
