//! Fitting any encoder to any objective.

use super::problem::Problem;
use super::solve::minimize_prepared;
use super::{EarlyStoppingConfig, FitConfig, FitSession, Solution, Start};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::Objective;

/// Minimizes the objective over the parameters of encoder and objective.
///
/// The model is fitted from where it is, on the features as they are: start and scaling are the caller's, and learning
/// rates, tolerances and the gradients that are reported are in the units of those features.
/// Non-convergence is not an error: see [`Solution::termination`]. With a held-out score the module of
/// the best score is returned, without one that of the last step; of a full-batch minimizer no step raises the value.
///
/// # Errors
/// Settings out of range, or that this function would have to ignore (a start or its perplexity, a scaling, early
/// stopping without a held-out score, a share to hold out with one, a precision other than that of the features); a
/// target about another number of points than there are rows, a model without parameters to fit, a checkpoint that cannot
/// be used; with L-BFGS and conjugate gradients a layer that gives another function at each pass, such as dropout
/// ([`disable_training_flags`](super::disable_training_flags)).
pub fn minimize<E: Encoder, O: Objective>(
    problem: &Problem<'_, E, O>,
    config: &FitConfig,
    session: FitSession<'_>,
) -> Result<Solution<MetricModel<E, O>>> {
    check_nothing_ignored(problem, config)?;
    minimize_prepared(problem, config, session)
}

/// Refuses settings that have no effect on a problem whose features and start are given.
fn check_nothing_ignored<E: Encoder, O: Objective>(
    problem: &Problem<'_, E, O>,
    config: &FitConfig,
) -> Result<()> {
    let (found, asked) = (problem.x.dtype(), config.precision.dtype());
    let ignored = if config.start != Start::Auto {
        format!(
            "the settings ask for the start {:?}, but the model is fitted from where it is; build its encoder \
             there, and leave the setting at Auto",
            config.start
        )
    } else if let Some(perplexity) = config.start_perplexity {
        format!(
            "the settings ask for a start of perplexity {perplexity}, but the model is fitted from where it is; scale \
             its embedding there (perplexity_factor), and leave the setting out"
        )
    } else if config.scaling != FitConfig::new().scaling {
        format!(
            "the settings ask for the scaling {:?}, but the features are taken as they are; scale them \
             (Scaling::fit, apply), and leave the setting at its default",
            config.scaling
        )
    } else if let Some(sums) = config.sums {
        format!(
            "the settings ask for {sums:?} sums, but the objective is given; ask it for them (Objective::with_sums), and \
             leave the setting out"
        )
    } else if config.early_stopping.is_some() && problem.held_out.is_none() {
        "the settings ask for early stopping, but nothing is held out; give Problem::held_out"
            .to_string()
    } else if let Some(share) = other_share(config) {
        format!(
            "the settings ask to hold out a share of {share}, but what is held out is given (Problem::held_out); hold \
             that share out there, and leave the setting at its default"
        )
    } else if found != asked {
        format!(
            "the features are {found:?}, but the settings ask for {asked:?}; give features of that type \
             (Features::to_tensor), or another precision"
        )
    } else {
        return Ok(());
    };
    Err(Error::setting(ignored))
}

/// The share to hold out for early stopping, where it is not the default.
fn other_share(config: &FitConfig) -> Option<f64> {
    let share = config.early_stopping.as_ref()?.share;
    (share != EarlyStoppingConfig::new().share).then_some(share)
}
