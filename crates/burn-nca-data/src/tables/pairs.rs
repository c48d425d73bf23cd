//! Weighted pairs of similar points, and rows of features with them.

use super::Features;
use super::sparse_rows::SparseRows;
use crate::{Error, Result};

/// Weighted pairs of points that are known to be close; no labels.
///
/// Each pair `(a, b, w_ab)` is one term of equation 8. The order of a and b does not matter; a pair given
/// twice counts twice. Weights are not negative; the paper's lie in 0..1.
///
/// # Examples
/// ```
/// use burn_nca_data::Pairs;
///
/// // Four frames of a film: neighbors in time belong together.
/// let pairs = Pairs::new(4, vec![(0, 1, 1.0), (1, 2, 1.0), (2, 3, 0.5)])?;
/// assert_eq!((pairs.points(), pairs.len(), pairs.total_weight()), (4, 3, 2.5));
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    table: SparseRows,
}

impl Pairs {
    /// Pairs among `points` points, which are numbered from 0.
    ///
    /// # Errors
    /// A point out of range, a point paired with itself, a weight that is negative or not finite, or no
    /// pair of positive weight.
    pub fn new(points: usize, pairs: Vec<(usize, usize, f64)>) -> Result<Self> {
        for (at, &(a, b, weight)) in pairs.iter().enumerate() {
            let pair = at + 1;
            if a >= points || b >= points {
                return Err(Error::data(format!(
                    "pair {pair} joins points {a} and {b}, but there are {points} points, numbered from \
                     0; correct the pair"
                )));
            }
            if a == b {
                return Err(Error::data(format!(
                    "pair {pair} joins point {a} with itself; remove the pair"
                )));
            }
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(Error::data(format!(
                    "pair {pair} ({a}, {b}) has the weight {weight}; give a finite number that is not \
                     negative"
                )));
            }
        }
        if !pairs.iter().any(|pair| pair.2 > 0.0) {
            return Err(Error::data(format!(
                "none of the {} pairs has a positive weight; give at least one",
                pairs.len()
            )));
        }
        Ok(Self { table: SparseRows::new(points, pairs) })
    }

    /// Number of points, n, paired or not.
    pub fn points(&self) -> usize {
        self.table.points()
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.table.columns().len()
    }

    /// Whether there is no pair (as in a mini-batch that holds no pair's both ends).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// W, the sum of all weights.
    pub fn total_weight(&self) -> f64 {
        self.table.weights().iter().sum()
    }

    /// The pairs `(a, b, w_ab)`, ascending by a, then b.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.points()).flat_map(|a| self.table.row(a).map(move |(b, weight)| (a, b, weight)))
    }

    /// The pairs whose both ends are among the distinct points `rows`, numbered in that order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { table: self.table.select(rows) }
    }

    /// The pairs by their first point.
    #[doc(hidden)]
    pub fn table(&self) -> &SparseRows {
        &self.table
    }
}

/// A table without labels: rows of features, and weighted pairs of rows that are known to be close.
///
/// # Examples
/// ```
/// use burn_nca_data::{Coincidences, Features, Pairs};
///
/// let frames = Features::unnamed(vec![0.0, 1.0, 2.0], 1)?;
/// let data = Coincidences::new(frames, Pairs::new(3, vec![(0, 1, 1.0), (1, 2, 1.0)])?)?;
/// assert_eq!((data.features().rows(), data.pairs().len()), (3, 2));
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Coincidences {
    pub(super) features: Features,
    pairs: Pairs,
}

impl Coincidences {
    /// Joins features `[n, d]` with pairs of n points.
    ///
    /// # Errors
    /// Pairs of another number of points than rows.
    pub fn new(features: Features, pairs: Pairs) -> Result<Self> {
        if pairs.points() != features.rows() {
            return Err(Error::data(format!(
                "the pairs are of {} points, the data have {} rows; give pairs of these rows",
                pairs.points(),
                features.rows()
            )));
        }
        Ok(Self { features, pairs })
    }

    /// The features, `[n, d]`.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Which rows belong together.
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_keeps_the_pairs_inside_it() {
        let pairs =
            Pairs::new(5, vec![(0, 4, 0.5), (4, 2, 1.0), (1, 2, 0.25), (4, 2, 1.0)]).unwrap();
        assert_eq!(pairs.select(&[2, 3, 4]).iter().collect::<Vec<_>>(), [(2, 0, 1.0), (2, 0, 1.0)]);
        assert!(pairs.select(&[3, 1]).is_empty());
    }
}
