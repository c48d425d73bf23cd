//! A table of rows with one class per row.

use std::collections::HashMap;
use std::iter::once;
use std::sync::{Arc, OnceLock};

use super::Features;
use crate::{Error, Result, quoted};

/// Labels that a table of few rows may have: classes without a row cost memory, too.
const FEW_CLASSES: usize = 1 << 16;

/// A labeled table: rows of features and the class of each.
///
/// Classes are counted from 0; `class_names[c]` is the name of class c.
///
/// # Examples
/// ```
/// use burn_nca_data::{Features, Labeled};
///
/// let features = Features::unnamed(vec![0.0, 0.1, 1.0, 1.1], 1)?;
/// let data = Labeled::new(features, vec![0, 0, 1, 1], vec!["near".into(), "far".into()])?;
/// assert_eq!(data.class_counts(), [2, 2]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Labeled {
    features: Features,
    labels: Arc<Vec<usize>>,
    class_names: Vec<String>,
    weights: Option<Vec<f64>>,
    groups: Option<Vec<usize>>,
    unlabeled: Option<Arc<Features>>,
    spread: KnownSpread,
}

impl Labeled {
    /// Joins features `[n, d]` with n labels.
    ///
    /// # Errors
    /// Not one label per row, a label without a name, or two classes of one name.
    pub fn new(features: Features, labels: Vec<usize>, class_names: Vec<String>) -> Result<Self> {
        check_labels(labels.len(), &features)?;
        if let Some((row, label)) =
            labels.iter().enumerate().find(|(_, label)| **label >= class_names.len())
        {
            return Err(Error::data(format!(
                "row {} has label {label}, but only {} classes are named; name every class",
                row + 1,
                class_names.len()
            )));
        }
        check_class_names(&class_names).map_err(Error::data)?;
        Ok(Self {
            features,
            labels: Arc::new(labels),
            class_names,
            weights: None,
            groups: None,
            unlabeled: None,
            spread: KnownSpread::default(),
        })
    }

    /// Joins features with integer labels, naming each class by its number (`"0"`, `"1"`, …).
    ///
    /// Labels count the classes from 0: a table of n rows has labels below n, or below 65536.
    ///
    /// # Errors
    /// As [`Labeled::new`], or a larger label (the number of a customer, say, rather than of a class).
    pub fn from_labels(features: Features, labels: Vec<usize>) -> Result<Self> {
        let limit = labels.len().max(FEW_CLASSES);
        if let Some((row, label)) = labels.iter().enumerate().find(|(_, label)| **label >= limit) {
            return Err(Error::data(format!(
                "row {} has label {label}, but labels count the classes from 0, and {} rows can have labels \
                 below {limit}; number the classes 0, 1, 2 and so on",
                row + 1,
                labels.len()
            )));
        }
        let classes = labels.iter().max().map_or(0, |label| label + 1);
        Self::new(features, labels, (0..classes).map(|class| class.to_string()).collect())
    }

    /// The same rows, each with a weight: how much its term counts in the objective that is fitted.
    ///
    /// A row of weight 2 is two terms. One of weight 0 is left out of a fit, of votes and of scores, as if it were not there. The
    /// voices of the rows count as much in the predictions of the model (`neighbors::Voters`); scores do not use them.
    ///
    /// # Errors
    /// Not one weight per row, a weight that is negative or not finite, or none that is positive.
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self> {
        check_weights(&weights, self.rows())?;
        Ok(Self { weights: Some(weights), ..self })
    }

    /// The same rows with weights that let each class count alike.
    ///
    /// ```text
    /// w_i = n / (c n_{y_i})      c classes that have rows, n_y rows of class y; the weights add up to n
    /// ```
    #[must_use]
    pub fn with_balanced_weights(self) -> Self {
        let counts = self.class_counts();
        let present = counts.iter().filter(|count| **count > 0).count();
        let n = self.rows() as f64;
        let weight = |label: &usize| n / (present * counts[*label]) as f64;
        let weights = self.labels.iter().map(weight).collect();
        Self { weights: Some(weights), ..self }
    }

    /// The same rows, each of a group that no split and no fold may part (the visits of a patient, say).
    ///
    /// # Errors
    /// Not one group per row.
    pub fn with_groups(self, groups: Vec<usize>) -> Result<Self> {
        check_groups(&groups, self.rows())?;
        Ok(Self { groups: Some(groups), ..self })
    }

    /// The same rows with others whose class is not known, which are neighbors in the softmax of the labeled ones.
    ///
    /// ```text
    /// p_ij = exp(-||z_i - z_j||²) / Σ_l exp(-||z_i - z_l||²)      i labeled; l over all other rows, labeled or not
    /// ```
    /// A row without a class only adds to denominators, so that a labeled row among many of them is pushed toward its own class.
    /// Only a method that `method::Uses::Unlabeled` takes such data; scores, scalings, votes and splits are of the labeled rows.
    ///
    /// # Errors
    /// Rows of other columns, or no row.
    pub fn with_unlabeled(self, rows: Features) -> Result<Self> {
        if rows.names() != self.features.names() || rows.rows() == 0 {
            return Err(Error::data(format!(
                "the rows without a class are {} of the columns {}, and the rows with one have the columns {}; give \
                 rows of the same columns, one at least",
                rows.rows(),
                rows.names().join(", "),
                self.features.names().join(", ")
            )));
        }
        Ok(Self { unlabeled: Some(Arc::new(rows)), ..self })
    }

    /// The rows whose class is not known, where there are some.
    pub fn unlabeled(&self) -> Option<&Features> {
        self.unlabeled.as_deref()
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

    /// The features, and those of the rows without a class, to be scaled in place.
    pub(super) fn features_mut(&mut self) -> impl Iterator<Item = &mut Features> {
        self.spread = KnownSpread::default();
        once(&mut self.features).chain(self.unlabeled.as_mut().map(Arc::make_mut))
    }

    /// How the rows spread within their classes, where that is known.
    #[doc(hidden)]
    pub fn spread(&self) -> &KnownSpread {
        &self.spread
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
        for &label in self.labels() {
            counts[label] += 1;
        }
        counts
    }

    /// The rows `indices`, in that order, with their weights and groups; all class names and rows without a class are
    /// kept.
    ///
    /// # Panics
    /// If an index is not below [`rows`](Self::rows).
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let (weights, groups) = (self.weights.as_ref(), self.groups.as_ref());
        let (labels, spread) = match indices.iter().copied().eq(0..self.rows()) {
            true => (Arc::clone(&self.labels), self.spread.clone()),
            false => {
                let labels = indices.iter().map(|&index| self.labels[index]).collect();
                (Arc::new(labels), KnownSpread::default())
            }
        };
        Self {
            features: self.features.select(indices),
            labels,
            class_names: self.class_names.clone(),
            weights: weights.map(|weights| indices.iter().map(|&row| weights[row]).collect()),
            groups: groups.map(|groups| indices.iter().map(|&row| groups[row]).collect()),
            unlabeled: self.unlabeled.clone(),
            spread,
        }
    }

    /// The same rows with other features (after a scaling, say), without those that have no class.
    ///
    /// # Errors
    /// Another number of rows.
    pub fn with_features(&self, features: Features) -> Result<Self> {
        check_labels(self.rows(), &features)?;
        Ok(Self { features, unlabeled: None, spread: KnownSpread::default(), ..self.clone() })
    }
}

/// The sums over all rows that closed forms begin with; the groups of stage `baseline` compute them.
#[derive(Debug)]
#[doc(hidden)]
pub struct ClassSpread {
    /// Rows of each class that has some.
    pub counts: Vec<usize>,
    /// The mean of each of these classes, row-major, one row a class.
    pub means: Vec<f64>,
    /// The level of rounding of each column, `[d]`.
    pub rounding: Vec<f64>,
    /// The covariance within the classes, row-major `[d, d]`, once it is asked for.
    pub within: OnceLock<Vec<f64>>,
}

/// The spread of a table, once it is known; copies of the table share it.
///
/// It follows from the rows, and so distinguishes no tables.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct KnownSpread(Arc<OnceLock<Arc<ClassSpread>>>);

impl KnownSpread {
    /// The spread, computed where it is not known yet.
    pub fn get_or(&self, compute: impl FnOnce() -> ClassSpread) -> Arc<ClassSpread> {
        Arc::clone(self.0.get_or_init(|| Arc::new(compute())))
    }
}

impl PartialEq for KnownSpread {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Whether there is one usable weight per row.
#[doc(hidden)]
pub fn check_weights(weights: &[f64], rows: usize) -> Result<()> {
    if weights.len() != rows {
        return Err(Error::data(format!(
            "{} weights for {rows} rows; give one weight per row",
            weights.len()
        )));
    }
    let usable = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    if let Some((row, weight)) = weights.iter().enumerate().find(|(_, weight)| !usable(weight)) {
        return Err(Error::data(format!(
            "the weight of row {} is {weight}; give a finite number that is not negative",
            row + 1
        )));
    }
    if !weights.iter().any(|weight| *weight > 0.0) {
        return Err(Error::data(format!(
            "none of the {rows} rows has a positive weight; give at least one"
        )));
    }
    Ok(())
}

pub(super) fn check_groups(groups: &[usize], rows: usize) -> Result<()> {
    if groups.len() == rows {
        return Ok(());
    }
    Err(Error::data(format!("{} groups for {rows} rows; give the group of each row", groups.len())))
}

fn check_labels(labels: usize, features: &Features) -> Result<()> {
    if labels == features.rows() {
        return Ok(());
    }
    let rows = features.rows();
    Err(Error::data(format!("{labels} labels for {rows} rows; give one label per row")))
}

/// Whether every class has a name of its own; predictions are identified by names.
#[doc(hidden)]
pub fn check_class_names(names: &[String]) -> core::result::Result<(), String> {
    let mut known = HashMap::with_capacity(names.len());
    for (class, name) in names.iter().enumerate() {
        if let Some(other) = known.insert(name.as_str(), class) {
            return Err(format!(
                "the classes {} and {} are both named {}; give each class a name of its own, or both one number",
                other + 1,
                class + 1,
                quoted(name)
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize) -> Features {
        Features::unnamed(vec![0.0; n], 1).unwrap()
    }

    #[test]
    fn a_label_that_is_no_class_number_is_refused_and_not_allocated_for() {
        for label in [3_000_000_000, usize::MAX] {
            let error = Labeled::from_labels(rows(3), vec![0, label, 1]).unwrap_err().to_string();
            let expected = format!("row 2 has label {label}, but labels count the classes from 0");
            assert!(error.contains(&expected), "{error}");
            assert!(error.contains("number the classes 0, 1, 2"), "{error}");
        }
        assert_eq!(Labeled::from_labels(rows(2), vec![0, 65_535]).unwrap().classes(), 65_536);
    }

    #[test]
    fn weights_go_with_their_rows() {
        let data = Labeled::from_labels(rows(3), vec![0, 1, 1]).unwrap();
        assert_eq!(data.weights(), None);
        let data = data.with_weights(vec![1.0, 0.0, 2.5]).unwrap();
        assert_eq!(data.select(&[2, 0]).weights(), Some(&[2.5, 1.0][..]));
        assert_eq!(data.with_features(rows(3)).unwrap(), data);
        let grouped = data.clone().with_groups(vec![0, 1, 1]).unwrap();
        let grouped = grouped.with_unlabeled(rows(2)).unwrap();
        let other = grouped.with_features(rows(3)).unwrap();
        assert_eq!((other.weights(), other.groups()), (data.weights(), Some(&[0, 1, 1][..])));
        assert_eq!(other.unlabeled(), None);
        assert_eq!(data.with_balanced_weights().weights(), Some(&[1.5, 0.75, 0.75][..]));
    }
}
