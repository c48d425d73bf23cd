//! A full-batch descent, watched and kept in a checkpoint; in rounds where its target depends on where it stands.
//!
//! ```text
//! target at the position ──► value and gradient there ──► one step of the minimizer ──┐
//!          ▲                                                                           │
//!          └───────────────────── unless it converged or was stopped ─────────────────┘
//! ```
//! Within a round the objective is one smooth function. What a round begins with follows from the position alone, so
//! that a fit that goes on from a checkpoint takes the same steps. From a round to the next the value may jump up: the
//! record notes the least value that a round began with, and where, and the fit ends there.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::monitor::{Monitor, Record};
use super::state::largest;
use super::units::Units;
use super::{DescentState, Evaluation, ObjectiveScale, Progress, Solution, Termination};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::objective::Objective;

/// The parameters of a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Position(pub(super) Vec<f64>);

/// A checkpoint: the optimizer's state, and what the fit has been through.
#[derive(Serialize, Deserialize)]
pub(super) struct State<S> {
    pub solver: S,
    pub record: Record<Position>,
    /// Why the fit ended, if it did.
    pub end: Option<Termination>,
}

type Evaluate<'a> = dyn FnMut(&[f64]) -> Evaluation + 'a;
type OnStep<'a, M> = dyn FnMut(&mut Progress, &DescentState<M>) -> ControlFlow<Termination> + 'a;

/// A full-batch minimizer, from a state to a solution.
pub(super) type Solve<'a, M> = dyn Fn(
        DescentState<M>,
        ObjectiveScale,
        &mut Evaluate<'_>,
        &mut OnStep<'_, M>,
    ) -> Solution<DescentState<M>>
    + 'a;

/// A value that changes by less of itself when the target is renewed is that of the same target.
const SAME: f64 = 1e-6;

/// Runs a full-batch minimizer from a state.
///
/// # Errors
/// A checkpoint that cannot be written, where nobody is told of it.
pub(super) fn descend<E: Encoder, O: Objective, M: Clone + Serialize>(
    units: &Units<'_, '_, E, O>,
    (monitor, checkpoint): (&mut Monitor<'_, '_, Position>, &mut Checkpoint<'_>),
    (state, solve): (DescentState<M>, &Solve<'_, M>),
) -> Result<Solution<DescentState<M>>> {
    let Units { problem, config, .. } = units;
    let scale =
        ObjectiveScale { terms: problem.terms(), value_noise: config.precision.value_noise() };
    let seconds_before = state.seconds;
    let mut state = state;
    loop {
        let target = units.renewed(&state.position);
        if let Some(target) = &target {
            renew(units, target, &mut state);
            let at = [state.value, state.gradient_max()];
            monitor.record.note_renewed(at, || Position(state.position.clone()));
        }
        let target = target.as_ref().unwrap_or(problem.target);
        let first = state.iteration;
        let mut failure: Option<Error> = None;
        let mut round_done = false;
        let mut told: Option<Termination> = None;
        let mut evaluate = |position: &[f64]| units.evaluate_on(target, position);
        let mut on_step = |progress: &mut Progress, state: &DescentState<M>| {
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
            round_done = O::RENEWS;
            if round_done {
                ControlFlow::Break(Termination::Stopped)
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut solution = solve(state, scale, &mut evaluate, &mut on_step);
        if let Some(error) = failure {
            return Err(error);
        }
        if round_done && solution.termination == Termination::Stopped {
            state = solution.module;
            continue;
        }
        let reached = &solution.module;
        let end = units.renewed(&reached.position);
        if let Some(at) = end.map(|target| units.evaluate_on(&target, &reached.position)) {
            let noted = [at.value, largest(&at.gradient)];
            monitor.record.note_renewed(noted, || Position(reached.position.clone()));
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

/// Brings the value and gradient of a state to a renewed target, unless no step was taken since that was done.
fn renew<E: Encoder, O: Objective, M>(
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
