//! Expectation-maximization of latent coincidence analysis: the loop.
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

use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::non_finite;
use super::{
    CoincidenceEm, CoincidenceState, Fingerprint, FitConfig, FitIdentity, FitSession, Progress,
    Solution, Termination,
};
use crate::error::Result;
use burn_nca::internal::{Checkpoint, FitKey, Monitor, Record, Watchers};

/// The score of a state on held-out data; larger is better.
pub(crate) type HeldOutState<'a> = dyn Fn(&CoincidenceState) -> f64 + 'a;

/// A fit by expectation-maximization: its start, when it stops, and what early stopping and checkpoints need.
pub(crate) struct EmProblem<'a> {
    pub start: CoincidenceState,
    /// The most steps; 0 keeps the start.
    pub max_iterations: usize,
    /// The fit stops where a step raises L by no more than this share of |L| (of 1, where |L| is smaller).
    pub tolerance_progress: f64,
    /// The settings that all fits share: early stopping, a number of steps to stop at, a time budget.
    pub fit: &'a FitConfig,
    /// The held-out score that early stopping follows.
    pub held_out: Option<&'a HeldOutState<'a>>,
    /// What a checkpoint recognizes the fit by.
    pub identity: &'a dyn Fn() -> FitIdentity,
}

/// A fit between two steps.
#[derive(Clone, Serialize, Deserialize)]
struct Run {
    state: CoincidenceState,
    iteration: usize,
    /// -L before the last step; infinite where it cannot be compared.
    #[serde(with = "non_finite")]
    previous: f64,
    seconds: f64,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    run: Run,
    record: Record<CoincidenceState>,
    /// Why the fit ended, if it did.
    end: Option<Termination>,
}

impl EmProblem<'_> {
    /// Maximizes the likelihood; [`Solution::value`] is -L.
    ///
    /// Non-convergence is not an error: see [`Solution::termination`]. With a held-out score the state of the best
    /// score is returned.
    pub fn maximize(
        &self,
        model: &mut CoincidenceEm<'_>,
        mut session: FitSession<'_>,
    ) -> Result<Solution<CoincidenceState>> {
        self.fit.check()?;
        let mut checkpoint = Checkpoint::of(&mut session, || {
            let start = serde_json::to_string(&self.start).expect("a start is of numbers");
            Ok(FitKey::new((self.identity)(), self.fit, "em", Fingerprint::new().text(&start)))
        })?;
        // EM moves the moments of its model too: a state, not parameters that a callback could see.
        let watchers = Watchers { on_progress: session.on_progress, on_parameters: None };
        let mut monitor = Monitor::new(self.fit, watchers);
        let mut end = (self.fit.stop_at == Some(0)).then_some(Termination::StopAt);
        let start = self.start.clone();
        let mut run = Run { state: start, iteration: 0, previous: f64::INFINITY, seconds: 0.0 };
        if let Some(stored) = checkpoint.load::<Stored>()? {
            checkpoint.resumed(stored.run.iteration, stored.end.is_some());
            model.apply(&stored.run.state)?;
            (run, monitor.record, end) = (stored.run, stored.record, stored.end.or(end));
        }
        let (clock, seconds_before) = (Instant::now(), run.seconds);
        let mut expectation = model.expect(&run.state);
        let mut value = -model.log_likelihood(&expectation);
        let mut asked = None;
        // What may be resumed has not ended.
        let stored = |run: &Run, record: &Record<CoincidenceState>, end: Option<Termination>| {
            let end = end.filter(|end| !end.can_resume());
            Ok(Stored { run: run.clone(), record: record.clone(), end })
        };
        let termination = loop {
            let ended = end.take().or_else(|| self.convergence(&run, value)).or(asked);
            let exhausted = run.iteration >= self.max_iterations;
            if let Some(reason) = ended.or(exhausted.then_some(Termination::MaxIterations)) {
                break reason;
            }
            let (state, objective_changed) =
                model.maximize(run.state.clone(), &expectation, run.iteration + 1)?;
            let found = model.expect(&state);
            let reached = -model.log_likelihood(&found);
            if !reached.is_finite() {
                model.apply(&run.state)?;
                break Termination::NonFinite;
            }
            run = Run {
                previous: if objective_changed { f64::INFINITY } else { value },
                state,
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
            asked = told.break_value();
            checkpoint.offer(|| stored(&run, &monitor.record, None))?;
        };
        checkpoint.conclude(termination, || stored(&run, &monitor.record, Some(termination)))?;
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
    fn convergence(&self, run: &Run, value: f64) -> Option<Termination> {
        if !value.is_finite() {
            return Some(Termination::NonFinite);
        }
        let tolerance = self.tolerance_progress.max(1e-15);
        let progress = (run.previous - value) / value.abs().max(1.0);
        (progress <= tolerance).then_some(Termination::ProgressSmall)
    }
}
