//! Pairs of points, each known to be alike or known to be different.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Two points, and whether they are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LabeledPair {
    /// The point whose neighborhood the pair is about; pairs of one anchor may share a length scale.
    pub anchor: usize,
    /// The other point.
    pub other: usize,
    /// y: whether the two should coincide (1) or be distinguished (0).
    pub coincide: bool,
    /// Which of several maps the pair is about; 0 where there is one.
    pub map: usize,
}

impl LabeledPair {
    /// A pair that should coincide.
    pub fn alike(anchor: usize, other: usize) -> Self {
        Self { anchor, other, coincide: true, map: 0 }
    }

    /// A pair that should be separated.
    pub fn different(anchor: usize, other: usize) -> Self {
        Self { anchor, other, coincide: false, map: 0 }
    }
}

/// Pairs among n points, each known to be alike (y = 1) or different (y = 0).
///
/// # Examples
/// ```
/// use burn_nca_data::{LabeledPair, LabeledPairs};
///
/// let pairs = vec![LabeledPair::alike(0, 1), LabeledPair::different(0, 2)];
/// let pairs = LabeledPairs::new(3, pairs)?;
/// assert_eq!((pairs.len(), pairs.alike(), pairs.anchors()), (2, 1, 1));
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LabeledPairs {
    points: usize,
    pairs: Vec<LabeledPair>,
    /// The number of each pair's anchor, counted in the order in which anchors appear.
    scales: Vec<usize>,
    anchors: usize,
}

impl LabeledPairs {
    /// Pairs among `points` points, which are numbered from 0.
    ///
    /// # Errors
    /// A point out of range, a point paired with itself, or no pair at all.
    pub fn new(points: usize, pairs: Vec<LabeledPair>) -> Result<Self> {
        for (at, pair) in pairs.iter().enumerate() {
            let LabeledPair { anchor, other, .. } = *pair;
            if anchor >= points || other >= points {
                return Err(Error::data(format!(
                    "pair {} is of points {anchor} and {other}, but there are {points} points, numbered \
                     from 0; correct the pair",
                    at + 1
                )));
            }
            if anchor == other {
                return Err(Error::data(format!(
                    "pair {} is of point {anchor} and itself; remove the pair",
                    at + 1
                )));
            }
        }
        if pairs.is_empty() {
            return Err(Error::data(
                "there is no pair to learn from; give at least one of each kind",
            ));
        }
        Ok(Self::of(points, pairs))
    }

    fn of(points: usize, pairs: Vec<LabeledPair>) -> Self {
        let mut numbers = HashMap::new();
        let scale = |pair: &LabeledPair| {
            let next = numbers.len();
            *numbers.entry(pair.anchor).or_insert(next)
        };
        let scales = pairs.iter().map(scale).collect();
        Self { points, pairs, scales, anchors: numbers.len() }
    }

    /// Number of points, n, paired or not.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no pair (as in a mini-batch that holds no pair's both ends).
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Number of pairs that are alike.
    pub fn alike(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.coincide).count()
    }

    /// Number of different anchors.
    pub fn anchors(&self) -> usize {
        self.anchors
    }

    /// Number of maps that the pairs are about.
    pub fn maps(&self) -> usize {
        self.pairs.iter().map(|pair| pair.map + 1).max().unwrap_or(1)
    }

    /// The pairs, in the order in which they were given.
    pub fn pairs(&self) -> &[LabeledPair] {
        &self.pairs
    }

    /// The number of each pair's anchor, counted from 0 in the order in which anchors appear.
    pub fn scales(&self) -> &[usize] {
        &self.scales
    }

    /// These pairs and those of `more` that are not among them, at the end: anchors keep their numbers.
    #[must_use]
    pub fn with(&self, more: &[LabeledPair]) -> Self {
        let known: HashSet<&LabeledPair> = self.pairs.iter().collect();
        let added = more.iter().filter(|pair| !known.contains(pair));
        Self::of(self.points, self.pairs.iter().chain(added).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_pairs_leave_anchors_their_numbers_and_repeats_out() {
        let first = vec![LabeledPair::alike(4, 1), LabeledPair::different(4, 2)];
        let pairs = LabeledPairs::new(5, first).unwrap();
        let pairs = pairs.with(&[LabeledPair::different(0, 2), LabeledPair::different(4, 2)]);
        assert_eq!((pairs.len(), pairs.anchors(), pairs.alike()), (3, 2, 1));
        assert_eq!(pairs.scales(), [0, 0, 1]);
    }
}
