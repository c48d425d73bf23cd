//! What the candidates of a search are compared by, and how it is worded.

use serde::{Deserialize, Serialize};

use crate::number::{percent, significant};

/// What candidates are compared by on the rows, or pairs, that a fold leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedBy {
    /// The accuracy of k-NN.
    #[default]
    Accuracy,
    /// R² of the kernel rule.
    R2,
    /// The weighted mean log probability of a pair.
    LogProbability,
}

impl ComparedBy {
    /// A score with its unit.
    pub(super) fn text(self, score: f64) -> String {
        match self {
            Self::Accuracy => percent(Some(score)),
            Self::R2 | Self::LogProbability => significant(score, 3),
        }
    }

    /// A score without its unit, of an accuracy percent.
    fn bare(self, score: f64) -> String {
        match self {
            Self::Accuracy => format!("{:.1}", 100.0 * score),
            Self::R2 | Self::LogProbability => significant(score, 3),
        }
    }

    /// The head of the column; without a k by a rule of the method's own.
    pub(super) fn head(self, neighbors: Option<usize>) -> String {
        match (self, neighbors) {
            (Self::Accuracy, Some(k)) => format!("{k}-NN"),
            (Self::Accuracy, None) => "accuracy".to_string(),
            (Self::R2, _) => "R²".to_string(),
            (Self::LogProbability, _) => "ln p".to_string(),
        }
    }

    /// What the column is, in one sentence.
    pub(super) fn sentence(self, neighbors: Option<usize>) -> String {
        match self {
            Self::Accuracy => format!(
                "{}: {} on the rows that a fold left out. ln p: the mean log probability of the true class there.",
                self.head(neighbors),
                if neighbors.is_some() { "accuracy" } else { "share of correct predictions" }
            ),
            Self::R2 => "R²: of the kernel rule on the rows that a fold left out.".to_string(),
            Self::LogProbability => {
                "ln p: the mean log probability of the pairs that a fold left out.".to_string()
            }
        }
    }

    /// `3-NN accuracy 95.7 ± 1.1 %`, without a k by a rule of the method's own
    pub(super) fn achieved(self, [score, error]: [f64; 2], neighbors: Option<usize>) -> String {
        let name = match (self, neighbors) {
            (Self::Accuracy, Some(k)) => format!("{k}-NN accuracy"),
            (Self::LogProbability, _) => "log probability".to_string(),
            _ => self.head(neighbors),
        };
        format!("{name} {} ± {}", self.bare(score), self.text(error))
    }

    /// `2.7 ± 0.6`, of accuracies in percentage points.
    pub(super) fn lead(self, [difference, error]: [f64; 2]) -> String {
        format!("{} ± {}", self.bare(difference), self.bare(error))
    }
}
