//! A prepared problem, minimized: by mini-batches, or by a full-batch descent, watched and kept in a checkpoint; in rounds where its target depends on the position.
//!
//! ```text
//! target at the position ──► value and gradient there ──► one step of the minimizer ──┐
//!          ▲                                                                           │
//!          └───────────────────── unless it converged or was stopped ─────────────────┘
//! ```
//! Within a round the objective is one smooth function. What a round begins with follows from the position alone, so
//! that a fit that continues from a checkpoint takes the same steps. From a round to the next the value may jump up: the
//! record notes the least value that a round began with, and where, and the fit ends there.

use std::ops::ControlFlow;

use burn::optim::{AdamConfig, AdamWConfig, ModuleOptimizer};
use serde::{Deserialize, Serialize};

use super::checkpoint::{Checkpoint, Place};
use super::descent::{self, DirectionRule};
use super::monitor::{Monitor, Record, Watchers};
use super::problem::Problem;
use super::state::largest;
use super::training_layers::check_one_function;
use super::units::Units;
use super::{
    DescentState, Evaluation, FitConfig, FitSession, ObjectiveScale, OptimizerConfig, Progress,
    Solution, StochasticConfig, Termination, exact, saturation, stochastic,
};
use crate::encoder::{Encoder, EncoderConfig};
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::{Objective, check_points};

/// A value that changes by less of itself when the target is updated is that of the same target.
const SAME: f64 = 1e-6;

/// [`minimize`](super::minimize) for an estimator that has seen to start, scaling and held-out part itself.
///
/// # Errors
/// As [`minimize`](super::minimize).
pub fn minimize_prepared<E: Encoder, O: Objective>(
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
        Some(place) => Some((place, problem.fit_key(config, &start)?)),
        None => None,
    };
    let mut checkpoint = Checkpoint::new(kept, session.keep_checkpoint, session.on_checkpoint);
    let watchers =
        Watchers { on_progress: session.on_progress, on_parameters: session.on_parameters };
    let prepared = Prepared { units, start, watchers };
    match &config.optimizer {
        OptimizerConfig::Lbfgs(solver) => prepared.run(solver, &mut checkpoint),
        OptimizerConfig::ConjugateGradient(solver) => prepared.run(solver, &mut checkpoint),
        OptimizerConfig::Adam(batches) => {
            let optimizer = match batches.weight_decay.filter(|decay| *decay > 0.0) {
                Some(decay) => AdamWConfig::new().with_weight_decay(decay as f32).init(),
                None => AdamConfig::new().init(),
            };
            let rate = batches.rate_from(&prepared.start);
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

/// The solution of a fit with zero iterations.
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
    fn run<R: DirectionRule>(
        self,
        rule: &R,
        checkpoint: &mut Checkpoint<'_>,
    ) -> Result<Solution<MetricModel<E, O>>> {
        let Self { units, start, watchers } = self;
        let Units { problem, config, .. } = units;
        check_one_function(&problem.model)?;
        let mut monitor = Monitor::new(config, watchers);
        let (state, end) = match checkpoint.load::<State<DescentState<R::Memory>>>()? {
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
            None => descend(&units, (&mut monitor, checkpoint), (state, rule))?,
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

/// The parameters of a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Position(Vec<f64>);

/// A checkpoint: the optimizer's state, and what the fit has been through.
#[derive(Serialize, Deserialize)]
struct State<S> {
    solver: S,
    record: Record<Position>,
    /// Why the fit ended, if it did.
    end: Option<Termination>,
}

/// Runs a full-batch minimizer from a state.
///
/// # Errors
/// A checkpoint that cannot be written, if no callback reports it.
fn descend<E: Encoder, O: Objective, R: DirectionRule>(
    units: &Units<'_, '_, E, O>,
    (monitor, checkpoint): (&mut Monitor<'_, '_, Position>, &mut Checkpoint<'_>),
    (state, rule): (DescentState<R::Memory>, &R),
) -> Result<Solution<DescentState<R::Memory>>> {
    let Units { problem, config, .. } = units;
    let scale =
        ObjectiveScale { terms: problem.terms(), value_noise: config.precision.value_noise() };
    let seconds_before = state.seconds;
    let mut state = state;
    loop {
        let target = units.updated_target(&state.position);
        if let Some(target) = &target {
            update_target(units, target, &mut state);
            let at = [state.value, state.gradient_max()];
            monitor.record.note_lowest(at, || Position(state.position.clone()));
        }
        let target = target.as_ref().unwrap_or(problem.target);
        let first = state.iteration;
        let mut failure: Option<Error> = None;
        let mut round_done = false;
        let mut told: Option<Termination> = None;
        let mut evaluate = |position: &[f64]| units.evaluate_on(target, position);
        let mut on_step = |progress: &mut Progress, state: &DescentState<R::Memory>| {
            let position = &state.position;
            let kept = (|| Position(position.clone()), || units.parameters(position));
            if let ControlFlow::Break(reason) = monitor.step(progress, units.score(position), kept)
            {
                told = Some(reason);
                return ControlFlow::Break(reason);
            }
            let stored =
                || State { solver: state.clone(), record: monitor.record.clone(), end: None };
            if let Err(error) = checkpoint.offer(|| Ok(stored())) {
                failure = Some(error);
                return ControlFlow::Break(Termination::Stopped);
            }
            round_done = O::MOVING_TARGET;
            if round_done {
                ControlFlow::Break(Termination::Stopped)
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut solution = descent::minimize(rule, state, scale, &mut evaluate, &mut on_step);
        if let Some(error) = failure {
            return Err(error);
        }
        if round_done && solution.termination == Termination::Stopped {
            state = solution.module;
            continue;
        }
        let reached = &solution.module;
        let end = units.updated_target(&reached.position);
        if let Some(at) = end.map(|target| units.evaluate_on(&target, &reached.position)) {
            let noted = [at.value, largest(&at.gradient)];
            monitor.record.note_lowest(noted, || Position(reached.position.clone()));
            // What converged is the round; the fit has where nothing changes with the target.
            let changes = (at.value - reached.value).abs() > SAME * at.value.abs().max(1.0);
            if solution.termination.converged() && reached.iteration > first && changes {
                let Some(reason) = told else {
                    state = solution.module;
                    continue;
                };
                solution.termination = reason;
            }
        }
        solution.seconds_before = seconds_before;
        return Ok(solution);
    }
}

/// Brings the value and gradient of a state to an updated target, unless no step was taken since that was done.
fn update_target<E: Encoder, O: Objective, M>(
    units: &Units<'_, '_, E, O>,
    target: &O::Target,
    state: &mut DescentState<M>,
) {
    if state.evaluations > 0 && state.previous_value == f64::INFINITY {
        return;
    }
    let at = units.evaluate_on(target, &state.position);
    state.value = at.value;
    state.magnitude = at.magnitude;
    state.gradient = at.gradient;
    state.evaluations += 1;
    // Values of different targets are not to be compared.
    state.previous_value = f64::INFINITY;
}

#[cfg(test)]
mod tests;
