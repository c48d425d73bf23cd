//! One call from a table to a fitted metric: the stages put together.
//!
//! ```text
//! any       Estimator::new(d, k, method)          any method                predict, ..., transform
//! classes   NcaConfig::fit(&Labeled)             f or g                    predict, class_probabilities
//! numbers   Estimator::fit(&RegressionData)             MLKR, or soft f or g      predict_numbers, predict_kernel
//! pairs     Estimator::new(d, k, PairNca::new())  equation 8                transform
//! ```
//! All give a [`Fitted`], which is saved and loaded alike.

mod applied;
mod decision;
mod estimate;
mod explain;
mod feature_contributions;
mod fitted;
mod folder;
mod label_quality;
mod many_rows;
mod nca;
mod prediction;
mod sparse;
mod trained_elsewhere;
pub mod tune;

pub use crate::data::TrainingTargets;
pub use crate::fit::FitSummary;
pub use applied::AppliedMethod;
pub use decision::Decision;
pub use estimate::{Estimator, LearnsFrom};
pub use explain::Explanation;
pub use feature_contributions::FeatureContributions;
pub use fitted::{Fitted, ModelCard};
pub use label_quality::{LabelQuality, TargetQuality};
pub use nca::NcaConfig;
