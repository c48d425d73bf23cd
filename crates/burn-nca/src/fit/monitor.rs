//! What happens after each step: the held-out score, patience, the time budget, the caller's callback.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::session::{OnParameters, OnProgress};
use super::{FitConfig, Progress, Solution, Termination};

/// The best step so far by its held-out score, and what was kept of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Best<K> {
    /// The number of the step, from 1.
    pub iteration: usize,
    pub kept: K,
}

/// What a fit has been through, over all its runs; part of a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record<K> {
    /// The steps, first to last.
    pub history: Vec<Progress>,
    /// The best step, where a score is held out.
    pub best: Option<Best<K>>,
}

impl<K> Record<K> {
    pub(super) fn new() -> Self {
        Self { history: Vec::new(), best: None }
    }

    /// The same record, with what was kept of the best step turned into something else.
    pub(super) fn try_map<L, E>(
        self,
        convert: impl FnOnce(K) -> Result<L, E>,
    ) -> Result<Record<L>, E> {
        let of_best = |Best { iteration, kept }| Ok(Best { iteration, kept: convert(kept)? });
        Ok(Record { history: self.history, best: self.best.map(of_best).transpose()? })
    }

    /// The best step, as it was noted.
    pub fn best_step(&self) -> Option<&Progress> {
        let best = self.best.as_ref()?;
        self.history.iter().find(|step| step.iteration == best.iteration)
    }

    /// The solution with its whole history: at the best held-out score where one was kept, and else at its last step.
    pub fn at_best<S>(self, mut solution: Solution<S>, keep: impl FnOnce(S) -> K) -> Solution<K> {
        if let Some(step) = self.best_step() {
            (solution.value, solution.gradient_max) = (step.value, step.gradient_max);
        }
        solution.history = self.history;
        match self.best {
            Some(best) => solution.map(|_| best.kept),
            None => solution.map(keep),
        }
    }

    fn best_score(&self) -> f64 {
        self.best_step().and_then(|step| step.held_out).unwrap_or(f64::NEG_INFINITY)
    }
}

/// The callbacks of a session.
#[derive(Default)]
pub struct Watchers<'p> {
    /// Sees the progress.
    pub on_progress: Option<&'p mut OnProgress<'p>>,
    /// Sees the parameters too.
    pub on_parameters: Option<&'p mut OnParameters<'p>>,
}

impl Watchers<'_> {
    /// Calls back; the first reason to stop counts.
    fn call(
        &mut self,
        progress: &Progress,
        parameters: impl FnOnce() -> Vec<f64>,
    ) -> Option<Termination> {
        let by_progress =
            self.on_progress.as_mut().and_then(|callback| callback(progress).break_value());
        let by_parameters = self
            .on_parameters
            .as_mut()
            .and_then(|callback| callback(progress, &parameters()).break_value());
        by_progress.or(by_parameters)
    }
}

/// Watches a fit step by step.
pub struct Monitor<'a, 'p, K> {
    config: &'a FitConfig,
    watchers: Watchers<'p>,
    /// What the fit has been through; set it before a resumed run.
    pub record: Record<K>,
}

impl<'a, 'p, K> Monitor<'a, 'p, K> {
    /// A monitor by the limits of these settings.
    pub fn new(config: &'a FitConfig, watchers: Watchers<'p>) -> Self {
        Self { config, watchers, record: Record::new() }
    }

    /// Notes one step, its held-out score (larger is better) and what `keep` gives of the best; breaks with the
    /// reason to stop. `parameters` are asked for where a callback wants them.
    pub fn step(
        &mut self,
        progress: &mut Progress,
        held_out: Option<f64>,
        (keep, parameters): (impl FnOnce() -> K, impl FnOnce() -> Vec<f64>),
    ) -> ControlFlow<Termination> {
        // The score of a diverged module is no number to compare with or to store.
        progress.held_out = held_out.filter(|score| score.is_finite());
        if progress.held_out.is_some_and(|score| score > self.record.best_score()) {
            self.record.best = Some(Best { iteration: progress.iteration, kept: keep() });
        }
        log::debug!(
            "iteration {}: value {:.6e}, largest gradient component {:.2e}, step {:.2e}",
            progress.iteration,
            progress.value,
            progress.gradient_max,
            progress.step
        );
        self.record.history.push(*progress);
        let asked = self.watchers.call(progress, parameters);
        // An end that the fit reaches by itself comes before a callback's: a fit stopped at its last step ends like
        // one that was left alone.
        let reason = self.planned_end(progress).or(asked).or_else(|| self.out_of_time(progress));
        reason.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    fn planned_end(&self, progress: &Progress) -> Option<Termination> {
        if self.config.stop_at == Some(progress.iteration) {
            return Some(Termination::StopAt);
        }
        let (best, stop) = (self.record.best.as_ref()?, self.config.early_stopping.as_ref()?);
        let last = best.iteration + stop.patience;
        (progress.iteration >= last).then_some(Termination::HeldOut)
    }

    fn out_of_time(&self, progress: &Progress) -> Option<Termination> {
        let budget = self.config.time_budget?;
        (progress.seconds >= budget).then_some(Termination::TimeBudget)
    }
}
