//! The state of a full-batch descent, so that it can be saved and continued.

use serde::{Deserialize, Serialize};

use super::non_finite;
use super::solution::{Progress, Solution, Termination};

/// What a minimizer must know of an objective to judge its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ObjectiveScale {
    /// Number of summands of the value; `tolerance_gradient` is meant per summand.
    pub terms: usize,
    /// Rounding noise of the value: differences below `value_noise * max(m, 1)` mean nothing, where m is
    /// the [`Evaluation::magnitude`](super::Evaluation::magnitude). Give 0 for a
    /// value that is exact relative to its own size even near 0, such as a sum of squares.
    pub value_noise: f64,
}

impl ObjectiveScale {
    /// The size below which a difference of values of this magnitude means nothing.
    pub(super) fn noise_at(self, magnitude: f64) -> f64 {
        self.value_noise * magnitude.max(1.0)
    }
}

/// The state of a descent: all that its next steps depend on.
///
/// A run continued from a saved state takes the same steps, bit for bit, as one that was not interrupted.
/// As JSON its numbers read back to the same bits (by serde_json's feature `float_roundtrip`, which this crate asks for).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct DescentState<M> {
    /// The parameters.
    pub position: Vec<f64>,
    /// The value at the position; not a number before the first evaluation.
    #[serde(with = "non_finite")]
    pub value: f64,
    /// The magnitude of the value's parts; not a number before the first evaluation.
    #[serde(with = "non_finite")]
    pub magnitude: f64,
    /// The value before the last step; infinite before the first.
    #[serde(with = "non_finite")]
    pub previous_value: f64,
    /// The gradient at the position; empty before the first evaluation.
    #[serde(with = "non_finite::several")]
    pub gradient: Vec<f64>,
    /// Number of accepted steps.
    pub iteration: usize,
    /// Number of evaluations of value and gradient.
    pub evaluations: usize,
    /// Seconds spent so far.
    pub seconds: f64,
    /// What the minimizer remembers of earlier steps; nothing at the start and after a restart.
    pub memory: Option<M>,
}

impl<M> DescentState<M> {
    /// The start of a descent from these parameters.
    pub fn new(position: Vec<f64>) -> Self {
        Self {
            position,
            value: f64::NAN,
            magnitude: f64::NAN,
            previous_value: f64::INFINITY,
            gradient: Vec::new(),
            iteration: 0,
            evaluations: 0,
            seconds: 0.0,
            memory: None,
        }
    }

    /// The largest absolute gradient component; not a number where the gradient is not finite.
    pub fn gradient_max(&self) -> f64 {
        self.gradient.iter().fold(0.0, |largest, component| {
            let size = component.abs();
            if size > largest || size.is_nan() { size } else { largest }
        })
    }

    /// A descent that ended here, after earlier runs of `seconds_before`.
    pub(super) fn end(
        self,
        termination: Termination,
        seconds_before: f64,
        history: Vec<Progress>,
    ) -> Solution<Self> {
        Solution {
            value: self.value,
            gradient_max: self.gradient_max(),
            termination,
            iterations: self.iteration,
            evaluations: self.evaluations,
            seconds_before,
            history,
            module: self,
        }
    }

    /// The record of the step that led here.
    pub(super) fn progress(&self, step: f64) -> Progress {
        Progress {
            iteration: self.iteration,
            evaluations: self.evaluations,
            value: self.value,
            gradient_max: self.gradient_max(),
            step,
            held_out: None,
            omitted: None,
            seconds: self.seconds,
        }
    }
}
