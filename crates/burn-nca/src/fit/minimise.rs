//! Fitting any encoder to any objective.

use std::ops::ControlFlow;

use burn::tensor::Tensor;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::checkpoint::{Checkpoint, Fingerprint};
use super::monitor::{Best, Monitor};
use super::parameters::{assign, flatten, flatten_gradients};
use super::{
    DescentState, Evaluation, FitConfig, FitSession, ObjectiveScale, OptimizerConfig, Progress,
    Solution, Termination, exact, stochastic,
};
use crate::data::host_values;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::Objective;

/// The score of an encoder on held-out data; larger is better.
pub type HeldOutScore<'a, E> = dyn Fn(&E) -> f64 + 'a;

/// What to fit: a model at its start, and the data.
pub struct Problem<'a, E: Encoder, O: Objective> {
    /// The model, on an autodiff device.
    pub model: MetricModel<E, O>,
    /// The (scaled) features, `[n, d]`.
    pub x: &'a Tensor<2>,
    /// What the objective's terms are about.
    pub target: &'a O::Target,
    /// The held-out score that early stopping follows; without it nothing is held out.
    pub held_out: Option<&'a HeldOutScore<'a, E>>,
}

impl<E: Encoder, O: Objective> Problem<'_, E, O> {
    /// The penalised objective and its gradient at these parameters.
    pub(super) fn evaluate(&self, position: &[f64], config: &FitConfig) -> Evaluation {
        let model = assign(self.model.clone(), position);
        let mut at = exact::value_and_gradient(&model, self.x, self.target, &config.blocks);
        let weight = config.l2 * self.terms() as f64;
        if weight > 0.0
            && let Some(norm) = model.encoder.squared_norm()
        {
            at.add(&model, norm.mul_scalar(weight));
        }
        Evaluation { value: at.value, gradient: flatten_gradients(&model, &at.gradients) }
    }

    pub(super) fn terms(&self) -> usize {
        self.model.objective.num_terms(self.target)
    }

    /// Tells this fit from others: settings, parameters at the start, features.
    fn fingerprint(&self, config: &FitConfig) -> String {
        Fingerprint::new()
            .text(&config.to_string())
            .text(&format!("{:?}", self.model.objective))
            .numbers(&flatten(&self.model))
            .numbers(&host_values(self.x.clone()))
            .finish()
    }
}

/// A checkpoint: the optimiser's state, and the best step by its held-out score.
#[derive(Serialize, Deserialize)]
struct State<S> {
    solver: S,
    best: Option<Best>,
}

/// Minimises the objective over the parameters of encoder and objective.
///
/// Non-convergence is not an error: see [`Solution::termination`]. With a held-out score the module of
/// the best score is returned.
///
/// # Errors
/// Settings out of range, a model without parameters to fit, or a checkpoint that cannot be used.
pub fn minimise<E: Encoder, O: Objective>(
    problem: &Problem<'_, E, O>,
    config: &FitConfig,
    session: FitSession<'_>,
) -> Result<Solution<MetricModel<E, O>>> {
    config.check()?;
    let start = flatten(&problem.model);
    if start.is_empty() {
        return Err(Error::setting(
            "the model has no parameter that requires a gradient; put it on an autodiff device \
             (`device.autodiff()`) and do not freeze every parameter",
        ));
    }
    if config.stop_at == Some(0) {
        return Ok(at_the_start(problem, config, &start));
    }
    let fingerprint = match session.checkpoint {
        Some(_) => problem.fingerprint(config),
        None => String::new(),
    };
    let mut checkpoint = Checkpoint::new(session.checkpoint.as_deref(), fingerprint);
    let score = |position: &[f64]| match problem.held_out {
        Some(score) => score(&assign(problem.model.clone(), position).encoder.valid()),
        None => f64::NAN,
    };
    let held_out = problem.held_out.map(|_| &score as &dyn Fn(&[f64]) -> f64);
    let monitor = Monitor::new(config, held_out, session.on_progress);
    let full_batch = FullBatch { problem, config, start };
    match &config.optimizer {
        OptimizerConfig::Lbfgs(solver) => {
            full_batch.run(monitor, &mut checkpoint, &|state, scale, evaluate, on_step| {
                solver.minimise(state, scale, evaluate, on_step)
            })
        }
        OptimizerConfig::ConjugateGradient(solver) => {
            full_batch.run(monitor, &mut checkpoint, &|state, scale, evaluate, on_step| {
                solver.minimise(state, scale, evaluate, on_step)
            })
        }
        OptimizerConfig::Adam(settings) => {
            let optimizer = session.optimizer;
            stochastic::minimise(problem, (config, settings), optimizer, monitor, &mut checkpoint)
        }
    }
}

/// The solution of a fit that is to take no step.
fn at_the_start<E: Encoder, O: Objective>(
    problem: &Problem<'_, E, O>,
    config: &FitConfig,
    start: &[f64],
) -> Solution<MetricModel<E, O>> {
    let Evaluation { value, gradient } = problem.evaluate(start, config);
    Solution {
        module: problem.model.clone(),
        value,
        gradient_max: gradient.iter().fold(0.0, |max: f64, g| max.max(g.abs())),
        termination: Termination::HeldOut,
        iterations: 0,
        evaluations: 1,
        history: Vec::new(),
    }
}

type Evaluate<'a> = dyn FnMut(&[f64]) -> Evaluation + 'a;
type OnStep<'a, M> = dyn FnMut(&mut Progress, &DescentState<M>) -> ControlFlow<Termination> + 'a;

/// A full-batch minimiser, from a state to a solution.
type Solve<'a, M> = dyn Fn(
        DescentState<M>,
        ObjectiveScale,
        &mut Evaluate<'_>,
        &mut OnStep<'_, M>,
    ) -> Solution<DescentState<M>>
    + 'a;

/// A problem for the minimisers that see all points at every step.
struct FullBatch<'a, 'p, E: Encoder, O: Objective> {
    problem: &'a Problem<'p, E, O>,
    config: &'a FitConfig,
    start: Vec<f64>,
}

impl<E: Encoder, O: Objective> FullBatch<'_, '_, E, O> {
    fn run<M: Clone + Serialize + DeserializeOwned>(
        self,
        mut monitor: Monitor<'_, '_>,
        checkpoint: &mut Checkpoint<'_>,
        solve: &Solve<'_, M>,
    ) -> Result<Solution<MetricModel<E, O>>> {
        let state = match checkpoint.load::<State<DescentState<M>>>()? {
            Some(stored) => {
                monitor.best = stored.best;
                stored.solver
            }
            None => DescentState::new(self.start),
        };
        let scale = ObjectiveScale {
            terms: self.problem.terms(),
            value_noise: self.config.precision.value_noise(),
        };
        // A checkpoint that cannot be written stops the fit: its user counts on it.
        let mut failure: Option<Error> = None;
        let mut evaluate = |position: &[f64]| self.problem.evaluate(position, self.config);
        let mut on_step = |progress: &mut Progress, state: &DescentState<M>| {
            let flow = monitor.step(progress, &state.position);
            let stored = || State { solver: state.clone(), best: monitor.best.clone() };
            let written = match flow {
                ControlFlow::Continue(()) => checkpoint.offer(|| Ok(stored())),
                ControlFlow::Break(reason) if reason.can_resume() => checkpoint.save(&stored()),
                ControlFlow::Break(_) => Ok(()),
            };
            match written {
                Ok(()) => flow,
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(Termination::Stopped)
                }
            }
        };
        let solution = solve(state, scale, &mut evaluate, &mut on_step);
        if let Some(error) = failure {
            return Err(error);
        }
        if !solution.termination.can_resume() {
            checkpoint.remove()?;
        }
        let model = self.problem.model.clone();
        Ok(with_best(solution, monitor.best, |state| state.position)
            .map(|position| assign(model, &position)))
    }
}

/// The solution at its last step, or at the best held-out score where one was kept.
pub(super) fn with_best<S>(
    solution: Solution<S>,
    best: Option<Best>,
    position: impl FnOnce(S) -> Vec<f64>,
) -> Solution<Vec<f64>> {
    let mut solution = solution.map(position);
    if let Some(best) = best {
        solution.module = best.position;
        solution.value = best.progress.value;
        solution.gradient_max = best.progress.gradient_max;
    }
    solution
}
