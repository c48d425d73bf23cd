//! Latent coincidence analysis: maps in which rows that belong together coincide with high probability.
//!
//! ```text
//! Labeled ──► labeled pairs ──► EM, or the gradient of the same likelihood ──► W, σ² (κ²)
//!
//! lca              a row with its nearest of its class (y = 1) and the others that are as near (y = 0); k-NN in W x
//! lca-classifier   a row with each class mean, y = 1 for its own: one map per class; the most likely mean decides
//! ```
//!
//! # References
//! M. Der, L. K. Saul, Latent Coincidence Analysis: A Hidden Variable Model for Distance Metric Learning, NIPS 2012.

mod classifier;
mod metric;
mod training;

pub use classifier::LcaClassifier;
pub use metric::Lca;

use serde::{Deserialize, Serialize};

/// How the likelihood is maximized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trainer {
    /// Expectation-maximization: linear maps, no step to choose.
    Em,
    /// The gradient of the same likelihood ([`CoincidenceLoss`](crate::objective::CoincidenceLoss)), by the optimizer
    /// of the settings, for any encoder.
    Gradient,
}

#[cfg(test)]
mod tests;
