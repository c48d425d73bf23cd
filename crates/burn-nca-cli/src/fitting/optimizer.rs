//! The optimizer of a fit, as its options say.

use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::fit::{
    ConjugateGradientConfig, EarlyStoppingConfig, FitConfig, LbfgsConfig, OptimizerConfig,
    SgdConfig, StochasticConfig,
};

use crate::cli::fit::{FitArgs, OptimizerKind, OptimizerOptions};

/// The most steps (or epochs) of a configuration for so many rows, for a progress bar.
pub fn step_limit(config: &FitConfig, rows: usize) -> usize {
    match &config.optimizer {
        OptimizerConfig::Lbfgs(lbfgs) => lbfgs.max_iterations,
        OptimizerConfig::ConjugateGradient(gradients) => gradients.max_iterations,
        OptimizerConfig::Adam(batches) | OptimizerConfig::Sgd(SgdConfig { batches, .. }) => {
            batches.epochs_of(rows)
        }
    }
}

/// The mini-batches of a fit. What the rows decide is written down; a learning rate that depends on the start is not known
/// yet.
pub fn batches(args: &FitArgs, encoder: &EncoderConfig, rows: usize) -> StochasticConfig {
    let options = &args.optimizer;
    let usual = match encoder {
        EncoderConfig::Mlp(hidden) if hidden.batch_norm => StochasticConfig::of_network(rows),
        _ => StochasticConfig::new(),
    };
    let by_adam = options.optimizer != Some(OptimizerKind::Sgd);
    let asked = StochasticConfig {
        epochs: options.epochs,
        batch_size: options.batch_size.or(usual.batch_size),
        learning_rate: options.learning_rate.or(usual.learning_rate.filter(|_| by_adam)),
        candidates: options.candidates.filter(|asked| !asked.nearest).map(|asked| asked.rows),
        nearest_candidates: options
            .candidates
            .filter(|asked| asked.nearest)
            .map(|asked| asked.rows),
        weight_decay: options.weight_decay.or(usual.weight_decay.filter(|_| by_adam)),
    };
    let epochs = usual.epochs.filter(|_| options.batch_size.is_none());
    StochasticConfig {
        epochs: Some(asked.epochs.or(epochs).unwrap_or_else(|| asked.epochs_of(rows))),
        batch_size: Some(asked.batch_size.unwrap_or_else(|| asked.batch_rows(rows).max(2))),
        ..asked
    }
}

/// The optimizer, with its mini-batches where it takes any.
pub fn optimizer(
    options: &OptimizerOptions,
    kind: OptimizerKind,
    batches: Option<StochasticConfig>,
) -> OptimizerConfig {
    let steps = |usual: usize| options.max_iterations.unwrap_or(usual);
    match (kind, batches) {
        (OptimizerKind::Adam, Some(batches)) => OptimizerConfig::Adam(batches),
        (_, Some(batches)) => {
            let sgd = SgdConfig::new().with_batches(batches);
            let momentum = options.momentum.unwrap_or(sgd.momentum);
            OptimizerConfig::Sgd(sgd.with_momentum(momentum))
        }
        (OptimizerKind::Cg, None) => {
            let cg = ConjugateGradientConfig::new();
            let most = steps(cg.max_iterations);
            OptimizerConfig::ConjugateGradient(cg.with_max_iterations(most))
        }
        (_, None) => {
            let lbfgs = LbfgsConfig::new();
            let most = steps(lbfgs.max_iterations);
            OptimizerConfig::Lbfgs(lbfgs.with_max_iterations(most))
        }
    }
}

/// Early stopping, where it is asked for.
pub fn early_stopping(options: &OptimizerOptions) -> Option<EarlyStoppingConfig> {
    let share = options.early_stopping?;
    let default = EarlyStoppingConfig::new();
    let patience = options.patience.unwrap_or(default.patience);
    Some(default.with_share(share).with_patience(patience))
}
