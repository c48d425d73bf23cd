//! What every kind of training data has: features, targets, a scaling, splits and folds.

use std::any::Any;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Coincidences, Features, Labeled, RegressionData, Scaling, Split, random_folds, random_split,
};
use crate::{Error, Result};

/// What a metric is learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// A class per row.
    Classes,
    /// Numbers per row.
    Numbers,
    /// Pairs of rows that belong together.
    Pairs,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Classes => "classes",
            Self::Numbers => "numbers",
            Self::Pairs => "pairs",
        })
    }
}

/// Training data of any kind, borrowed.
#[derive(Clone, Copy, Debug)]
pub enum AnyData<'a> {
    /// A class per row.
    Classes(&'a Labeled),
    /// Numbers per row.
    Numbers(&'a RegressionData),
    /// Pairs of rows.
    Pairs(&'a Coincidences),
    /// Rows alone.
    Unlabeled(&'a Features),
}

impl<'a> AnyData<'a> {
    /// The features, `[n, d]`.
    pub fn features(self) -> &'a Features {
        match self {
            Self::Classes(data) => data.features(),
            Self::Numbers(data) => data.features(),
            Self::Pairs(data) => data.features(),
            Self::Unlabeled(features) => features,
        }
    }

    /// What can be learned from them; `None` for rows alone.
    pub fn task(self) -> Option<Task> {
        match self {
            Self::Classes(_) => Some(Task::Classes),
            Self::Numbers(_) => Some(Task::Numbers),
            Self::Pairs(_) => Some(Task::Pairs),
            Self::Unlabeled(_) => None,
        }
    }
}

/// Rows to learn a metric from, with their targets.
///
/// [`Labeled`], [`RegressionData`], [`Coincidences`], and [`Features`] for methods that need no target.
///
/// A split or a fold is of *units*: of rows, and of pairs where the targets are pairs (all rows are then in both
/// parts).
pub trait TrainingData: Clone + Send + Sync + 'static {
    /// What is learned from such data; `None` for rows alone, which all data hold.
    const TASK: Option<Task>;

    /// The features, `[n, d]`.
    fn features(&self) -> &Features {
        self.as_any_data().features()
    }

    /// These data, with their type forgotten.
    fn as_any_data(&self) -> AnyData<'_>;

    /// Data of this type, where they are; of data with targets [`Features`] takes the rows alone.
    fn of(data: AnyData<'_>) -> Option<&Self> {
        let data: &dyn Any = match data {
            AnyData::Classes(data) => data,
            AnyData::Numbers(data) => data,
            AnyData::Pairs(data) => data,
            AnyData::Unlabeled(data) => data,
        };
        data.downcast_ref()
    }

    /// Whether there is enough to learn from.
    ///
    /// # Errors
    /// Too few rows, or targets that separate nothing.
    fn check(&self) -> Result<()>;

    /// What a model keeps of the targets.
    fn training_targets(&self) -> TrainingTargets {
        TrainingTargets::Unlabeled
    }

    /// Number of units that a split parts: rows, or pairs.
    fn units(&self) -> usize {
        self.features().rows()
    }

    /// Holds out a share of the units, at random but seeded; of each class alike where there are classes, and whole
    /// groups where there are groups.
    ///
    /// # Errors
    /// A share outside 0..1.
    fn split(&self, share: f64, seed: u64) -> Result<Split> {
        random_split(self.units(), share, seed)
    }

    /// Folds of a cross-validation: every unit is held out once.
    ///
    /// # Errors
    /// Fewer than two folds, or too few units (of a class) for them.
    fn folds(&self, folds: usize, seed: u64) -> Result<Vec<Split>> {
        random_folds(self.units(), folds, seed)
    }

    /// These units, in that order.
    ///
    /// # Errors
    /// Units that are no data by themselves: pairs without a positive weight.
    ///
    /// # Panics
    /// If a number is not below [`units`](Self::units).
    fn part(&self, units: &[usize]) -> Result<Self>;

    /// The rows of positive weight, where there are others: only these are learned from.
    fn counting(&self) -> Option<Vec<usize>> {
        None
    }

    /// The part to learn from and the part that early stopping follows.
    ///
    /// # Errors
    /// A share that leaves a part without anything.
    fn hold_out(&self, share: f64, seed: u64) -> Result<(Self, Self)> {
        let split = self.split(share, seed)?;
        if split.test.is_empty() {
            return Err(Error::setting(format!(
                "early stopping on a share of {share} of {} rows leaves no held-out row; give more rows or a larger \
                 share, or switch early stopping off",
                self.units()
            )));
        }
        Ok((self.part(&split.train)?, self.part(&split.test)?))
    }

    /// The rows in the order in which passes over them are cheapest.
    #[must_use]
    fn arranged(self) -> Self {
        self
    }

    /// Rows whose class is not known, in addition to those of [`features`](Self::features).
    fn unlabeled(&self) -> Option<&Features> {
        None
    }

    /// Number of rows that are the only ones of their class.
    fn num_unmatched(&self) -> usize {
        0
    }

    /// The same rows, scaled.
    ///
    /// # Errors
    /// Other columns than those of the scaling.
    fn scaled(&self, scaling: &Scaling) -> Result<Self> {
        let mut data = self.clone();
        data.scale(scaling)?;
        Ok(data)
    }

    /// Scales the rows in place, as [`Scaling::apply_in_place`].
    ///
    /// # Errors
    /// Other columns than those of the scaling.
    fn scale(&mut self, scaling: &Scaling) -> Result<()>;
}

/// The targets of the training rows of a fitted model.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainingTargets {
    /// One class per row.
    Classes {
        /// The name of each class.
        names: Vec<String>,
        /// The class of each row.
        labels: Vec<usize>,
        /// How much each row counts in a vote; alike without.
        weights: Option<Vec<f64>>,
        /// The group of each row: rows of one group have no say about each other.
        groups: Option<Vec<usize>>,
    },
    /// Numbers per row.
    Numbers {
        /// The numbers, `[n, m]`, in their own units.
        targets: Features,
        /// How much each row counts in a mean; alike without.
        weights: Option<Vec<f64>>,
        /// The group of each row: rows of one group have no say about each other.
        groups: Option<Vec<usize>>,
    },
    /// Nothing: the metric was learned from pairs, or from the features alone.
    Unlabeled,
}

impl TrainingTargets {
    /// What a message calls the rows.
    #[doc(hidden)]
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Classes { .. } => "classes",
            Self::Numbers { .. } => "numbers",
            Self::Unlabeled => "pairs",
        }
    }
}
