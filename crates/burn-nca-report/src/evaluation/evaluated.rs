//! The evaluation of a model, whatever it was learned from.

use burn::tensor::Tensor;

use crate::{Data, MeasureTable, Results, Warning};

/// The evaluation of a model.
pub struct Evaluation {
    /// The data, without a name.
    pub data: Data,
    /// The model compared with the baselines.
    pub comparison: MeasureTable,
    /// What the model loses against them, if it does.
    pub shortfall: Option<String>,
    /// What to know before trusting the scores.
    pub warnings: Vec<Warning>,
    /// What depends on what was learned from.
    pub results: Results,
    /// The embedding of the training rows, of those that were measured at least, `[n, k]`; in f64 where there is a CPU
    /// backend.
    pub embedding: Tensor<2>,
    /// The perplexity of each of them.
    pub perplexity: Vec<f64>,
}
