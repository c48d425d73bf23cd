use std::ops::ControlFlow;
use std::time::Instant;

use burn::config::Config;
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::store::{ModuleRecord, RecordError};
use burn::tensor::{Bytes, Tensor};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::minimise::{Problem, with_best};
use super::monitor::{Best, Monitor};
use super::parameters::{assign, flatten, flatten_gradients};
use super::{FitConfig, Progress, Solution, Termination};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::Objective;
use crate::objective::transfer::int_tensor;

/// Mini-batch fitting.
///
/// Each epoch visits every row once, in a seeded random order. The neighbours of a row are those of its
/// batch: a batch should hold several rows of each class. The learning rate falls to zero along a cosine.
#[derive(Config, Debug)]
pub struct StochasticConfig {
    /// Passes over the data.
    #[config(default = 50)]
    pub epochs: usize,
    /// Rows of a batch; all rows where there are fewer.
    #[config(default = 1000)]
    pub batch_size: usize,
    /// The learning rate at the start.
    #[config(default = 0.01)]
    pub learning_rate: f64,
}

impl StochasticConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// A batch of fewer than 2 rows, or a learning rate that is not a positive finite number.
    pub fn check(&self) -> Result<()> {
        if self.batch_size < 2 {
            return Err(Error::setting(format!(
                "the batch size is {}; a row needs neighbours in its batch, so give 2 or more",
                self.batch_size
            )));
        }
        if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) {
            return Err(Error::setting(format!(
                "the learning rate is {}; give a positive number, such as 0.01",
                self.learning_rate
            )));
        }
        Ok(())
    }

    fn learning_rate_at(&self, batch: usize, batches: usize) -> f64 {
        let done = batch as f64 / batches.max(1) as f64;
        0.5 * self.learning_rate * (1.0 + (std::f64::consts::PI * done).cos())
    }
}

/// The state after an epoch. The optimiser knows parameters by their identity, which the record keeps.
#[derive(Serialize, Deserialize)]
struct State {
    epoch: usize,
    batches: usize,
    model: Vec<u8>,
    optimizer: Vec<u8>,
    last: Progress,
    best: Option<Best>,
}

/// Minimises by mini-batches; a step of the monitor is an epoch.
pub(super) fn minimise<E: Encoder, O: Objective>(
    problem: &Problem<'_, E, O>,
    (config, settings): (&FitConfig, &StochasticConfig),
    optimizer: Option<ModuleOptimizer>,
    mut monitor: Monitor<'_, '_>,
    checkpoint: &mut Checkpoint<'_>,
) -> Result<Solution<MetricModel<E, O>>> {
    let optimizer = optimizer.unwrap_or_else(|| AdamConfig::new().init());
    let mut epochs = Epochs::new(problem, config, settings, optimizer);
    if let Some(state) = checkpoint.load::<State>()? {
        monitor.best = state.best.clone();
        epochs.resume(state)?;
    }
    let mut history = Vec::new();
    let mut termination = Termination::EpochsDone;
    while epochs.epoch < settings.epochs {
        let mut progress = epochs.run();
        let flow = if progress.value.is_finite() {
            monitor.step(&mut progress, &flatten(&epochs.model))
        } else {
            ControlFlow::Break(Termination::NonFinite)
        };
        epochs.last = progress;
        history.push(progress);
        match flow {
            ControlFlow::Continue(()) => checkpoint.offer(|| epochs.state(&monitor))?,
            ControlFlow::Break(reason) => {
                termination = reason;
                break;
            }
        }
    }
    if termination.can_resume() {
        checkpoint.save(&epochs.state(&monitor)?)?;
    } else {
        checkpoint.remove()?;
    }
    let solution = Solution {
        module: flatten(&epochs.model),
        value: epochs.last.value,
        gradient_max: epochs.last.gradient_max,
        termination,
        iterations: epochs.epoch,
        evaluations: epochs.batches,
        history,
    };
    let model = epochs.model;
    Ok(with_best(solution, monitor.best, |position| position)
        .map(|position| assign(model, &position)))
}

/// A fit between two epochs.
struct Epochs<'a, 'p, E: Encoder, O: Objective> {
    problem: &'a Problem<'p, E, O>,
    config: &'a FitConfig,
    settings: &'a StochasticConfig,
    model: MetricModel<E, O>,
    optimizer: ModuleOptimizer,
    epoch: usize,
    batches: usize,
    /// Seconds of earlier runs.
    earlier_seconds: f64,
    started: Instant,
    last: Progress,
}

impl<'a, 'p, E: Encoder, O: Objective> Epochs<'a, 'p, E, O> {
    fn new(
        problem: &'a Problem<'p, E, O>,
        config: &'a FitConfig,
        settings: &'a StochasticConfig,
        optimizer: ModuleOptimizer,
    ) -> Self {
        Self {
            problem,
            config,
            settings,
            model: problem.model.clone(),
            optimizer,
            epoch: 0,
            batches: 0,
            earlier_seconds: 0.0,
            started: Instant::now(),
            last: Progress {
                iteration: 0,
                evaluations: 0,
                value: f64::NAN,
                gradient_max: f64::NAN,
                step: settings.learning_rate,
                held_out: None,
                seconds: 0.0,
            },
        }
    }

    /// Passes over all rows once.
    fn run(&mut self) -> Progress {
        let rows = self.shuffled_rows();
        // Batches of nearly equal size: a small last batch would have few neighbours.
        let count = (rows.len() as f64 / self.settings.batch_size as f64).round().max(1.0) as usize;
        let mut value = 0.0;
        let mut gradient_max: f64 = 0.0;
        for batch in 0..count {
            let span = batch * rows.len() / count..(batch + 1) * rows.len() / count;
            let learning_rate = self
                .settings
                .learning_rate_at(self.epoch * count + batch, self.settings.epochs * count);
            let (sum, gradients) = self.batch(&rows[span]);
            value += sum;
            if batch + 1 == count {
                let flat = flatten_gradients(&self.model, &gradients);
                gradient_max = flat.iter().fold(0.0, |max, g| g.abs().max(max));
            }
            self.last.step = learning_rate;
            self.model = self.optimizer.step(learning_rate, self.model.clone(), gradients);
        }
        self.epoch += 1;
        self.batches += count;
        Progress {
            iteration: self.epoch,
            evaluations: self.batches,
            value,
            gradient_max,
            step: self.last.step,
            held_out: None,
            seconds: self.earlier_seconds + self.started.elapsed().as_secs_f64(),
        }
    }

    /// The penalised sum over a batch, and the gradient of its mean.
    fn batch(&self, rows: &[usize]) -> (f64, GradientsParams) {
        let Problem { x, target, .. } = self.problem;
        let objective = &self.model.objective;
        let target = objective.subset(target, rows);
        let terms = objective.num_terms(&target).max(1) as f64;
        let index = int_tensor(rows, &x.device().inner());
        let batch = Tensor::clone(x).without_autodiff().select(0, index).autodiff();
        let mut mean = objective.total(self.model.encoder.forward(batch), &target) / terms;
        if self.config.l2 > 0.0
            && let Some(norm) = self.model.encoder.squared_norm()
        {
            mean = mean + norm.mul_scalar(self.config.l2);
        }
        let value = mean.clone().into_scalar::<f64>() * terms;
        (value, GradientsParams::from_grads(mean.backward(), &self.model))
    }

    /// All rows in the order of this epoch, which depends on seed and epoch alone.
    fn shuffled_rows(&self) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.config.seed);
        rng.set_stream(self.epoch as u64 + 1);
        let [n, _] = self.problem.x.dims();
        let mut rows: Vec<usize> = (0..n).collect();
        rows.shuffle(&mut rng);
        rows
    }

    fn state(&self, monitor: &Monitor<'_, '_>) -> Result<State> {
        let failed = |error: RecordError| {
            Error::setting(format!("the state of the fit cannot be recorded: {error}"))
        };
        Ok(State {
            epoch: self.epoch,
            batches: self.batches,
            model: self.model.clone().into_record().into_bytes().map_err(failed)?.to_vec(),
            optimizer: self.optimizer.into_bytes().map_err(failed)?.to_vec(),
            last: self.last,
            best: monitor.best.clone(),
        })
    }

    /// Goes on from a stored state.
    fn resume(&mut self, state: State) -> Result<()> {
        let failed = |error: RecordError| {
            Error::data(format!(
                "the checkpoint holds no usable state of the fit ({error}); delete it to start again"
            ))
        };
        let record =
            ModuleRecord::from_bytes(Bytes::from_bytes_vec(state.model)).map_err(failed)?;
        self.model = self.model.clone().try_load_record(record).map_err(failed)?;
        let optimizer = Bytes::from_bytes_vec(state.optimizer);
        self.optimizer = self.optimizer.clone().from_bytes(optimizer).map_err(failed)?;
        (self.epoch, self.batches) = (state.epoch, state.batches);
        self.earlier_seconds = state.last.seconds;
        self.last = state.last;
        Ok(())
    }
}
