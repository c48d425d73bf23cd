//! Stage 6: evaluation of an embedding. Accuracy, perplexity and spread.
//!
//! Shares and accuracies are in 0..1. What has no value (the accuracy on no test row, the perplexity of
//! a single point) is `None`, never NaN.

mod accuracy;
mod knn;
mod perplexity;
mod quantiles;
mod spread;

pub use accuracy::{Accuracy, ConfusionMatrix, Interval, expected_accuracy};
pub use knn::{Embedded, held_out_accuracy, leave_one_out_accuracy};
pub use perplexity::perplexities;
pub use quantiles::Quantiles;
pub use spread::{Collapse, Spread};
