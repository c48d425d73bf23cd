//! The optimizer of a fit and the hidden layers of a network, as the options say or where they leave them open.

use burn_nca_learn::encoder::{Activation, EncoderConfig, HiddenLayers};
use burn_nca_learn::fit::{
    ConjugateGradientConfig, EarlyStoppingConfig, FitConfig, LbfgsConfig, OptimizerConfig,
    SgdConfig, StochasticConfig,
};
use burn_nca_learn::method::AnyMethod;
use burn_nca_learn::{Estimator, Sums};

use crate::cli::fit::{EncoderKind, FitArgs, OptimizerKind, OptimizerOptions};

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
    let candidates = |nearest: bool| {
        options.candidates.filter(|asked| asked.nearest == nearest).map(|asked| asked.rows)
    };
    let by_adam = options.optimizer != Some(OptimizerKind::Sgd);
    let asked = StochasticConfig {
        epochs: options.epochs,
        batch_size: options.batch_size.or(usual.batch_size),
        learning_rate: options.learning_rate.or(usual.learning_rate.filter(|_| by_adam)),
        candidates: candidates(false),
        nearest_candidates: candidates(true),
        weight_decay: options.weight_decay.or(usual.weight_decay.filter(|_| by_adam)),
    };
    let epochs = usual.epochs.filter(|_| options.batch_size.is_none());
    StochasticConfig {
        epochs: Some(asked.epochs.or(epochs).unwrap_or_else(|| asked.epochs_of(rows))),
        batch_size: Some(asked.batch_size.unwrap_or_else(|| asked.batch_rows(rows).max(2))),
        ..asked
    }
}

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

pub fn early_stopping(options: &OptimizerOptions) -> Option<EarlyStoppingConfig> {
    let share = options.early_stopping?;
    let default = EarlyStoppingConfig::new();
    let patience = options.patience.unwrap_or(default.patience);
    Some(default.with_share(share).with_patience(patience))
}

/// The optimizer of a fit: mini-batches for a network of NCA or MLKR, which generalizes by what only they can fit; L-BFGS for
/// every other, and where options ask for iterations or for a search by steps.
pub fn optimizer_kind(args: &FitArgs, method: &AnyMethod) -> OptimizerKind {
    let network = args.model.encoder() == EncoderKind::Mlp
        && matches!(method, AnyMethod::Nca(_) | AnyMethod::Mlkr(_));
    let by_steps = args.optimizer.max_iterations.is_some() || args.tuning.tune;
    args.optimizer.optimizer.unwrap_or(match network && !by_steps {
        true => OptimizerKind::Adam,
        false => OptimizerKind::Lbfgs,
    })
}

/// Whether no option says by what a map is fitted.
pub fn rows_may_decide(args: &FitArgs) -> bool {
    args.optimizer.optimizer.is_none()
        && args.optimizer.max_iterations.is_none()
        && args.model.warm_start.is_none()
        && args.sums == Sums::Auto
        && !args.tuning.tune
}

/// The estimator with the optimizer for so many rows, where no option decides it.
pub fn for_rows(args: &FitArgs, estimator: Estimator, rows: usize) -> Estimator {
    if rows_may_decide(args) { estimator.for_rows(rows) } else { estimator }
}

/// The hidden layers: those of the method ([`AnyMethod::hidden_layers`]), with what is given.
pub fn hidden_layers(args: &FitArgs, method: &AnyMethod) -> HiddenLayers {
    let options = &args.model;
    let usual = method.hidden_layers(optimizer_kind(args, method).takes_batches());
    let usual = match options.batch_norm {
        Some(true) => HiddenLayers::regularized(),
        Some(false) => HiddenLayers::from(usual.sizes),
        None => usual,
    };
    HiddenLayers {
        sizes: options.hidden.clone().unwrap_or(usual.sizes),
        activation: options.activation.unwrap_or(Activation::Relu),
        batch_norm: usual.batch_norm,
        dropout: options.dropout.unwrap_or(usual.dropout),
        noise: options.noise.unwrap_or(usual.noise),
    }
}
