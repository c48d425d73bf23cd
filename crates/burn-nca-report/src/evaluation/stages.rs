//! An evaluation: what it finds, and its stages, some of which a caller may leave out.

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

/// What a caller shows of an evaluation, and what it leaves out; by default nothing.
pub trait Stages {
    /// Names the stage that begins.
    fn announce(&self, _stage: &str) {}

    /// Whether the comparison with a baseline takes place.
    fn admits(&self, _method: &str) -> bool {
        true
    }

    /// Whether the replay of a fit continues with `step`, from 1, of so many; without one of them there is none.
    fn admits_replay(&self, _step: usize, _steps: usize) -> bool {
        true
    }
}

/// All stages, without a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllStages;

impl Stages for AllStages {}
