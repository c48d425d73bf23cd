//! A table with numeric targets.

use super::labeled::check_groups;
use super::{Features, check_weights};
use crate::{Error, Result};

/// A measured table: rows of features, and the numbers to predict from them.
///
/// # Examples
/// ```
/// use burn_nca_data::{Features, RegressionData};
///
/// let houses = Features::unnamed(vec![6.5, 4.0, 6.4, 9.1, 7.1, 4.0], 2)?;
/// let data = RegressionData::new(houses, "price", vec![24.0, 21.6, 34.7])?;
/// assert_eq!((data.rows(), data.targets().names()), (3, &["price".to_string()][..]));
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RegressionData {
    pub(super) features: Features,
    targets: Features,
    weights: Option<Vec<f64>>,
    groups: Option<Vec<usize>>,
}

impl RegressionData {
    /// Joins features `[n, d]` with n numbers of one target.
    ///
    /// # Errors
    /// Not one number per row, or a number that is not finite (its row is named).
    pub fn new(features: Features, target: &str, values: Vec<f64>) -> Result<Self> {
        Self::with_targets(features, Features::new(values, vec![target.to_string()])?)
    }

    /// Joins features `[n, d]` with targets `[n, m]`.
    ///
    /// # Errors
    /// Not one row of targets a row.
    pub fn with_targets(features: Features, targets: Features) -> Result<Self> {
        if features.rows() != targets.rows() {
            return Err(Error::data(format!(
                "the targets have {} rows, the features {}; give one row of targets a row",
                targets.rows(),
                features.rows()
            )));
        }
        Ok(Self { features, targets, weights: None, groups: None })
    }

    /// The same rows, each with a weight: how much its term counts in the objective that is fitted, and its number in the
    /// predictions of the model. As [`Labeled::with_weights`](super::Labeled::with_weights).
    ///
    /// # Errors
    /// Not one weight per row, a weight that is negative or not finite, or none that is positive.
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self> {
        check_weights(&weights, self.rows())?;
        Ok(Self { weights: Some(weights), ..self })
    }

    /// The same rows, each of a group that no split and no fold may part. As
    /// [`Labeled::with_groups`](super::Labeled::with_groups).
    ///
    /// # Errors
    /// Not one group per row.
    pub fn with_groups(self, groups: Vec<usize>) -> Result<Self> {
        check_groups(&groups, self.rows())?;
        Ok(Self { groups: Some(groups), ..self })
    }

    /// The group of each row, where there are groups.
    pub fn groups(&self) -> Option<&[usize]> {
        self.groups.as_deref()
    }

    /// The weight of each row, where there are weights.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The features, `[n, d]`.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The targets, `[n, m]`, in their own units.
    pub fn targets(&self) -> &Features {
        &self.targets
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.features.rows()
    }

    /// The rows `indices`, in that order, with their weights and groups.
    ///
    /// # Panics
    /// If an index is not below [`rows`](Self::rows).
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let (weights, groups) = (self.weights.as_ref(), self.groups.as_ref());
        Self {
            features: self.features.select(indices),
            targets: self.targets.select(indices),
            weights: weights.map(|weights| indices.iter().map(|&row| weights[row]).collect()),
            groups: groups.map(|groups| indices.iter().map(|&row| groups[row]).collect()),
        }
    }

    /// The same rows with other features (after a scaling, say).
    ///
    /// # Errors
    /// Another number of rows.
    pub fn with_features(&self, features: Features) -> Result<Self> {
        let other = Self::with_targets(features, self.targets.clone())?;
        Ok(Self { weights: self.weights.clone(), groups: self.groups.clone(), ..other })
    }
}
