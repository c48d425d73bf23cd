//! How the solver went.

use burn_nca_learn::fit::SumsSummary;
use serde::{Deserialize, Serialize};

use super::json::null_as_nan;
use super::number::{counted, percent};

/// How the solver went and what it took; its fields are at the top level of every report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverRun {
    /// Why the solver stopped, as the library names it, such as `GradientSmall`.
    pub termination: String,
    /// The same as a sentence for people.
    pub termination_sentence: String,
    /// Whether the solver reached an optimum, rather than a limit or a failure.
    pub converged: bool,
    /// Whether the model is the start of a gradient method, or a closed form: no gradient step was taken.
    #[serde(default)]
    pub without_steps: bool,
    /// Steps of the solver.
    pub iterations: u64,
    /// Evaluations of the objective, line searches included.
    pub evaluations: u64,
    /// Wall-clock time of the fit, in seconds.
    #[serde(deserialize_with = "null_as_nan")]
    pub seconds: f64,
    /// When it ended, such as `2026-01-31 12:00 UTC`.
    pub ended: Option<String>,
    /// How sums over pairs were computed at the end; `None` where a method has none.
    pub sums: Option<SumsSummary>,
    /// The mean share of p that the nearest candidates of the last epoch omitted; `None` where no such were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<f64>,
    /// Largest resident memory of the process, in bytes, where the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

impl SolverRun {
    /// What the nearest candidates omitted.
    pub(crate) fn omitted_text(&self) -> Option<String> {
        let omitted = self.omitted?;
        Some(format!("nearest, which omit {} of p in the last epoch", percent(Some(omitted))))
    }
}

/// The way of sums over pairs, the tolerance and the number of exact rows.
pub(crate) fn sums_text(sums: &SumsSummary) -> String {
    match sums {
        SumsSummary::Plain => "plain".to_owned(),
        SumsSummary::Fused => "fused".to_owned(),
        SumsSummary::Fourier { tolerance, exact_rows } => {
            let rows = counted(*exact_rows, "row");
            format!("Fourier series, tolerance {tolerance:e}, {rows} summed exactly")
        }
    }
}
