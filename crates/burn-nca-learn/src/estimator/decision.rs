//! How a model predicts where nothing else is asked for: the vote of the nearest training rows, or the soft rule.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Fitted;
use crate::data::{Features, TrainingTargets};
use crate::encoder::Encoder;
use crate::error::{Error, Result};

/// The k of a model of classes for which none was chosen; all training rows where there are fewer.
const NEIGHBORS: usize = 5;

/// How the training rows decide about the class, or the numbers, of a row; saved with the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule")]
pub enum Decision {
    /// The majority of the k nearest training rows (ties go to the nearest), or the mean of their numbers.
    #[serde(rename = "knn")]
    Nearest {
        /// Number of neighbors, k.
        neighbors: usize,
    },
    /// All training rows, weighted by `p_ij`: the most probable class, or the weighted mean of the numbers.
    #[serde(rename = "soft")]
    Soft,
}

/// `5-NN`, or `soft`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nearest { neighbors } => write!(f, "{neighbors}-NN"),
            Self::Soft => f.write_str("soft"),
        }
    }
}

impl<E: Encoder> Fitted<E> {
    /// How the model predicts: as chosen by [`with_decision`](Self::with_decision); else by 5-NN for classes and by
    /// the soft rule for numbers.
    ///
    /// A method whose own rule gives the classes (by members, by coincidence, by a variable kernel:
    /// [`Rule`](crate::neighbors::Rule)) has no vote: its decision is soft.
    pub fn decision(&self) -> Decision {
        let classes = matches!(self.targets, TrainingTargets::Classes { .. });
        if classes && !self.rule.has_votes() {
            return Decision::Soft;
        }
        let [rows, _] = self.references.dims();
        let of_classes = Decision::Nearest { neighbors: NEIGHBORS.min(rows) };
        self.decision.unwrap_or(if classes && rows > 0 { of_classes } else { Decision::Soft })
    }

    /// The model with this decision, which is saved with it.
    ///
    /// # Errors
    /// k = 0 or more than the training rows.
    pub fn with_decision(self, decision: Decision) -> Result<Self> {
        check_decision(decision, self.references.dims()[0]).map_err(Error::setting)?;
        Ok(Self { decision: Some(decision), ..self })
    }

    /// The class of each row by a decision, such as the model's own ([`decision`](Self::decision)).
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn decide_classes(&self, features: &Features, decision: Decision) -> Result<Vec<usize>> {
        match decision {
            Decision::Nearest { neighbors } => self.predict(features, neighbors),
            Decision::Soft => Ok(self.class_probabilities(features)?.most_probable()),
        }
    }

    /// As [`decide_classes`](Self::decide_classes), with the probability of each class, row-major `[n, c]`: the shares of
    /// the votes, or sums of `p_ij`.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn decide_probabilities(
        &self,
        features: &Features,
        decision: Decision,
    ) -> Result<(Vec<usize>, Vec<f64>)> {
        match decision {
            Decision::Nearest { neighbors } => {
                let shares = self.vote_shares(features, neighbors)?;
                Ok((self.predict(features, neighbors)?, shares))
            }
            Decision::Soft => {
                let found = self.class_probabilities(features)?;
                Ok((found.most_probable(), found.to_vec()))
            }
        }
    }

    /// The numbers of each row by a decision, row-major `[n, m]`.
    ///
    /// # Errors
    /// As [`predict_numbers`](Self::predict_numbers).
    pub fn decide_numbers(&self, features: &Features, decision: Decision) -> Result<Vec<f64>> {
        match decision {
            Decision::Nearest { neighbors } => self.predict_numbers(features, neighbors),
            Decision::Soft => self.predict_kernel(features),
        }
    }
}

/// What is wrong with a decision of so many training rows.
pub(super) fn check_decision(decision: Decision, rows: usize) -> std::result::Result<(), String> {
    match decision {
        Decision::Nearest { neighbors } if neighbors == 0 || neighbors > rows => Err(format!(
            "the decision has k = {neighbors}, but there are {rows} training rows; give k from 1 to {rows}"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::Estimator;
    use crate::data::Labeled;
    use crate::method::AnyMethod;

    #[test]
    fn few_rows_and_a_rule_of_the_method_s_own_decide_otherwise() {
        let model = |method: &str, rows: usize| {
            let value = |at: usize| ((at * 7 + at / 2 * 5) % 11) as f64 + (at % 2) as f64;
            let features = Features::unnamed((0..2 * rows).map(value).collect(), 2).unwrap();
            let labels = (0..rows).map(|row| row % 2).collect();
            let data = Labeled::from_labels(features.clone(), labels).unwrap();
            let estimator = Estimator::new(2, 2, AnyMethod::named(method).unwrap());
            (estimator.fit(&data, &Device::flex()).unwrap(), features)
        };
        let (few, _) = model("euclidean", 4);
        assert_eq!(few.decision(), Decision::Nearest { neighbors: 4 });
        let one = Decision::Nearest { neighbors: 1 };
        assert_eq!(few.with_decision(one).unwrap().of_embedded().decision(), one);
        let (model, rows) = model("vsm", 30);
        let model = model.with_decision(one).unwrap();
        assert_eq!(model.decision(), Decision::Soft);
        let classes = model.decide_classes(&rows, Decision::Soft).unwrap();
        assert_eq!(classes, model.predict(&rows, 3).unwrap());
    }
}
