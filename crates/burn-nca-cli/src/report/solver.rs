use serde::{Deserialize, Serialize};

use super::json::null_as_nan;
use super::number::{bytes, count, counted, duration, significant};
use super::page::figures::card;

/// How the solver went and what it took; its fields stand at the top level of every report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverRun {
    /// Why the solver stopped, as the library names it, such as `GradientSmall`.
    pub termination: String,
    /// The same as a sentence for people.
    pub termination_sentence: String,
    /// Whether the solver reached an optimum, rather than a limit or a failure.
    pub converged: bool,
    /// Steps of the solver.
    pub iterations: u64,
    /// Evaluations of the objective, line searches included.
    pub evaluations: u64,
    /// Wall-clock time of the fit, in seconds.
    #[serde(deserialize_with = "null_as_nan")]
    pub seconds: f64,
    /// When it ended, such as `2026-01-31 12:00 UTC`; `None` in reports of earlier versions.
    #[serde(default)]
    pub ended: Option<String>,
    /// Largest resident memory of the process, in bytes, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

impl SolverRun {
    /// The last key figures of a terminal: the neighbours that were left, the work, and why it ended.
    pub fn lines(&self, mean_perplexity: f64) -> Vec<(&'static str, String)> {
        let work = format!(
            "{}, {}, {}",
            counted(self.iterations as usize, "iteration"),
            counted(self.evaluations as usize, "evaluation"),
            duration(self.seconds)
        );
        let mut lines = vec![
            ("perplexity", format!("{} neighbours on average", significant(mean_perplexity, 3))),
            ("solver", work),
            ("stopped", self.termination_sentence.clone()),
        ];
        let memory = self.peak_memory_bytes.map(|peak| format!("{} at most", bytes(peak)));
        lines.extend(memory.map(|memory| ("memory", memory)));
        lines
    }

    /// The last cards of a page.
    pub fn cards(&self, mean_perplexity: f64) -> [String; 3] {
        let perplexity = significant(mean_perplexity, 3);
        let evaluations = counted(self.evaluations as usize, "evaluation");
        let memory = match self.peak_memory_bytes {
            Some(peak) => format!("{} of memory at most", bytes(peak)),
            None => "wall clock".to_owned(),
        };
        [
            card("Mean perplexity", &perplexity, "effective number of neighbours"),
            card("Iterations", &count(self.iterations), &format!("{evaluations} of the objective")),
            card("Time to fit", &duration(self.seconds), &memory),
        ]
    }
}
