//! The hidden layers of a network, and what a network is fitted by, where the options leave them open.

use burn_nca_learn::Estimator;
use burn_nca_learn::encoder::{Activation, HiddenLayers};
use burn_nca_learn::method::AnyMethod;

use crate::cli::FitArgs;
use crate::cli::fit::{EncoderKind, OptimizerKind, SumsKind};

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
        && args.sums == SumsKind::Auto
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
