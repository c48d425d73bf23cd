//! What the controls of the page say.

use burn_nca_learn::NcaConfig;
use burn_nca_learn::data::ScalingKind;
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::fit::{OptimizerConfig, StochasticConfig, start_perplexity};
use burn_nca_learn::objective::Criterion;
use serde::{Deserialize, Serialize};

/// Rows from which mini-batches replace full passes, unless their sums take linear time: a full pass then takes longer than a
/// glance.
const MANY_ROWS: usize = 8000;

/// Which map the page trains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Map {
    /// A matrix A.
    #[default]
    Linear,
    /// One weight per feature.
    Diagonal,
    /// A network.
    Mlp,
}

/// The controls of the page.
///
/// A link holds them as JSON; what is absent has its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Dimensions of the embedding, k; a diagonal map has as many as there are features.
    pub dim: usize,
    /// The map.
    pub map: Map,
    /// Sizes of a network's hidden layers.
    pub hidden: Vec<usize>,
    /// The paper's criterion, f or g.
    pub criterion: Criterion,
    /// Weight of the L2 penalty; `None` for the library's recommendation.
    pub l2: Option<f64>,
    /// Share of each class that is held out, 0 to 0.9.
    pub test_size: f64,
    /// Seed of the split and of a random start.
    pub seed: u64,
    /// The most steps.
    pub steps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dim: 2,
            map: Map::Linear,
            hidden: vec![64],
            criterion: Criterion::G,
            l2: None,
            test_size: 0.3,
            seed: 0,
            steps: 200,
        }
    }
}

impl Settings {
    /// Whether a fit under these settings can continue from the map of one under `others`.
    pub(crate) fn keep_the_map_of(&self, others: &Self) -> bool {
        let map =
            |settings: &Self| (settings.dim, settings.map, settings.hidden.clone(), settings.seed);
        map(self) == map(others) && self.test_size == others.test_size
    }

    /// The configuration of the fit of rows that are scaled, for this many features and training rows.
    pub(crate) fn config(&self, features: usize, rows: usize) -> NcaConfig {
        let encoder = match self.map {
            Map::Linear => EncoderConfig::Linear,
            Map::Diagonal => EncoderConfig::Diagonal,
            Map::Mlp => EncoderConfig::mlp(&self.hidden),
        };
        let dim = if self.map == Map::Diagonal { features } else { self.dim };
        let mut config =
            NcaConfig::recommended_for(encoder, features, dim).with_criterion(self.criterion);
        config.fit.scaling = ScalingKind::None;
        config.fit.seed = self.seed;
        if let Some(l2) = self.l2 {
            config.fit.l2 = l2;
        }
        let is_linear_time = self.map == Map::Linear && dim <= 2;
        if rows > MANY_ROWS && !is_linear_time {
            config.fit.optimizer = OptimizerConfig::Adam(StochasticConfig::new());
        } else if let Some(perplexity) = &mut config.fit.start_perplexity {
            *perplexity = start_perplexity(rows, dim);
        }
        match &mut config.fit.optimizer {
            OptimizerConfig::Lbfgs(solver) => solver.max_iterations = self.steps,
            OptimizerConfig::ConjugateGradient(solver) => solver.max_iterations = self.steps,
            OptimizerConfig::Adam(solver) => solver.epochs = Some(self.steps),
            OptimizerConfig::Sgd(solver) => solver.batches.epochs = Some(self.steps),
        }
        config
    }
}
