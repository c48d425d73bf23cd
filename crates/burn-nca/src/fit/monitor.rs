//! What happens after each step: the held-out score, patience, the time budget, the caller's callback.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::session::OnProgress;
use super::{FitConfig, Progress, Termination};

/// The held-out score of parameters; larger is better.
pub(super) type Score<'a> = dyn Fn(&[f64]) -> f64 + 'a;

/// The best step so far by its held-out score.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Best {
    pub progress: Progress,
    pub position: Vec<f64>,
}

/// Watches a fit step by step.
pub(super) struct Monitor<'a, 'p> {
    config: &'a FitConfig,
    held_out: Option<&'a Score<'a>>,
    on_progress: Option<&'p mut OnProgress<'p>>,
    /// The best step so far, where a score is held out; set it before a resumed run.
    pub best: Option<Best>,
}

impl<'a, 'p> Monitor<'a, 'p> {
    pub fn new(
        config: &'a FitConfig,
        held_out: Option<&'a Score<'a>>,
        on_progress: Option<&'p mut OnProgress<'p>>,
    ) -> Self {
        Self { config, held_out, on_progress, best: None }
    }

    /// Notes one step; breaks with the reason to stop.
    pub fn step(&mut self, progress: &mut Progress, position: &[f64]) -> ControlFlow<Termination> {
        if let Some(score) = self.held_out {
            let score = score(position);
            progress.held_out = Some(score);
            let is_best = self.best_score().is_none_or(|best| score > best);
            if is_best {
                self.best = Some(Best { progress: *progress, position: position.to_vec() });
            }
        }
        if let Some(callback) = &mut self.on_progress {
            callback(progress)?;
        }
        if self.config.stop_at == Some(progress.iteration) {
            return ControlFlow::Break(Termination::HeldOut);
        }
        if self.config.time_budget.is_some_and(|budget| progress.seconds >= budget) {
            return ControlFlow::Break(Termination::TimeBudget);
        }
        match (&self.best, &self.config.early_stopping) {
            (Some(best), Some(stop))
                if progress.iteration >= best.progress.iteration + stop.patience =>
            {
                ControlFlow::Break(Termination::HeldOut)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn best_score(&self) -> Option<f64> {
        self.best.as_ref().and_then(|best| best.progress.held_out)
    }
}
