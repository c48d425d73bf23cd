//! The loop that the full-batch solvers share: direction, line search, stopping tests.
//!
//! ```text
//! converged? ── yes ──► GradientSmall, ProgressSmall, NonFinite
//!     │ no
//! asked to stop, or at the limit? ── yes ──► the callback's reason, MaxIterations
//!     │ no
//! direction of the rule (none at the start and after a restart: steepest descent)
//!     │
//! line search along it ── nothing lower ──► drop the rule's memory, search steepest descent once
//!     │ lower                                   │ nothing lower ──► ProgressSmall (noise), LineSearchFailed
//!     ▼                                         │ lower
//! accept the step, let the rule remember it, call back ◄┘ ── and again from the top
//! ```
//! A solver is a [`DirectionRule`]: what it remembers of earlier steps, and the direction that it makes of them. All
//! that the next step depends on is in [`DescentState`], so a descent can stop after any step and continue later.

use std::ops::ControlFlow;
use web_time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::line_search::{LineSearch, Outcome, Ray, Trial, dot};
use super::solution::{Evaluation, Progress, Solution, Termination};
use super::state::{DescentState, ObjectiveScale};
use crate::error::{Result, require};

/// When a descent stops, and what its line searches ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub max_iterations: usize,
    pub max_line_search: usize,
    pub tolerance_gradient: f64,
    pub tolerance_progress: f64,
    /// c1 and c2 of the strong Wolfe conditions.
    pub wolfe: [f64; 2],
}

impl Limits {
    /// Checks what a user may set; zero iterations are legal.
    pub fn check(&self) -> Result<()> {
        check_positive("max_line_search", self.max_line_search)?;
        let tolerances = [
            ("tolerance_gradient", self.tolerance_gradient),
            ("tolerance_progress", self.tolerance_progress),
        ];
        tolerances.into_iter().try_for_each(|(name, tolerance)| {
            require(tolerance >= 0.0 && tolerance.is_finite(), || {
                format!("{name} is {tolerance}; give a number from 0 (never stop by it) up, such as 1e-6")
            })
        })
    }
}

pub(super) fn check_positive(name: &str, count: usize) -> Result<()> {
    require(count > 0, || format!("{name} is 0; give 1 or more"))
}

/// An accepted step, for a rule to learn from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move<'a> {
    pub step: f64,
    pub direction: &'a [f64],
    /// The directional derivative before the step.
    pub slope: f64,
    /// Gradients before and after the step.
    pub gradients: [&'a [f64]; 2],
}

/// A rule that turns the gradient and the memory of earlier steps into a search direction.
///
/// Without a memory (at the start, after a restart) the loop takes steepest descent itself.
pub(super) trait DirectionRule {
    type Memory: Clone + Serialize + DeserializeOwned;

    fn limits(&self) -> Limits;

    fn direction(&self, memory: &Self::Memory, gradient: &[f64]) -> Vec<f64>;

    /// The first trial step along a direction with this slope.
    fn first_trial(&self, memory: &Self::Memory, slope: f64) -> f64;

    /// The memory after a step; nothing asks for steepest descent.
    fn remember(&self, memory: Option<Self::Memory>, step: Move<'_>) -> Option<Self::Memory>;
}

/// What a caller does after each accepted step.
type OnStep<'a, M> = dyn FnMut(&mut Progress, &DescentState<M>) -> ControlFlow<Termination> + 'a;

/// Minimizes from `state` until a test stops it or `on_step` breaks with a reason.
pub(super) fn minimize<R: DirectionRule>(
    rule: &R,
    state: DescentState<R::Memory>,
    scale: ObjectiveScale,
    evaluate: &mut dyn FnMut(&[f64]) -> Evaluation,
    on_step: &mut OnStep<'_, R::Memory>,
) -> Solution<DescentState<R::Memory>> {
    let clock = Instant::now();
    let seconds_before = state.seconds;
    let mut descent = Descent { rule, limits: rule.limits(), state, scale, evaluate };
    let mut history = Vec::new();
    if descent.state.evaluations == 0 {
        let state = &mut descent.state;
        let Evaluation { value, gradient, magnitude } = (descent.evaluate)(&state.position);
        (state.value, state.gradient, state.magnitude) = (value, gradient, magnitude);
        state.evaluations = 1;
    }
    let mut asked = None;
    let termination = loop {
        // Convergence comes before a callback's wish, so that a run stopped at its last step ends like one
        // that was left alone.
        let is_exhausted = descent.state.iteration >= descent.limits.max_iterations;
        let exhaustion = is_exhausted.then_some(Termination::MaxIterations);
        let ended = descent.convergence().or(asked).or(exhaustion);
        if let Some(termination) = ended {
            break termination;
        }
        let step = match descent.step() {
            Ok(step) => step,
            Err(termination) => break termination,
        };
        let state = &mut descent.state;
        state.seconds = seconds_before + clock.elapsed().as_secs_f64();
        let mut progress = state.progress(step);
        asked = on_step(&mut progress, state).break_value();
        history.push(progress);
    };
    let mut state = descent.state;
    state.seconds = seconds_before + clock.elapsed().as_secs_f64();
    state.end(termination, seconds_before, history)
}

struct Descent<'a, R: DirectionRule> {
    rule: &'a R,
    limits: Limits,
    state: DescentState<R::Memory>,
    scale: ObjectiveScale,
    evaluate: &'a mut dyn FnMut(&[f64]) -> Evaluation,
}

impl<R: DirectionRule> Descent<'_, R> {
    /// Whether the state is an end. It looks at nothing else, so a resumed run agrees.
    fn convergence(&self) -> Option<Termination> {
        let (state, limits) = (&self.state, &self.limits);
        let gradient_max = state.gradient_max();
        if !(state.value.is_finite() && gradient_max.is_finite()) {
            return Some(Termination::NonFinite);
        }
        if gradient_max / self.scale.terms.max(1) as f64 <= limits.tolerance_gradient {
            return Some(Termination::GradientSmall);
        }
        let size = state.value.abs().max(state.previous_value.abs()).max(1.0);
        let tolerance = limits.tolerance_progress.max(self.scale.value_noise);
        let progress = (state.previous_value - state.value) / size;
        (progress <= tolerance).then_some(Termination::ProgressSmall)
    }

    /// Takes a step along the rule's direction, or failing that along steepest descent; returns its length.
    fn step(&mut self) -> Result<f64, Termination> {
        if let Some(memory) = &self.state.memory {
            let direction = self.rule.direction(memory, &self.state.gradient);
            let slope = dot(&direction, &self.state.gradient);
            if slope < 0.0 && slope.is_finite() {
                let first_trial = self.rule.first_trial(memory, slope);
                if let Outcome::Lower(trial) = self.search(&direction, slope, first_trial) {
                    return Ok(self.accept(trial, &direction, slope));
                }
            }
            // Rounding may have spoilt the memory, so even a search lost in noise gets its second chance.
            self.state.memory = None;
        }
        self.steepest_step()
    }

    fn steepest_step(&mut self) -> Result<f64, Termination> {
        let direction: Vec<f64> = self.state.gradient.iter().map(|g| -g).collect();
        let slope = dot(&direction, &self.state.gradient);
        if slope == 0.0 {
            // The squares of the gradient underflow: no step can be seen in the value.
            return Err(Termination::ProgressSmall);
        }
        let length = (-slope).sqrt();
        // Far from the origin a unit step, or one of unit length, may be below the rounding of the position.
        let norm = dot(&self.state.position, &self.state.position).sqrt();
        let visible = self.scale.value_noise.sqrt() * norm / length;
        match self.search(&direction, slope, (1.0 / length).min(1.0).max(visible)) {
            Outcome::Lower(trial) => Ok(self.accept(trial, &direction, slope)),
            Outcome::Noise => Err(Termination::ProgressSmall),
            Outcome::Failed => Err(Termination::LineSearchFailed),
            Outcome::NonFinite => Err(Termination::NonFinite),
        }
    }

    fn search(&mut self, direction: &[f64], slope: f64, first_trial: f64) -> Outcome {
        let search = LineSearch {
            sufficient_decrease: self.limits.wolfe[0],
            curvature: self.limits.wolfe[1],
            max_evaluations: self.limits.max_line_search,
            noise: self.scale.noise_at(self.state.magnitude),
        };
        let ray = Ray { position: &self.state.position, value: self.state.value, direction, slope };
        let (outcome, evaluations) = search.search(ray, first_trial, self.evaluate);
        self.state.evaluations += evaluations;
        outcome
    }

    fn accept(&mut self, trial: Trial, direction: &[f64], slope: f64) -> f64 {
        let Trial { step, position, evaluation } = trial;
        let state = &mut self.state;
        let gradients = [state.gradient.as_slice(), evaluation.gradient.as_slice()];
        let memory = state.memory.take();
        state.memory = self.rule.remember(memory, Move { step, direction, slope, gradients });
        state.previous_value = std::mem::replace(&mut state.value, evaluation.value);
        state.magnitude = evaluation.magnitude;
        state.position = position;
        state.gradient = evaluation.gradient;
        state.iteration += 1;
        step
    }
}

#[cfg(test)]
mod tests;
