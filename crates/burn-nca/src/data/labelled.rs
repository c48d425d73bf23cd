use super::Features;
use crate::error::{Error, Result};

/// A labelled table: rows of features and the class of each.
///
/// Classes are counted from 0; `class_names[c]` is the name of class c.
///
/// # Examples
/// ```
/// use burn_nca::data::{Features, Labelled};
///
/// let features = Features::unnamed(vec![0.0, 0.1, 1.0, 1.1], 1)?;
/// let data = Labelled::new(features, vec![0, 0, 1, 1], vec!["near".into(), "far".into()])?;
/// assert_eq!(data.class_counts(), [2, 2]);
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    features: Features,
    labels: Vec<usize>,
    class_names: Vec<String>,
}

impl Labelled {
    /// Joins features `[n, d]` with n labels.
    ///
    /// # Errors
    /// Not one label a row, or a label without a name.
    pub fn new(features: Features, labels: Vec<usize>, class_names: Vec<String>) -> Result<Self> {
        if labels.len() != features.rows() {
            return Err(Error::data(format!(
                "{} labels for {} rows; give one label a row",
                labels.len(),
                features.rows()
            )));
        }
        if let Some((row, label)) =
            labels.iter().enumerate().find(|(_, label)| **label >= class_names.len())
        {
            return Err(Error::data(format!(
                "row {} has label {label}, but only {} classes are named; name every class",
                row + 1,
                class_names.len()
            )));
        }
        Ok(Self { features, labels, class_names })
    }

    /// Joins features with integer labels, naming each class by its number (`"0"`, `"1"`, …).
    ///
    /// # Errors
    /// As [`Labelled::new`].
    pub fn from_labels(features: Features, labels: Vec<usize>) -> Result<Self> {
        let classes = labels.iter().max().map_or(0, |label| label + 1);
        Self::new(features, labels, (0..classes).map(|class| class.to_string()).collect())
    }

    /// The features, `[n, d]`.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The class of each row.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The name of each class.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Number of named classes, c (one of them may have no row).
    pub fn classes(&self) -> usize {
        self.class_names.len()
    }

    /// Number of rows of each class.
    pub fn class_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes()];
        for &label in &self.labels {
            counts[label] += 1;
        }
        counts
    }

    /// The rows `indices`, in that order, with all class names kept.
    ///
    /// # Panics
    /// If an index is not below [`rows`](Self::rows).
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        Self {
            features: self.features.select(indices),
            labels: indices.iter().map(|&index| self.labels[index]).collect(),
            class_names: self.class_names.clone(),
        }
    }

    /// The same rows with other features (after a scaling, say).
    ///
    /// # Errors
    /// Another number of rows.
    pub fn with_features(&self, features: Features) -> Result<Self> {
        Self::new(features, self.labels.clone(), self.class_names.clone())
    }
}
