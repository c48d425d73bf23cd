//! The settings that one trial of a search tries.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::NcaConfig;
use crate::fit::Start;
use crate::objective::Criterion;

/// The settings that one trial tries; all others are those of the configuration that is tuned.
///
/// The number of steps is not among them: a trial measures its fits on the way, at every number of steps of
/// [`TuneConfig::steps`](super::TuneConfig::steps).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The criterion.
    pub criterion: Criterion,
    /// Weight of the L2 penalty.
    pub l2: f64,
    /// Where the map starts.
    pub start: Start,
    /// Number of embedding dimensions, k.
    pub d_output: usize,
}

impl Candidate {
    /// The configuration with these settings.
    pub fn apply(&self, config: &NcaConfig) -> NcaConfig {
        let mut config = config.clone();
        config.criterion = self.criterion;
        config.d_output = self.d_output;
        config.fit.l2 = self.l2;
        config.fit.start = self.start.clone();
        config
    }

    /// The criterion's letter in the paper, `f` or `g`.
    pub fn criterion_name(&self) -> &'static str {
        match self.criterion {
            Criterion::F => "f",
            Criterion::G => "g",
        }
    }

    /// The name of the start, as the program `nca` spells it.
    pub fn start_name(&self) -> &'static str {
        match self.start {
            Start::Auto => "auto",
            Start::Identity => "identity",
            Start::Random { .. } => "random",
            Start::Pca => "pca",
            Start::Lda => "lda",
            Start::Given { .. } => "given",
        }
    }
}

/// `g, l2 0.01, start auto, k = 2`
impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (criterion, start) = (self.criterion_name(), self.start_name());
        write!(f, "{criterion}, l2 {}, start {start}, k = {}", self.l2, self.d_output)
    }
}
