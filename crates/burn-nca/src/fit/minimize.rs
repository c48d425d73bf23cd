//! Fitting any encoder to any objective.

use burn::optim::{AdamConfig, ModuleOptimizer};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::checkpoint::{Checkpoint, Place};
use super::monitor::{Monitor, Watchers};
use super::problem::Problem;
use super::rounds::{Position, Solve, State, descend};
use super::training_layers::check_one_function;
use super::units::Units;
use super::{
    DescentState, EarlyStoppingConfig, Evaluation, FitConfig, FitSession, OptimizerConfig,
    Solution, Start, StochasticConfig, Termination, exact, saturation, stochastic,
};
use crate::encoder::{Encoder, EncoderConfig};
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::{Objective, check_points};

/// Minimizes the objective over the parameters of encoder and objective.
///
/// The model is fitted from where it is, on the features as they are: start and scaling are the caller's, and learning
/// rates, tolerances and the gradients that are reported are in the units of those features.
/// Non-convergence is not an error: see [`Solution::termination`]. With a held-out score the module of
/// the best score is returned; without one, where the [target is renewed](Objective::renewed), the module of the least
/// value by the target that belongs to it.
///
/// # Errors
/// Settings out of range, or that this function would have to ignore (a start or its perplexity, a scaling, early
/// stopping without a held-out score, a share to hold out beside one, a precision other than that of the features); a
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

/// [`minimize`] for an estimator that has seen to start, scaling and held-out part itself.
///
/// # Errors
/// As [`minimize`].
pub(crate) fn minimize_prepared<E: Encoder, O: Objective>(
    problem: &Problem<'_, E, O>,
    config: &FitConfig,
    session: FitSession<'_>,
) -> Result<Solution<MetricModel<E, O>>> {
    config.check()?;
    check_points(&problem.model.objective, problem.target, problem.x.dims()[0])?;
    let units = Units { ends: session.ends, ..Units::new(problem, config) };
    let start = units.start();
    if config.stop_at == Some(0) {
        return Ok(at_the_start(&units, &start));
    }
    if start.is_empty() {
        return Err(Error::setting(
            "the model has no parameter that requires a gradient; put it on an autodiff device \
             (`device.autodiff()`) and do not freeze every parameter",
        ));
    }
    if let Some(on_start) = session.on_start {
        on_start(&units.parameters(&start));
    }
    let place = match (&session.checkpoint, session.state) {
        (Some(path), _) => Some(Place::File(path)),
        (None, state) => state.map(Place::Memory),
    };
    let kept = match place {
        Some(place) => Some((place, problem.owner(config, &start)?)),
        None => None,
    };
    let mut checkpoint = Checkpoint::new(kept, session.keep_checkpoint, session.on_checkpoint);
    let watchers =
        Watchers { on_progress: session.on_progress, on_parameters: session.on_parameters };
    let prepared = Prepared { units, start, watchers };
    match &config.optimizer {
        OptimizerConfig::Lbfgs(solver) => prepared
            .run(&mut checkpoint, &|state, scale, evaluate, on_step| {
                solver.minimize(state, scale, evaluate, on_step)
            }),
        OptimizerConfig::ConjugateGradient(solver) => prepared
            .run(&mut checkpoint, &|state, scale, evaluate, on_step| {
                solver.minimize(state, scale, evaluate, on_step)
            }),
        OptimizerConfig::Adam(batches) => {
            let (optimizer, rate) = (AdamConfig::new().init(), batches.rate_from(&prepared.start));
            let steps = (session.optimizer.unwrap_or(optimizer), rate);
            prepared.run_batches(batches, steps, &mut checkpoint)
        }
        OptimizerConfig::Sgd(settings) => {
            let encoder = problem.model.encoder.config();
            let is_map = matches!(encoder, Some(EncoderConfig::Linear | EncoderConfig::Diagonal));
            let rate = settings.rate_from(&prepared.start, is_map);
            let steps = (session.optimizer.unwrap_or_else(|| settings.init()), rate);
            prepared.run_batches(&settings.batches, steps, &mut checkpoint)
        }
    }
}

/// The solution of a fit that is to take no step.
fn at_the_start<E: Encoder, O: Objective>(
    units: &Units<'_, '_, E, O>,
    start: &[f64],
) -> Solution<MetricModel<E, O>> {
    let Units { problem, config, .. } = units;
    let Evaluation { value, gradient, .. } = match start {
        // Without a parameter to fit there is nothing to differentiate by.
        [] => Evaluation::new(
            exact::value(&problem.model, &problem.x.all(), problem.target, &config.blocks),
            Vec::new(),
        ),
        _ => units.evaluate(start),
    };
    Solution {
        module: problem.model.clone(),
        value,
        gradient_max: gradient.iter().fold(0.0, |max: f64, g| max.max(g.abs())),
        termination: Termination::StopAt,
        iterations: 0,
        evaluations: 1,
        seconds_before: 0.0,
        history: Vec::new(),
    }
}

/// A problem with its start and those who watch, for a minimizer.
struct Prepared<'a, 'p, 's, E: Encoder, O: Objective> {
    units: Units<'a, 'p, E, O>,
    start: Vec<f64>,
    watchers: Watchers<'s>,
}

impl<E: Encoder, O: Objective> Prepared<'_, '_, '_, E, O> {
    /// Minimizes by mini-batches, with an optimizer and its learning rate at the start.
    fn run_batches(
        self,
        batches: &StochasticConfig,
        steps: (ModuleOptimizer, f64),
        checkpoint: &mut Checkpoint<'_>,
    ) -> Result<Solution<MetricModel<E, O>>> {
        let Self { units, watchers, .. } = self;
        let monitor = Monitor::new(units.config, watchers);
        stochastic::minimize(&units, batches, steps, monitor, checkpoint)
    }

    /// Minimizes with all points at every step.
    fn run<M: Clone + Serialize + DeserializeOwned>(
        self,
        checkpoint: &mut Checkpoint<'_>,
        solve: &Solve<'_, M>,
    ) -> Result<Solution<MetricModel<E, O>>> {
        let Self { units, start, watchers } = self;
        let Units { problem, config, .. } = units;
        check_one_function(&problem.model)?;
        let mut monitor = Monitor::new(config, watchers);
        let (state, end) = match checkpoint.load::<State<DescentState<M>>>()? {
            Some(State { solver, record, end }) => {
                monitor.record = record;
                checkpoint.resumed(solver.iteration, end.is_some());
                (solver, end)
            }
            None => (DescentState::new(start), None),
        };
        let solution = match end {
            Some(end) => {
                let seconds = state.seconds;
                state.end(end, seconds, Vec::new())
            }
            None => descend(&units, (&mut monitor, checkpoint), (state, solve))?,
        };
        let mut solution = solution;
        if units.ended() && !solution.termination.converged() {
            solution.termination = Termination::Stopped;
        }
        let reached = solution.termination;
        checkpoint.conclude(reached, || {
            let (solver, record) = (solution.module.clone(), monitor.record.clone());
            Ok(State { solver, record, end: (!reached.can_resume()).then_some(reached) })
        })?;
        let mut solution = monitor
            .record
            .at_best(solution, |state| Position(state.position))
            .map(|Position(position)| units.model(&position));
        if saturation::explains(&solution, &problem.x.all(), problem.target) {
            solution.termination = Termination::Saturated;
        }
        Ok(solution)
    }
}
