//! Expectation-maximization: the loop that every model fitted by it shares.
//!
//! ```text
//! E-step at the start
//!     │
//! converged, asked to stop, or at the limit? ── yes ──► the reason
//!     │ no
//! M-step, then the E-step there ── no number ──► NonFinite, the state before
//!     │
//! call back, offer the checkpoint ── and again from the top
//! ```
//! A step never lowers the likelihood, so there is nothing to search along and nothing to reject.

use std::ops::ControlFlow;

use burn::config::Config;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::non_finite;
use super::{Fingerprint, FitConfig, FitIdentity, FitSession, Progress, Solution, Termination};
use crate::error::{Error, Result};
use burn_nca::internal::{Checkpoint, FitKey, Monitor, Record, Watchers};

/// A model with latent variables, fitted by expectation-maximization.
pub trait ExpectationMaximization {
    /// The parameters.
    type State: Clone + Serialize + DeserializeOwned;
    /// What an E-step finds of the latent variables.
    type Expectation;

    /// Takes up a state that was read, where the model keeps something that depends on it.
    ///
    /// # Errors
    /// What cannot be made of it.
    fn apply(&mut self, _state: &Self::State) -> Result<()> {
        Ok(())
    }

    /// The E-step: what is known of the latent variables at these parameters.
    fn expect(&self, state: &Self::State) -> Self::Expectation;

    /// L, the log-likelihood at the state of an E-step.
    fn log_likelihood(&self, expectation: &Self::Expectation) -> f64;

    /// The largest component of the gradient of L at the state of an E-step.
    fn gradient_max(&self, state: &Self::State, expectation: &Self::Expectation) -> f64;

    /// The M-step number `iteration` (from 1): the parameters that are best given the E-step.
    ///
    /// # Errors
    /// What the model refuses.
    fn maximize(
        &mut self,
        state: Self::State,
        expectation: &Self::Expectation,
        iteration: usize,
    ) -> Result<Revision<Self::State>>;
}

/// What an M-step gives.
#[derive(Clone, Debug)]
pub struct Revision<S> {
    /// The new parameters.
    pub state: S,
    /// Whether the data of the likelihood changed with them, so that it cannot be compared with the one before.
    pub objective_changed: bool,
}

/// When expectation-maximization stops.
#[derive(Config, Debug, PartialEq)]
pub struct EmConfig {
    /// The most steps; 0 keeps the start.
    #[config(default = 1000)]
    pub max_iterations: usize,
    /// Stop where a step raises L by no more than this share of |L| (of 1, where |L| is smaller).
    #[config(default = 1e-7)]
    pub tolerance_progress: f64,
}

/// The score of a state on held-out data; larger is better.
pub type HeldOutState<'a, S> = dyn Fn(&S) -> f64 + 'a;

/// What is needed in addition to the model: its start, and what early stopping and checkpoints need.
pub struct EmProblem<'a, S> {
    /// The parameters to start from.
    pub start: S,
    /// The settings that all fits share: early stopping, a number of steps to stop at, a time budget.
    pub config: &'a FitConfig,
    /// The held-out score that early stopping follows.
    pub held_out: Option<&'a HeldOutState<'a, S>>,
    /// What the fit is made from, for a checkpoint to recognize; a fit with a checkpoint needs it.
    pub identity: Option<&'a dyn Fn() -> FitIdentity>,
}

/// A fit between two steps.
#[derive(Clone, Serialize, Deserialize)]
struct Run<S> {
    state: S,
    iteration: usize,
    /// -L before the last step; infinite where it cannot be compared.
    #[serde(with = "non_finite")]
    previous: f64,
    seconds: f64,
}

/// A checkpoint.
#[derive(Serialize, Deserialize)]
struct Stored<S> {
    run: Run<S>,
    record: Record<S>,
    /// Why the fit ended, if it did.
    end: Option<Termination>,
}

impl EmConfig {
    /// Maximizes the likelihood; [`Solution::value`] is -L.
    ///
    /// Non-convergence is not an error: see [`Solution::termination`]. With a held-out score the state of the best
    /// score is returned.
    ///
    /// # Errors
    /// Settings out of range, a checkpoint that cannot be used, and what the model's M-step refuses.
    pub fn maximize<M: ExpectationMaximization>(
        &self,
        model: &mut M,
        problem: EmProblem<'_, M::State>,
        mut session: FitSession<'_>,
    ) -> Result<Solution<M::State>> {
        self.check(problem.config)?;
        let mut checkpoint = Checkpoint::of(&mut session, || problem.fit_key())?;
        // EM moves the moments of its model too: a state, not parameters that a callback could see.
        let watchers = Watchers { on_progress: session.on_progress, on_parameters: None };
        let mut monitor = Monitor::new(problem.config, watchers);
        let (state, end) = match checkpoint.load::<Stored<M::State>>()? {
            Some(Stored { run, record, end }) => {
                checkpoint.resumed(run.iteration, end.is_some());
                model.apply(&run.state)?;
                monitor.record = record;
                (run, end)
            }
            None => {
                let previous = f64::INFINITY;
                (Run { state: problem.start, iteration: 0, previous, seconds: 0.0 }, None)
            }
        };
        let run = Loop { config: self, fit: problem.config, held_out: problem.held_out };
        run.until_end(model, state, end, monitor, &mut checkpoint)
    }

    fn check(&self, config: &FitConfig) -> Result<()> {
        config.check()?;
        if self.tolerance_progress.is_nan() || self.tolerance_progress < 0.0 {
            return Err(Error::setting(format!(
                "tolerance_progress is {}; give a number from 0 (never stop by it) up, such as 1e-7",
                self.tolerance_progress
            )));
        }
        Ok(())
    }
}

impl<S: Serialize> EmProblem<'_, S> {
    /// What a checkpoint recognizes the fit by.
    fn fit_key(&self) -> Result<FitKey> {
        let Some(identity) = self.identity else {
            return Err(Error::setting(
                "a checkpoint is asked for, but not said what to recognize it by; give \
                 `EmProblem::identity`",
            ));
        };
        let start = serde_json::to_string(&self.start).map_err(|error| {
            Error::setting(format!("the start cannot be written down: {error}"))
        })?;
        Ok(FitKey::new(identity(), self.config, "em", Fingerprint::new().text(&start)))
    }
}

struct Loop<'a, S> {
    config: &'a EmConfig,
    fit: &'a FitConfig,
    held_out: Option<&'a HeldOutState<'a, S>>,
}

impl<S: Clone + Serialize + DeserializeOwned> Loop<'_, S> {
    fn until_end<M: ExpectationMaximization<State = S>>(
        &self,
        model: &mut M,
        mut run: Run<S>,
        end: Option<Termination>,
        mut monitor: Monitor<'_, '_, S>,
        checkpoint: &mut Checkpoint<'_>,
    ) -> Result<Solution<S>> {
        let clock = Instant::now();
        let seconds_before = run.seconds;
        let mut expectation = model.expect(&run.state);
        let mut value = -model.log_likelihood(&expectation);
        let mut asked = None;
        let mut end = end.or((self.fit.stop_at == Some(0)).then_some(Termination::StopAt));
        let termination = loop {
            let ended = end.take().or_else(|| self.convergence(&run, value)).or(asked);
            let exhausted = run.iteration >= self.config.max_iterations;
            if let Some(reason) = ended.or(exhausted.then_some(Termination::MaxIterations)) {
                break reason;
            }
            let revised = model.maximize(run.state.clone(), &expectation, run.iteration + 1)?;
            let found = model.expect(&revised.state);
            let reached = -model.log_likelihood(&found);
            if !reached.is_finite() {
                model.apply(&run.state)?;
                break Termination::NonFinite;
            }
            run = Run {
                previous: if revised.objective_changed { f64::INFINITY } else { value },
                state: revised.state,
                iteration: run.iteration + 1,
                seconds: seconds_before + clock.elapsed().as_secs_f64(),
            };
            (expectation, value) = (found, reached);
            let mut progress = Progress {
                iteration: run.iteration,
                evaluations: run.iteration + 1,
                value,
                gradient_max: model.gradient_max(&run.state, &expectation),
                step: 1.0,
                held_out: None,
                omitted: None,
                seconds: run.seconds,
            };
            let score = self.held_out.map(|score| score(&run.state));
            let told = monitor.step(&mut progress, score, (|| run.state.clone(), Vec::new));
            asked = if let ControlFlow::Break(reason) = told { Some(reason) } else { None };
            checkpoint.offer(|| Ok(stored(&run, &monitor.record, None)))?;
        };
        checkpoint
            .conclude(termination, || Ok(stored(&run, &monitor.record, Some(termination))))?;
        let solution = Solution {
            value,
            gradient_max: model.gradient_max(&run.state, &expectation),
            termination,
            iterations: run.iteration,
            evaluations: run.iteration + 1,
            seconds_before,
            history: Vec::new(),
            module: run.state,
        };
        Ok(monitor.record.at_best(solution, |state| state))
    }

    /// Whether the last step is as small as the tolerance asks, or rounding.
    fn convergence(&self, run: &Run<S>, value: f64) -> Option<Termination> {
        if !value.is_finite() {
            return Some(Termination::NonFinite);
        }
        let tolerance = self.config.tolerance_progress.max(1e-15);
        let progress = (run.previous - value) / value.abs().max(1.0);
        (progress <= tolerance).then_some(Termination::ProgressSmall)
    }
}

fn stored<S: Clone>(run: &Run<S>, record: &Record<S>, end: Option<Termination>) -> Stored<S> {
    // What may be resumed has not ended.
    let end = end.filter(|end| !end.can_resume());
    Stored { run: run.clone(), record: record.clone(), end }
}
