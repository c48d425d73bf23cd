//! How a fit went: what a model keeps of it.

use web_time::Instant;

use serde::{Deserialize, Serialize};

use super::non_finite;
use super::{Progress, ResolvedStart, Solution, Termination};
use crate::data::TrainingData;
use burn_nca::Sums;
use burn_nca::internal::is_zero;

/// How a fit went.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FitSummary {
    /// The rule that the start came from; absent for networks and warm starts.
    pub start: Option<ResolvedStart>,
    /// The penalized objective at the end, a sum over the training rows; smaller is better.
    #[serde(with = "non_finite")]
    pub value: f64,
    /// The largest absolute gradient component at the end.
    #[serde(with = "non_finite")]
    pub gradient_max: f64,
    /// Why the fit stopped.
    pub termination: Termination,
    /// Number of accepted steps (epochs with mini-batches).
    pub iterations: usize,
    /// Number of evaluations of value and gradient (batches with mini-batches).
    pub evaluations: usize,
    /// Wall-clock seconds, with everything around the optimizer; those of earlier runs of a resumed fit included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seconds: f64,
    /// How sums over pairs are computed at the end; absent where a method has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sums: Option<SumsSummary>,
    /// The steps, first to last, over all runs of a resumed fit.
    pub history: Vec<Progress>,
    /// Number of rows that were learned from.
    pub rows: usize,
    /// Number of rows held out for early stopping.
    pub held_out_rows: usize,
    /// Number of rows that are the only ones of their class: they have no same-class neighbor to find.
    #[serde(rename = "singletons")]
    pub num_unmatched: usize,
}

/// How sums over pairs are computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "way")]
pub enum SumsSummary {
    /// As they are defined.
    Plain,
    /// In one operation.
    Fused,
    /// By a Fourier series.
    Fourier {
        /// The tolerance of the series.
        tolerance: f64,
        /// Number of training rows whose sums are exact, because they have few neighbors or their class is small.
        exact_rows: usize,
    },
}

impl SumsSummary {
    /// The way that was taken, with the number of rows whose sums are exact ([`Objective::sums_taken`]).
    ///
    /// [`Objective::sums_taken`]: crate::objective::Objective::sums_taken
    pub(crate) fn of((sums, exact_rows): (Sums, usize)) -> Option<Self> {
        match sums {
            Sums::Auto => None,
            Sums::Plain => Some(Self::Plain),
            Sums::Fused => Some(Self::Fused),
            Sums::Fourier(tolerance) => Some(Self::Fourier { tolerance, exact_rows }),
        }
    }
}

impl FitSummary {
    /// The summary of a solution that was begun at `started`, and the module that was fitted; the rows are for the
    /// caller to count.
    pub fn of<M>(
        solution: Solution<M>,
        start: Option<ResolvedStart>,
        started: Instant,
    ) -> (M, Self) {
        let summary = Self {
            start,
            value: solution.value,
            gradient_max: solution.gradient_max,
            termination: solution.termination,
            iterations: solution.iterations,
            evaluations: solution.evaluations,
            seconds: solution.seconds_before + started.elapsed().as_secs_f64(),
            history: solution.history,
            ..Self::closed_form(started)
        };
        (solution.module, summary)
    }

    /// The summary of a solution in closed form, begun at `started`.
    pub fn closed_form(started: Instant) -> Self {
        Self {
            start: None,
            value: 0.0,
            gradient_max: 0.0,
            termination: Termination::ClosedForm,
            iterations: 0,
            evaluations: 0,
            seconds: started.elapsed().as_secs_f64(),
            sums: None,
            history: Vec::new(),
            rows: 0,
            held_out_rows: 0,
            num_unmatched: 0,
        }
    }

    /// The summary with the numbers of rows, of all data, that were learned from and held out.
    #[must_use]
    pub fn with_rows<D: TrainingData>(self, train: &D, all: &D) -> Self {
        let rows = train.features().rows();
        let held_out_rows = all.features().rows() - rows;
        Self { rows, held_out_rows, num_unmatched: train.num_unmatched(), ..self }
    }
}
