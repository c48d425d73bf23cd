//! What a fit returns: the module, why it stopped, and the steps that it took.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a fit stopped.
///
/// A fit that did not converge is not an error: the best module so far is returned together with the
/// reason. [`Display`](fmt::Display) gives the reason as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Termination {
    /// The largest gradient component fell to the tolerance: a stationary point.
    GradientSmall,
    /// The last step changed the value by no more than the tolerance, or by no more than its rounding noise.
    ProgressSmall,
    /// The limit of iterations was reached.
    MaxIterations,
    /// All epochs of a mini-batch fit are done.
    EpochsDone,
    /// No mini-batch of an epoch had a term that a step could change; the module is that of the start.
    NoStep,
    /// No lower value was found, not even along steepest descent.
    LineSearchFailed,
    /// The value or the gradient is infinite or not a number.
    NonFinite,
    /// The caller asked to stop.
    Stopped,
    /// The held-out score stopped improving.
    HeldOut,
    /// The number of steps that was set, or chosen by a search, is done ([`FitConfig::stop_at`](super::FitConfig::stop_at)).
    StopAt,
    /// No step was possible: at the start every row has a single neighbor, or neighbors of a single class, to rounding,
    /// so that the gradient vanishes although the objective is not at its optimum.
    Saturated,
    /// The time allowed for the fit is used up.
    TimeBudget,
    /// Nothing was fitted here: the module was trained elsewhere.
    Elsewhere,
    /// Nothing was minimized step by step: the solution has a closed form.
    ClosedForm,
}

impl Termination {
    /// Whether the fit ended at a minimum, as far as its tolerances can tell.
    pub fn converged(self) -> bool {
        matches!(self, Self::GradientSmall | Self::ProgressSmall | Self::ClosedForm)
    }

    /// Whether the fit ended where its settings say that it should: no minimum, but no cause for a warning.
    ///
    /// Epochs that are all done, early stopping, a number of steps that a search found, a module trained elsewhere.
    pub fn is_planned(self) -> bool {
        matches!(self, Self::EpochsDone | Self::HeldOut | Self::StopAt | Self::Elsewhere)
    }

    /// Whether a fit that ended so continues from its checkpoint: after an interruption, or with a higher limit.
    pub fn can_resume(self) -> bool {
        matches!(self, Self::Stopped | Self::TimeBudget | Self::MaxIterations)
    }

    /// The reason as a sentence for a user; where the fit did not converge, with a remedy.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::GradientSmall => {
                "Converged: the gradient is as small as tolerance_gradient asks."
            }
            Self::ProgressSmall => {
                "Converged: the last step changed the value by no more than tolerance_progress, \
                 or by no more than its rounding noise."
            }
            Self::ClosedForm => "Converged: the solution has a closed form.",
            Self::MaxIterations => {
                "Not converged: the limit of iterations was reached; raise max_iterations."
            }
            Self::EpochsDone => "All epochs are done.",
            Self::NoStep => {
                "Not converged: no step was taken; in no batch did a row have both a row of its class and a row of \
                 another; raise batch_size."
            }
            Self::LineSearchFailed => {
                "Not converged: no lower value was found, not even along steepest descent; \
                 the gradient disagrees with the value, or the value jumps or is noisier than value_noise says."
            }
            Self::NonFinite => {
                "Not converged: the value or the gradient is infinite or not a number; \
                 scale the features, or start from a smaller module."
            }
            Self::Stopped => "Not converged: stopped on request.",
            Self::HeldOut => "Stopped early: the held-out score no longer improves.",
            Self::StopAt => "Reached the number of steps of stop_at.",
            Self::Saturated => {
                "Not converged: the start is saturated. Every row has a single neighbor or class to rounding, so the \
                 gradient vanishes and no step was taken; use criterion g or an L2 penalty, or scale the \
                 features or the start down."
            }
            Self::Elsewhere => "Trained elsewhere; nothing is known about that fit.",
            Self::TimeBudget => "Not converged: the time budget is used up; raise time_budget.",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// An objective's value and gradient at one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The value, a sum over terms; smaller is better.
    pub value: f64,
    /// The derivative of the value by each parameter, in the order of the position.
    pub gradient: Vec<f64>,
    /// How large the parts are that the value is the sum of, without their signs: its rounding error is
    /// relative to them. `-f + penalty` may be near 0 where both are large.
    pub magnitude: f64,
}

impl Evaluation {
    /// A value of one part, with its gradient.
    pub fn new(value: f64, gradient: Vec<f64>) -> Self {
        Self { value, gradient, magnitude: value.abs() }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.value.is_finite() && self.gradient.iter().all(|component| component.is_finite())
    }
}

/// One accepted step, as a callback sees it and a [`Solution`] records it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of steps accepted so far; 1 at the first.
    pub iteration: usize,
    /// Number of evaluations of value and gradient so far.
    pub evaluations: usize,
    /// The value after the step.
    #[serde(with = "super::non_finite")]
    pub value: f64,
    /// The largest absolute gradient component after the step.
    #[serde(with = "super::non_finite")]
    pub gradient_max: f64,
    /// Step length, as a multiple of the search direction.
    #[serde(with = "super::non_finite")]
    pub step: f64,
    /// The held-out score, where a callback measured one.
    #[serde(default, with = "super::non_finite::optional")]
    pub held_out: Option<f64>,
    /// The mean share of p that the candidates of an epoch's batches omit, where they are the nearest ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<f64>,
    /// Seconds spent in the minimizer, over all its runs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seconds: f64,
}

/// Whether a time was left out: a saved model keeps its times in one place.
pub fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// A fitted module (or a minimizer's state), and how the fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution<M> {
    /// What was fitted.
    pub module: M,
    /// The value at the end, a sum over terms.
    #[serde(with = "super::non_finite")]
    pub value: f64,
    /// The largest absolute gradient component at the end.
    #[serde(with = "super::non_finite")]
    pub gradient_max: f64,
    /// Why the fit stopped.
    pub termination: Termination,
    /// Number of accepted steps, over all runs of a resumed fit.
    pub iterations: usize,
    /// Number of evaluations of value and gradient, over all runs of a resumed fit.
    pub evaluations: usize,
    /// Seconds spent in the minimizer before this run, of a fit that was resumed.
    pub seconds_before: f64,
    /// The steps, first to last: of all runs of a fit that was resumed from its checkpoint, and of this run where a
    /// minimizer was given a saved state.
    pub history: Vec<Progress>,
}

impl<M> Solution<M> {
    /// The same fit with its module turned into something else.
    pub fn map<N>(self, convert: impl FnOnce(M) -> N) -> Solution<N> {
        Solution {
            module: convert(self.module),
            value: self.value,
            gradient_max: self.gradient_max,
            termination: self.termination,
            iterations: self.iterations,
            evaluations: self.evaluations,
            seconds_before: self.seconds_before,
            history: self.history,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Termination::*;

    #[test]
    fn a_sentence_says_whether_the_fit_converged_or_was_planned_to_end() {
        for end in [GradientSmall, ProgressSmall, ClosedForm] {
            assert!(end.converged() && end.sentence().starts_with("Converged: "));
        }
        for end in [EpochsDone, HeldOut, StopAt, Elsewhere] {
            assert!(end.is_planned() && !end.sentence().contains("onverged"));
        }
        let others = [MaxIterations, NoStep, LineSearchFailed, NonFinite, Stopped, Saturated];
        for end in others.into_iter().chain([TimeBudget]) {
            assert!(!end.converged() && !end.is_planned());
            assert!(end.sentence().starts_with("Not converged: "));
        }
    }
}
