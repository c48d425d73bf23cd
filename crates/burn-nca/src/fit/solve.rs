//! A prepared problem, minimized: by mini-batches, or by a full-batch descent, watched and kept in a checkpoint.
//!
//! ```text
//! descent ── nothing lower ──► target moves? ── no ──► the end
//!    ▲                             │ yes
//!    │                     a few steps, each with the target held ── nothing lower ──► the end
//!    └────────── lower ────────────┘
//! ```
//! A value is always that by the target of its own position. Where that target changes the value jumps, and a line search may
//! find nothing lower this side of a jump; with the target held it has none, and a step crosses it. No step that is taken
//! raises the value, and what follows a step depends on the state alone, so that a fit that continues from a checkpoint
//! takes the same steps.

use std::cell::Cell;
use std::ops::ControlFlow;

use burn::optim::{AdamConfig, AdamWConfig};
use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::descent::{self, DirectionRule};
use super::monitor::{Monitor, Record, Watchers};
use super::problem::Problem;
use super::training_layers::check_one_function;
use super::units::Units;
use super::{
    DescentState, Evaluation, FitConfig, FitSession, ObjectiveScale, OptimizerConfig, Progress,
    Solution, Termination, exact, saturation, stochastic,
};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::{Objective, check_points};

/// The most steps with a held target that are tried for one lower value.
const HELD_STEPS: usize = 20;

/// [`minimize`](super::minimize) for an estimator that has seen to start, scaling and held-out part itself.
///
/// # Errors
/// As [`minimize`](super::minimize).
pub fn minimize_prepared<E: Encoder, O: Objective>(
    problem: &Problem<'_, E, O>,
    config: &FitConfig,
    mut session: FitSession<'_>,
) -> Result<Solution<MetricModel<E, O>>> {
    config.check()?;
    check_points(problem.target, problem.x.dims()[0])?;
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
    if let Some(on_start) = session.on_start.take() {
        on_start(&units.parameters(&start));
    }
    let mut checkpoint = Checkpoint::of(&mut session, || problem.fit_key(config, &start))?;
    let watchers =
        Watchers { on_progress: session.on_progress, on_parameters: session.on_parameters };
    let (batches, optimizer, rate) = match &config.optimizer {
        OptimizerConfig::Lbfgs(solver) => {
            return full_batch(&units, solver, (start, watchers), &mut checkpoint);
        }
        OptimizerConfig::ConjugateGradient(solver) => {
            return full_batch(&units, solver, (start, watchers), &mut checkpoint);
        }
        OptimizerConfig::Adam(batches) => {
            let optimizer = match batches.weight_decay.filter(|decay| *decay > 0.0) {
                Some(decay) => AdamWConfig::new().with_weight_decay(decay as f32).init(),
                None => AdamConfig::new().init(),
            };
            (batches, optimizer, batches.rate_from(&start))
        }
        OptimizerConfig::Sgd(settings) => {
            let rate = settings.rate_from(&start, problem.model.encoder.is_linear());
            (&settings.batches, settings.init(), rate)
        }
    };
    let steps = (session.optimizer.unwrap_or(optimizer), rate);
    let monitor = Monitor::new(config, watchers);
    stochastic::minimize(&units, batches, steps, monitor, &mut checkpoint)
}

/// The solution of a fit with zero iterations; value and gradient are those that its optimizer sees, of all pairs or of an
/// epoch of batches.
fn at_the_start<E: Encoder, O: Objective>(
    units: &Units<'_, '_, E, O>,
    start: &[f64],
) -> Solution<MetricModel<E, O>> {
    let Units { problem, config, .. } = units;
    let ([n, _], batches) = (problem.x.dims(), config.optimizer.batches());
    let batches = batches.filter(|batches| !start.is_empty() && batches.batches_of(n) > 1);
    let ([value, gradient_max], evaluations) = match batches {
        Some(batches) => (stochastic::at_the_start(units, batches), batches.batches_of(n)),
        // Without a parameter to fit there is nothing to differentiate by.
        None if start.is_empty() => {
            let (x, blocks) = (problem.x.all(), &config.blocks);
            ([exact::value(&problem.model, &x, problem.target, blocks), 0.0], 1)
        }
        None => {
            let Evaluation { value, gradient, .. } = units.evaluate(None, start);
            ([value, gradient.iter().fold(0.0, |max: f64, g| max.max(g.abs()))], 1)
        }
    };
    Solution {
        module: problem.model.clone(),
        value,
        gradient_max,
        termination: Termination::StopAt,
        iterations: 0,
        evaluations,
        seconds_before: 0.0,
        history: Vec::new(),
    }
}

/// Minimizes with all points at every step.
fn full_batch<E: Encoder, O: Objective, R: DirectionRule>(
    units: &Units<'_, '_, E, O>,
    rule: &R,
    (start, watchers): (Vec<f64>, Watchers<'_>),
    checkpoint: &mut Checkpoint<'_>,
) -> Result<Solution<MetricModel<E, O>>> {
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
    let mut solution = match end {
        Some(end) => {
            let seconds = state.seconds;
            state.end(end, seconds, Vec::new())
        }
        None => descend(units, (&mut monitor, checkpoint), (state, rule))?,
    };
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
    let mut failure: Option<Error> = None;
    let asked = Cell::new(None);
    let mut evaluate = |position: &[f64]| units.evaluate(None, position);
    let mut on_step = |progress: &mut Progress, state: &DescentState<R::Memory>| {
        let position = &state.position;
        let kept = (|| Position(position.clone()), || units.parameters(position));
        let reason = monitor.step(progress, units.score(position), kept).break_value();
        let stored = || State { solver: state.clone(), record: monitor.record.clone(), end: None };
        let reason = reason.or_else(|| {
            failure = checkpoint.offer(|| Ok(stored())).err();
            failure.as_ref().map(|_| Termination::Stopped)
        });
        asked.set(reason);
        reason.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    };
    let mut solution = descent::minimize(rule, state, scale, &mut evaluate, &mut on_step);
    while O::MOVING_TARGET
        && matches!(
            solution.termination,
            Termination::ProgressSmall | Termination::LineSearchFailed
        )
    {
        let at_limit = solution.iterations >= rule.limits().max_iterations;
        let limit = at_limit.then_some(Termination::MaxIterations);
        if let Some(reason) = asked.get().or(limit) {
            solution.termination = reason;
            break;
        }
        let (state, step) = step_with_held_targets((units, rule, scale), &solution.module);
        let Some(step) = step else {
            solution.evaluations = state.evaluations;
            solution.module = state;
            break;
        };
        solution = match on_step(&mut state.progress(step), &state) {
            ControlFlow::Break(reason) => state.end(reason, seconds_before, Vec::new()),
            ControlFlow::Continue(()) => {
                descent::minimize(rule, state, scale, &mut evaluate, &mut on_step)
            }
        };
    }
    if let Some(error) = failure {
        return Err(error);
    }
    solution.seconds_before = seconds_before;
    Ok(solution)
}

/// Steps from where a descent found nothing lower, each with the target that belongs to where it begins; where the value is
/// lower by more than the tolerance, the state there and the length of the last step, and else the state where they began.
fn step_with_held_targets<E: Encoder, O: Objective, R: DirectionRule>(
    (units, rule, scale): (&Units<'_, '_, E, O>, &R, ObjectiveScale),
    from: &DescentState<R::Memory>,
) -> (DescentState<R::Memory>, Option<f64>) {
    let tolerance = rule.limits().tolerance_progress.max(scale.value_noise);
    let lower = from.value - tolerance * from.value.abs().max(1.0);
    let mut at = DescentState { memory: None, iteration: 0, ..from.clone() };
    for _ in 0..HELD_STEPS {
        let Some(target) = units.updated_target(&at.position) else { break };
        let mut held = |position: &[f64]| units.evaluate(Some(&target), position);
        let mut once = |_: &mut Progress, _: &_| ControlFlow::Break(Termination::Stopped);
        // Values of different targets are not to be compared.
        at.previous_value = f64::INFINITY;
        let solution = descent::minimize(rule, at, scale, &mut held, &mut once);
        at = solution.module;
        let Some(last) = solution.history.last() else { break };
        let Evaluation { value, gradient, magnitude } = units.evaluate(None, &at.position);
        at = DescentState { value, gradient, magnitude, evaluations: at.evaluations + 1, ..at };
        if value < lower {
            at.iteration = from.iteration + 1;
            at.previous_value = f64::INFINITY;
            return (at, Some(last.step));
        }
        // The limit of iterations is on steps that are taken.
        at.iteration = 0;
    }
    (DescentState { evaluations: at.evaluations, ..from.clone() }, None)
}

#[cfg(test)]
mod tests;
