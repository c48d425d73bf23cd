//! Rows of features, and pairs of them that belong together.

use super::{Features, Pairs};
use crate::error::{Error, Result};

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
