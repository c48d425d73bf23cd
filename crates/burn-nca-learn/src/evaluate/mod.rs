//! Stage 6: evaluation of an embedding.
//!
//! - Is it right, and how surely? [`Accuracy`] with its interval, [`held_out_accuracy`]; class by class
//!   where they are unbalanced: [`ClassScores`].
//! - Is it better than another? [`McNemar`], on the same rows.
//! - Does it rank the right neighbors first? [`Retrieval`]: precision@k, R-precision, MAP@R.
//! - Do its probabilities mean what they say? [`LogLoss`], [`brier_score`], [`Reliability`]; do they rank the rows of a
//!   rare class first? [`roc_auc`].
//! - How wrong are predicted numbers? [`RegressionScores`]. Where do partners rank? [`PartnerRanks`].
//! - How many neighbors count, and has it collapsed? [`perplexities`], [`Spread`].
//! - Are rows it is measured on copies of training rows? [`seen_rows`], [`row_numbers`].
//!
//! Shares and accuracies are in 0..1. What has no value (the accuracy on no test row, the perplexity of
//! a single point) is `None`, never NaN.

mod accuracy;
mod class_scores;
mod cross_validated_k;
mod knn;
mod mcnemar;
mod partners;
mod perplexity;
mod probability;
mod quantiles;
mod regression;
mod reliability;
mod repeated_rows;
mod retrieval;
mod roc_auc;
mod spread;
mod terms;

pub use accuracy::{Accuracy, Interval};
pub use class_scores::ClassScores;
pub use cross_validated_k::CrossValidatedK;
pub use knn::{Embedded, held_out_accuracy, leave_one_out_accuracy};
pub use mcnemar::{McNemar, McNemarForm};
pub use partners::PartnerRanks;
pub use perplexity::{perplexities, perplexities_by, perplexities_of};
pub use probability::{LogLoss, brier_score, expected_accuracy};
pub use quantiles::Quantiles;
pub use regression::RegressionScores;
pub use reliability::{Reliability, ReliabilityBin};
pub use repeated_rows::{row_numbers, seen_rows};
pub use retrieval::{Retrieval, held_out_retrieval};
pub use roc_auc::roc_auc;
pub use spread::{Collapse, Spread};
pub use terms::RowTerms;
