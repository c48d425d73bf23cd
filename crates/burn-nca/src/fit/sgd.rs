//! Stochastic gradient descent with momentum: its settings, and the learning rate where none is asked for.

use burn::config::Config;
use burn::optim::momentum::MomentumConfig;
use burn::optim::{ModuleOptimizer, SgdConfig as BurnSgd};

use super::StochasticConfig;
use crate::error::{Result, require};

/// The learning rate over `(1 - momentum) ‖θ‖²`, where none is asked for; over `1 - momentum` for a network.
const RELATIVE_RATE: f64 = 0.1;

/// Mini-batches with stochastic gradient descent, for a fit by the paper's own gradient.
///
/// ```text
/// v ← μ v + d(S / n)/dθ,   θ ← θ - rate v
/// ```
/// with the batches, the rate's fall along a cosine and the estimate S of [`StochasticConfig`]. A step is the gradient
/// times the rate, so the rate has the unit of θ²: where none is asked for it is `0.1 (1 - μ) ‖θ‖²` at the start θ, with
/// which a slope of 1 per relative change of θ moves it by a tenth over the memory of v. The layers of a network multiply
/// each other's changes, and it is `0.1 (1 - μ)` there. Unlike Adam, which scales each
/// parameter by its own slopes, a step sees the slopes as they are.
///
/// # Examples
/// ```
/// use burn_nca::fit::{FitConfig, OptimizerConfig, SgdConfig, StochasticConfig};
///
/// let paper = StochasticConfig::new().with_candidates(Some(usize::MAX)); // all rows as neighbors: unbiased
/// let sgd = SgdConfig::new().with_momentum(0.0).with_batches(paper);
/// let config = FitConfig::new().with_optimizer(OptimizerConfig::Sgd(sgd));
/// ```
#[derive(Config, Debug)]
pub struct SgdConfig {
    /// The share μ of the last step that is taken again, from 0 (none) to below 1.
    #[config(default = 0.9)]
    pub momentum: f64,
    /// Epochs, batches, candidates and the learning rate.
    #[config(default = "StochasticConfig::new()")]
    pub batches: StochasticConfig,
}

impl SgdConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// A momentum outside [0, 1), or settings of the batches out of range.
    pub fn check(&self) -> Result<()> {
        let momentum = self.momentum;
        require((0.0..1.0).contains(&momentum), || {
            format!("the momentum is {momentum}; give a number from 0 to below 1, such as 0.9")
        })?;
        self.batches.check()
    }

    pub(super) fn init(&self) -> ModuleOptimizer {
        let momentum = MomentumConfig::new()
            .with_momentum(self.momentum)
            .with_dampening(0.0)
            .with_nesterov(false);
        BurnSgd::new().with_momentum((self.momentum > 0.0).then_some(momentum)).init()
    }

    pub(super) fn rate_from(&self, start: &[f64], is_map: bool) -> f64 {
        self.batches.learning_rate.unwrap_or_else(|| {
            let squares: f64 = start.iter().map(|x| x * x).sum();
            let unit = if is_map && squares > 0.0 { squares } else { 1.0 };
            RELATIVE_RATE * (1.0 - self.momentum) * unit
        })
    }
}
