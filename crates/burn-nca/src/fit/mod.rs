//! Stage 4: fit. Minimizers, starts, and the exact value and gradient of a whole data set.
//!
//! [`minimize`] fits any encoder to any objective. A solver never prints: it calls back after each step and
//! says why it stopped ([`Termination`]); a fit that did not converge is not an error.

pub mod cached;
pub(crate) mod checkpoint;
pub(crate) mod chunks;
mod config;
mod conjugate_gradient;
mod descent;
pub mod exact;
mod gradients;
mod identity;
mod inputs;
mod lbfgs;
mod line_search;
mod minimize;
pub(crate) mod monitor;
mod more_thuente;
mod nearest;
#[doc(hidden)]
pub mod non_finite;
pub mod parallel;
pub mod parameters;
mod penalty;
mod problem;
mod saturation;
mod session;
mod sgd;
pub(crate) mod solution;
pub(crate) mod solve;
mod start;
mod state;
mod stochastic;
mod stochastic_config;
mod training_layers;
mod units;

pub use config::{EarlyStoppingConfig, FitConfig, OptimizerConfig, Precision};
pub use conjugate_gradient::ConjugateGradientConfig;
pub use identity::{Fingerprint, FitIdentity};
pub use inputs::Inputs;
pub use lbfgs::LbfgsConfig;
pub use minimize::minimize;
pub use penalty::Penalty;
pub use problem::{HeldOutScore, Problem};
#[doc(hidden)]
pub use session::OnProgress;
pub use session::{CheckpointEvent, FitSession, FitState};
pub use sgd::SgdConfig;
pub use solution::{Evaluation, Progress, Solution, Termination};
pub use start::Start;
use state::{DescentState, ObjectiveScale};
pub use stochastic_config::StochasticConfig;
pub use training_layers::disable_training_flags;
