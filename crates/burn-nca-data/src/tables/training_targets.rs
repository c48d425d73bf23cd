//! The targets of the rows that a metric is learned from: classes, numbers, or none.

use super::Features;

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
