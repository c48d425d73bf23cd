//! Epochs of mini-batches: which rows a batch has, what it says of the sum over all rows, and the step that follows.

use core::ops::Range;
use std::sync::{LazyLock, Mutex, PoisonError};

use burn::optim::{GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use web_time::Instant;

use crate::device::runs_on_host;
use crate::encoder::Encoder;
use crate::fit::chunks::joined;
use crate::fit::exact::CHUNK;
use crate::fit::nearest::Nearest;
use crate::fit::parameters::flatten_gradients;
use crate::fit::penalty::{Penalty, spread};
use crate::fit::problem::Problem;
use crate::fit::training_layers::{independent, training_layers};
use crate::fit::units::Units;
use crate::fit::{Evaluation, FitConfig, Progress, StochasticConfig};
use crate::model::MetricModel;
use crate::objective::{DataTarget, Objective, SampledTerms, over};
use crate::sums::cut;

/// The learning rate after `batch` of all `batches`: half a cosine from its start to 0.
fn learning_rate_at(start: f64, batch: usize, batches: usize) -> f64 {
    let done = batch as f64 / batches.max(1) as f64;
    0.5 * start * (1.0 + (std::f64::consts::PI * done).cos())
}

/// What a batch says of the penalized sum over all rows.
struct BatchEstimate {
    value: f64,
    /// The gradient of the sum over the number of its terms; nothing where the terms are constant.
    step: Option<GradientsParams>,
}

/// Runs what draws from the generator of this device, which all of a process share: one at a time.
///
/// A CPU computes on a pool of threads, and a thread of the pool that waits for others takes up other work: another fit,
/// which would wait here for what its own thread holds. A pool therefore hands its draws to a thread that does nothing else.
fn alone<T: Send>(device: &Device, draw: impl FnOnce() -> T + Send) -> T {
    static DRAWS: Mutex<()> = Mutex::new(());
    static THREAD: LazyLock<Option<ThreadPool>> =
        LazyLock::new(|| ThreadPoolBuilder::new().num_threads(1).build().ok());
    let draw = || {
        let _draws = DRAWS.lock().unwrap_or_else(PoisonError::into_inner);
        draw()
    };
    let in_a_pool = rayon::current_thread_index().is_some() && runs_on_host(device);
    match in_a_pool.then(|| THREAD.as_ref()).flatten() {
        Some(thread) => thread.install(draw),
        None => draw(),
    }
}

/// A fit between two epochs.
pub(super) struct Epochs<'a, 'p, E: Encoder, O: Objective> {
    units: &'a Units<'a, 'p, E, O>,
    pub(super) problem: &'a Problem<'p, E, O>,
    config: &'a FitConfig,
    settings: &'a StochasticConfig,
    /// At the start.
    learning_rate: f64,
    pub(super) model: MetricModel<E, O>,
    pub(super) optimizer: ModuleOptimizer,
    pub(super) epoch: usize,
    pub(super) batches: usize,
    /// Whether a layer may draw at random, or looks at the other rows of its batch.
    draws: bool,
    /// Batches of this run that took a step.
    pub(super) steps: usize,
    /// Seconds of earlier runs.
    pub(super) earlier_seconds: f64,
    started: Instant,
    pub(super) last: Progress,
}

impl<'a, 'p, E: Encoder, O: Objective> Epochs<'a, 'p, E, O> {
    pub(super) fn new(
        units: &'a Units<'a, 'p, E, O>,
        settings: &'a StochasticConfig,
        (optimizer, learning_rate): (ModuleOptimizer, f64),
    ) -> Self {
        let Units { problem, config, .. } = *units;
        Self {
            units,
            problem,
            config,
            settings,
            learning_rate,
            // The caller's module must not move: a clone would share its running statistics.
            model: independent(&problem.model),
            optimizer,
            epoch: 0,
            batches: 0,
            draws: !training_layers(&problem.model).is_empty(),
            steps: 0,
            earlier_seconds: 0.0,
            started: Instant::now(),
            last: Progress {
                iteration: 0,
                evaluations: 0,
                value: f64::NAN,
                gradient_max: f64::NAN,
                step: learning_rate,
                held_out: None,
                omitted: None,
                seconds: 0.0,
            },
        }
    }

    /// Passes over all rows once.
    pub(super) fn run(&mut self) -> Progress {
        let rows = self.shuffled_rows();
        let count = self.settings.batches_of(rows.len());
        let steps = self.settings.epochs_of(rows.len()) * count;
        let sees_nearest = self.settings.nearest_candidates.is_some();
        let mut nearest = sees_nearest.then(|| Nearest::new(self.all_embedded()));
        let (mut value, mut valued_rows) = (0.0, 0);
        let mut gradient_max: f64 = 0.0;
        for batch in (0..count).take_while(|_| !self.units.ended()) {
            let span = batch * rows.len() / count..(batch + 1) * rows.len() / count;
            let step = self.epoch * count + batch;
            let learning_rate = learning_rate_at(self.learning_rate, step, steps);
            self.last.step = learning_rate;
            let others = self.others(&rows, &span, &mut nearest);
            let number = (self.batches + batch) as u64;
            let Some(estimate) = self.batch(number, &rows[span.clone()], &others) else { continue };
            value += span.len() as f64 * estimate.value;
            valued_rows += span.len();
            let Some(gradients) = estimate.step else { continue };
            let flat = flatten_gradients(&self.model, &gradients);
            gradient_max = self.terms() * flat.iter().fold(0.0, |max, g| g.abs().max(max));
            // A step in units of the spread of the features, as the start is.
            let length = learning_rate / self.units.unit;
            self.model = self.optimizer.step(length, self.model.clone(), gradients);
            self.steps += 1;
        }
        self.epoch += 1;
        self.batches += count;
        Progress {
            iteration: self.epoch,
            evaluations: self.batches,
            value: if valued_rows > 0 { value / valued_rows as f64 } else { self.last.value },
            gradient_max,
            step: self.last.step,
            held_out: None,
            omitted: nearest.map(|nearest| nearest.omitted()),
            seconds: self.seconds(),
        }
    }

    /// The exact value and gradient, where no batch has been evaluated.
    pub(super) fn at_start(&self) -> Progress {
        let Evaluation { value, gradient, .. } = self.units.evaluate(None, &self.units.start());
        let gradient_max = gradient.iter().fold(0.0, |max: f64, g| max.max(g.abs()));
        Progress { iteration: 0, value, gradient_max, seconds: self.seconds(), ..self.last }
    }

    fn seconds(&self) -> f64 {
        self.earlier_seconds + self.started.elapsed().as_secs_f64()
    }

    /// What a batch says of the penalized sum over all rows; nothing where none of its terms counts.
    fn batch(&self, number: u64, rows: &[usize], others: &[usize]) -> Option<BatchEstimate> {
        let (target, objective) = (self.problem.target, &self.model.objective);
        let (sum, embedding) = if self.settings.all_candidates().is_some() {
            let sample = SampledTerms::of(target, rows, others)?;
            let embedding = self.embedded(number, sample.points());
            (sample.estimate(objective, embedding.clone())?, embedding)
        } else {
            let (embedding, batch) = (self.embedded(number, rows), target.subset(rows));
            (objective.estimate(embedding.clone(), &batch, target)?, embedding)
        };
        let has_slope = sum.is_tracked();
        let mut mean = over(sum, self.terms());
        let weight = self.config.weight_of(Penalty::Weights);
        if weight > 0.0
            && let Some(norm) = self.model.encoder.squared_norm()
        {
            mean = mean + norm.mul_scalar(weight);
        }
        let weight = self.config.weight_of(Penalty::Spread);
        if weight > 0.0 {
            mean = mean + spread(embedding).mul_scalar(weight);
        }
        let value = mean.clone().into_scalar::<f64>() * self.terms();
        // By the components of a position: an optimizer that adds a small number to slopes must see no units.
        let mean = over(mean, self.units.unit);
        let step = has_slope.then(|| GradientsParams::from_grads(mean.backward(), &self.model));
        Some(BatchEstimate { value, step })
    }

    /// The rows in addition to a batch that its rows see as neighbors: the nearest, or any. The order of an epoch is random, and
    /// so are those that follow the batch in it.
    fn others(
        &self,
        rows: &[usize],
        batch: &Range<usize>,
        nearest: &mut Option<Nearest>,
    ) -> Vec<usize> {
        let others = self.settings.all_candidates().unwrap_or(0).saturating_sub(batch.len());
        let count = others.min(rows.len() - batch.len());
        if let Some(nearest) = nearest {
            return nearest.others(&self.model.objective, &rows[batch.clone()], count);
        }
        rows.iter().cycle().skip(batch.end).take(count).copied().collect()
    }

    /// The embedding of all rows, as validation has it, a block at a time, `[n, k]`.
    fn all_embedded(&self) -> Tensor<2> {
        let encoder = self.model.encoder.valid();
        let part =
            |rows: Range<usize>| encoder.forward(self.problem.x.rows(&rows.collect::<Vec<_>>()));
        joined(cut(0..self.problem.x.dims()[0], CHUNK).into_iter().map(part).collect())
    }

    /// The embedding of these rows, those of a batch of this number, with its graph, `[b, k]`.
    fn embedded(&self, number: u64, rows: &[usize]) -> Tensor<2> {
        let x = self.problem.x.rows(rows).autodiff();
        if !self.draws {
            return self.model.encoder.forward(x);
        }
        let mut seeds = ChaCha8Rng::seed_from_u64(self.config.seed);
        seeds.set_stream(number + 1);
        let (device, encoder, seed) =
            (self.problem.x.device(), self.model.encoder.clone(), seeds.random());
        if let Some(embedding) = encoder.forward_seeded(x.clone(), seed) {
            return embedding;
        }
        alone(&device.clone(), move || {
            device.seed(seed);
            encoder.forward(x)
        })
    }

    /// The number of terms of the whole data, n.
    fn terms(&self) -> f64 {
        self.problem.terms().max(1) as f64
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
}
