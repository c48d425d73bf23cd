//! What is known of the training rows, and what was learnt from it.

use serde::{Deserialize, Serialize};

use crate::data::{AgreementWidth, Features, Labelled, Measured};
use crate::objective::Criterion;
use burn::config::Config;

/// What is known of the training rows of a fitted model.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// A class a row.
    Classes {
        /// The name of each class.
        names: Vec<String>,
        /// The class of each row.
        labels: Vec<usize>,
    },
    /// Numbers a row, `[n, m]`, in their own units.
    Numbers(Features),
    /// Nothing: the metric was learnt from pairs.
    Unlabelled,
}

impl Known {
    /// What a message calls the rows.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Classes { .. } => "classes",
            Self::Numbers(_) => "numbers",
            Self::Unlabelled => "pairs",
        }
    }
}

impl From<&Labelled> for Known {
    fn from(data: &Labelled) -> Self {
        Self::Classes { names: data.class_names().to_vec(), labels: data.labels().to_vec() }
    }
}

impl From<&Measured> for Known {
    fn from(data: &Measured) -> Self {
        Self::Numbers(data.targets().clone())
    }
}

/// What a metric for numeric targets is learnt by.
#[derive(Config, Debug, Copy, PartialEq)]
pub enum RegressionObjective {
    /// The squared leave-one-out error of the kernel rule ([`MlkrLoss`](crate::objective::MlkrLoss)), on
    /// targets standardised on the training rows.
    Mlkr,
    /// Soft matches of neighbours with near targets ([`SoftNcaLoss`](crate::objective::SoftNcaLoss)).
    Soft {
        /// Which of the paper's criteria.
        criterion: Criterion,
        /// How far apart targets may be and still agree, in the units of the targets.
        width: AgreementWidth,
    },
}

/// The objective that a model was fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ObjectiveCard {
    /// f or g over classes.
    Classes {
        /// The criterion.
        criterion: Criterion,
        /// Weight of the hinge between classes.
        repulsion: f64,
    },
    /// Numeric targets.
    Numbers {
        /// The objective.
        regression: RegressionObjective,
    },
    /// Equation 8 over weighted pairs.
    Pairs {
        /// Whether the normaliser counts each point with itself.
        include_self: bool,
    },
}
