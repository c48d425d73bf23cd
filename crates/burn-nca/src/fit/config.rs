//! How a model is fitted: the settings that every objective and encoder share.

use burn::config::Config;
use burn::tensor::DType;

use super::exact::BlockConfig;
use super::{ConjugateGradientConfig, LbfgsConfig, Penalty, SgdConfig, Start, StochasticConfig};
use crate::data::ScalingKind;
use crate::error::{Result, require};
use crate::sums::Sums;

/// The number type of a fit.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats: every device, fastest.
    F32,
    /// 64-bit floats: CPU devices.
    F64,
}

impl Precision {
    /// The tensor type.
    pub fn dtype(self) -> DType {
        match self {
            Self::F32 => DType::F32,
            Self::F64 => DType::F64,
        }
    }

    /// The relative rounding noise of an objective's value, which a line search should not fight.
    pub(super) fn value_noise(self) -> f64 {
        match self {
            Self::F32 => 2e-7,
            Self::F64 => 1e-15,
        }
    }
}

/// Which optimizer minimizes the objective.
#[derive(Config, Debug)]
pub enum OptimizerConfig {
    /// Limited-memory BFGS over all points: the default.
    Lbfgs(LbfgsConfig),
    /// Nonlinear conjugate gradients over all points: the paper's.
    ConjugateGradient(ConjugateGradientConfig),
    /// Mini-batches with Adam, for large sets and networks.
    Adam(StochasticConfig),
    /// Mini-batches with stochastic gradient descent and momentum.
    Sgd(SgdConfig),
}

impl OptimizerConfig {
    /// The mini-batches of an optimizer that takes them; nothing for one that sees all points at every step.
    pub fn batches(&self) -> Option<&StochasticConfig> {
        match self {
            Self::Lbfgs(_) | Self::ConjugateGradient(_) => None,
            Self::Adam(settings) => Some(settings),
            Self::Sgd(settings) => Some(&settings.batches),
        }
    }

    fn check(&self) -> Result<()> {
        match self {
            Self::Lbfgs(solver) => solver.check(),
            Self::ConjugateGradient(solver) => solver.check(),
            Self::Adam(settings) => settings.check(),
            Self::Sgd(settings) => settings.check(),
        }
    }
}

/// Stopping on a held-out part of the training rows.
#[derive(Config, Debug)]
pub struct EarlyStoppingConfig {
    /// Share of each class that is held out.
    #[config(default = 0.2)]
    pub share: f64,
    /// Iterations (epochs for mini-batches) without a better held-out value before the fit stops.
    #[config(default = 10)]
    pub patience: usize,
}

/// How a model is fitted, whatever its encoder and objective.
#[derive(Config, Debug)]
pub struct FitConfig {
    /// Where a linear or diagonal map starts.
    #[config(default = "Start::Auto")]
    pub start: Start,
    /// Scale the start, whatever its rule or encoder, so that its kernel has this perplexity
    /// (`perplexity_factor`; with mini-batches among the rows of a batch). A map that the user gives stays as it is. Off
    /// by default; `start_perplexity` says what serves.
    pub start_perplexity: Option<f64>,
    /// How features are scaled; learned on the training rows and stored with the model.
    #[config(default = "ScalingKind::Standardize")]
    pub scaling: ScalingKind,
    /// Weight of the L2 penalty: `l2 * n * penalty` is added to the sum over n points, so that one
    /// value means the same at every n. [`penalty`](Self::penalty) says what it weighs.
    #[config(default = 0.0)]
    pub l2: f64,
    /// What the L2 penalty weighs; the weights, `||A||²_F`, where it is left out.
    pub penalty: Option<Penalty>,
    /// The optimizer.
    #[config(default = "OptimizerConfig::Lbfgs(LbfgsConfig::new())")]
    pub optimizer: OptimizerConfig,
    /// Stop on a held-out part; off by default.
    pub early_stopping: Option<EarlyStoppingConfig>,
    /// Stop after this many steps (epochs with mini-batches): early stopping whose moment is known, from a
    /// cross-validation as a rule. The fit then ends with [`Termination::StopAt`](super::Termination::StopAt);
    /// 0 keeps the start. No such stop by default.
    pub stop_at: Option<usize>,
    /// Stop after this many seconds, over all runs of a resumed fit; no limit by default.
    pub time_budget: Option<f64>,
    /// Seed of everything random.
    #[config(default = 0)]
    pub seed: u64,
    /// The number type.
    #[config(default = "Precision::F32")]
    pub precision: Precision,
    /// How the objective's sums over pairs are added up; as the objective has it where it is left out.
    pub sums: Option<Sums>,
    /// How passes over the data are cut.
    #[config(default = "BlockConfig::new()")]
    pub blocks: BlockConfig,
}

impl FitConfig {
    /// The weight of a penalty of this kind, 0 where it is of another.
    pub(super) fn weight_of(&self, penalty: Penalty) -> f64 {
        if self.penalty.unwrap_or(Penalty::Weights) == penalty { self.l2 } else { 0.0 }
    }

    /// The settings that decide which steps a fit takes, without the limits that only end it.
    #[doc(hidden)]
    pub fn without_limits(&self) -> Self {
        let mut config = self.clone();
        config.time_budget = None;
        match &mut config.optimizer {
            OptimizerConfig::Lbfgs(solver) => solver.max_iterations = 0,
            OptimizerConfig::ConjugateGradient(solver) => solver.max_iterations = 0,
            // The learning rate falls over all epochs: their number decides every step.
            OptimizerConfig::Adam(_) | OptimizerConfig::Sgd(_) => {}
        }
        config
    }

    /// How sums over pairs are added up where no objective says it.
    #[doc(hidden)]
    pub fn sums(&self) -> Sums {
        self.sums.unwrap_or(Sums::Auto)
    }

    /// Checks every range.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        self.optimizer.check()?;
        require(self.l2 >= 0.0 && self.l2.is_finite(), || {
            format!("l2 is {}; give a finite weight that is not negative, such as 0.001", self.l2)
        })?;
        if let Some(perplexity) = self.start_perplexity {
            require(perplexity > 1.0 && perplexity.is_finite(), || {
                format!(
                    "the perplexity of the start is {perplexity}; give a number of neighbors above 1, such as 15"
                )
            })?;
        }
        if let Some(EarlyStoppingConfig { share, patience }) = self.early_stopping {
            require(share > 0.0 && share < 1.0, || {
                format!(
                    "the held-out share for early stopping is {share}; give a number between 0 and 1, such as 0.2"
                )
            })?;
            require(patience > 0, || {
                "the patience of early stopping is 0; give at least 1 iteration".to_string()
            })?;
        }
        let seconds = self.time_budget.unwrap_or(f64::INFINITY);
        require(seconds > 0.0, || {
            format!("the time budget is {seconds} seconds; give a positive number")
        })
    }
}
