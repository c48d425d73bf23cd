//! Fitting by mini-batches: epochs over shuffled rows with a Burn optimizer.

use core::ops::Range;
use std::ops::ControlFlow;
use std::sync::{LazyLock, Mutex, PoisonError};
use web_time::Instant;

use burn::module::Module;
use burn::optim::{GradientsParams, ModuleOptimizer};
use burn::store::RecordError;
use burn::tensor::{Device, Tensor};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::chunks::{chunks, joined};
use super::exact::CHUNK;
use super::monitor::{Monitor, Record};
use super::nearest::Nearest;
use super::parameters::{flatten, flatten_gradients};
use super::penalty::{Penalty, spread};
use super::problem::Problem;
use super::training_layers::{independent, training_layers};
use super::units::Units;
use super::{Evaluation, FitConfig, Progress, SgdConfig, Solution, StochasticConfig, Termination};
use crate::device::runs_on_host;
use crate::encoder::{Encoder, load_optimizer, load_record};
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::over;
use crate::objective::{DataTarget, Objective, SampledTerms};

/// The learning rate after `batch` of all `batches`: half a cosine from its start to 0.
fn learning_rate_at(start: f64, batch: usize, batches: usize) -> f64 {
    let done = batch as f64 / batches.max(1) as f64;
    0.5 * start * (1.0 + (std::f64::consts::PI * done).cos())
}

/// The state after an epoch. The optimizer knows parameters by their identity, which the record keeps.
#[derive(Serialize, Deserialize)]
struct State {
    epoch: usize,
    batches: usize,
    model: Vec<u8>,
    optimizer: Vec<u8>,
    /// The best epoch as the record of its model: parameters and running statistics.
    record: Record<Vec<u8>>,
    /// Why the fit ended, if it did.
    end: Option<Termination>,
}

/// Minimizes by mini-batches with an optimizer and its learning rate at the start; a step of the monitor is an epoch.
pub(super) fn minimize<E: Encoder, O: Objective>(
    units: &Units<'_, '_, E, O>,
    settings: &StochasticConfig,
    (optimizer, learning_rate): (ModuleOptimizer, f64),
    mut monitor: Monitor<'_, '_, MetricModel<E, O>>,
    checkpoint: &mut Checkpoint<'_>,
) -> Result<Solution<MetricModel<E, O>>> {
    let problem = units.problem;
    let unsampled = problem.target.sample(&[], &[]).is_none();
    if settings.all_candidates().is_some() && unsampled {
        return Err(Error::setting(
            "candidates are for objectives with a term per row, and this one has none; leave the setting out",
        ));
    }
    let mut epochs = Epochs::new(units, settings, (optimizer, learning_rate));
    let mut end = None;
    if let Some(state) = checkpoint.load::<State>()? {
        end = state.end;
        monitor.record = epochs.resume(state)?;
        checkpoint.resumed(epochs.epoch, end.is_some());
    }
    let termination = match end {
        Some(end) => end,
        None => pass_over(&mut epochs, &mut monitor, checkpoint)?,
    };
    let ended = (!termination.can_resume()).then_some(termination);
    checkpoint.conclude(termination, || epochs.state(&monitor.record, ended))?;
    if monitor.record.history.is_empty() {
        // No batch has been evaluated: no epoch was asked for, or none had a step.
        epochs.last = epochs.at_start();
    }
    let solution = Solution {
        value: epochs.last.value,
        gradient_max: epochs.last.gradient_max,
        termination,
        iterations: epochs.last.iteration,
        evaluations: epochs.batches,
        seconds_before: epochs.earlier_seconds,
        history: Vec::new(),
        module: epochs.model,
    };
    Ok(monitor.record.at_best(solution, |model| model))
}

/// What the batches of one epoch say of the start, which no step leaves: its value, and the largest component of the
/// gradient of the last.
pub(super) fn at_the_start<E: Encoder, O: Objective>(
    units: &Units<'_, '_, E, O>,
    settings: &StochasticConfig,
) -> [f64; 2] {
    let still = (SgdConfig::new().init(), 0.0);
    let mut epochs = Epochs::new(units, settings, still);
    let of_batches = epochs.run();
    // No batch may have a row with another of its class.
    let all = if of_batches.value.is_nan() { epochs.at_start() } else { of_batches };
    [all.value, all.gradient_max]
}

/// Passes over the rows until the epochs are done or the monitor breaks.
fn pass_over<E: Encoder, O: Objective>(
    epochs: &mut Epochs<'_, '_, E, O>,
    monitor: &mut Monitor<'_, '_, MetricModel<E, O>>,
    checkpoint: &mut Checkpoint<'_>,
) -> Result<Termination> {
    while epochs.epoch < epochs.plan.epochs {
        let before = independent(&epochs.model);
        let mut progress = epochs.run();
        if epochs.epoch == 1 && epochs.steps == 0 {
            return Ok(Termination::NoStep);
        }
        let model = &epochs.model;
        let told = progress.value.is_finite() && progress.gradient_max.is_finite();
        let flow = if told && flatten(model).iter().all(|parameter| parameter.is_finite()) {
            let score = epochs.problem.held_out.map(|score| score(&model.encoder.valid()));
            monitor.step(&mut progress, score, (|| independent(model), || flatten(model)))
        } else {
            // What diverged is no module to keep: the last that was finite is.
            epochs.model = before;
            monitor.record.history.push(progress);
            return Ok(Termination::NonFinite);
        };
        epochs.last = progress;
        if let ControlFlow::Break(reason) = flow {
            return Ok(reason);
        }
        checkpoint.offer(|| epochs.state(&monitor.record, None))?;
    }
    Ok(Termination::EpochsDone)
}

/// The record of a module as bytes, with its running statistics up to date.
fn to_bytes<M: Module>(module: &M) -> Result<Vec<u8>> {
    // A layer may hold back the last change of its statistics, which a copy for validation takes up.
    let record = module.valid().into_record();
    record.into_bytes().map(|bytes| bytes.to_vec()).map_err(not_recorded)
}

/// The module with the parameters and statistics of a record.
fn from_bytes<M: Module>(module: &M, bytes: Vec<u8>) -> Result<M> {
    load_record(independent(module), bytes).map_err(unusable)
}

fn not_recorded(error: RecordError) -> Error {
    Error::setting(format!("the state of the fit cannot be recorded: {error}"))
}

fn unusable(error: RecordError) -> Error {
    Error::data(format!(
        "the checkpoint holds no usable state of the fit ({error}); delete it to start again"
    ))
}

/// What a batch says of the penalized sum over all rows.
struct BatchEstimate {
    value: f64,
    /// The gradient of the sum over the number of its terms; nothing where the terms are constant.
    step: Option<GradientsParams>,
}

/// The settings of a fit, with every default resolved.
struct Plan {
    epochs: usize,
    /// Batches of an epoch.
    batches: usize,
    /// The learning rate at the start.
    learning_rate: f64,
    /// Rows that those of a batch see as neighbors; without, the batch alone.
    candidates: Option<usize>,
    /// Whether they are those that weigh most.
    nearest: bool,
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
struct Epochs<'a, 'p, E: Encoder, O: Objective> {
    units: &'a Units<'a, 'p, E, O>,
    problem: &'a Problem<'p, E, O>,
    config: &'a FitConfig,
    plan: Plan,
    model: MetricModel<E, O>,
    optimizer: ModuleOptimizer,
    epoch: usize,
    batches: usize,
    /// Whether a layer may draw at random, or looks at the other rows of its batch.
    draws: bool,
    /// Batches of this run that took a step.
    steps: usize,
    /// Seconds of earlier runs.
    earlier_seconds: f64,
    started: Instant,
    last: Progress,
}

impl<'a, 'p, E: Encoder, O: Objective> Epochs<'a, 'p, E, O> {
    fn new(
        units: &'a Units<'a, 'p, E, O>,
        settings: &StochasticConfig,
        (optimizer, learning_rate): (ModuleOptimizer, f64),
    ) -> Self {
        let Units { problem, config, .. } = *units;
        let [rows, _] = problem.x.dims();
        let plan = Plan {
            epochs: settings.epochs_of(rows),
            batches: settings.batches_of(rows),
            learning_rate,
            candidates: settings.all_candidates(),
            nearest: settings.nearest_candidates.is_some(),
        };
        Self {
            units,
            problem,
            config,
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
                step: plan.learning_rate,
                held_out: None,
                omitted: None,
                seconds: 0.0,
            },
            plan,
        }
    }

    /// Passes over all rows once.
    fn run(&mut self) -> Progress {
        let rows = self.shuffled_rows();
        let Plan { epochs, batches: count, learning_rate: start, .. } = self.plan;
        let mut nearest = self.plan.nearest.then(|| Nearest::new(self.all_embedded()));
        let (mut value, mut valued_rows) = (0.0, 0);
        let mut gradient_max: f64 = 0.0;
        for batch in (0..count).take_while(|_| !self.units.ended()) {
            let span = batch * rows.len() / count..(batch + 1) * rows.len() / count;
            let learning_rate = learning_rate_at(start, self.epoch * count + batch, epochs * count);
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
    fn at_start(&self) -> Progress {
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
        let (sum, embedding) = if self.plan.candidates.is_some() {
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
        let others = self.plan.candidates.unwrap_or(0).saturating_sub(batch.len());
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
        joined(chunks(self.problem.x.dims()[0], CHUNK).map(part).collect())
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

    fn state(&self, record: &Record<MetricModel<E, O>>, end: Option<Termination>) -> Result<State> {
        let best = record.best.clone().map(|best| best.try_map(|model| to_bytes(&model)));
        Ok(State {
            epoch: self.epoch,
            batches: self.batches,
            model: to_bytes(&self.model)?,
            optimizer: self.optimizer.into_bytes().map_err(not_recorded)?.to_vec(),
            record: Record { history: record.history.clone(), best: best.transpose()? },
            end,
        })
    }

    /// Resumes from a stored state; returns what the fit has been through.
    fn resume(&mut self, state: State) -> Result<Record<MetricModel<E, O>>> {
        let Record { history, best } = state.record;
        let best = best.map(|best| best.try_map(|bytes| from_bytes(&self.model, bytes)));
        let record = Record { history, best: best.transpose()? };
        let steps = &record.history[..];
        let kept = match state.end {
            // The model is that before the last step.
            Some(Termination::NonFinite) => steps.split_last().map_or(steps, |(_, kept)| kept),
            _ => steps,
        };
        self.model = from_bytes(&self.model, state.model)?;
        self.optimizer = load_optimizer(self.optimizer.clone(), &self.model, state.optimizer)
            .map_err(unusable)?;
        (self.epoch, self.batches) = (state.epoch, state.batches);
        if let Some(last) = kept.last() {
            self.earlier_seconds = last.seconds;
            self.last = *last;
        }
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, TensorData};

    use crate::encoder::LinearMap;
    use crate::fit::exact::{self, BlockConfig};
    use crate::fit::{FitConfig, FitSession, OptimizerConfig, Precision, Problem, minimize};
    use crate::model::MetricModel;
    use crate::objective::{ClassIndex, NcaLossConfig, PairIndex, PairLossConfig};

    use super::*;

    const ROWS: usize = 24;

    fn x() -> Tensor<2> {
        let values: Vec<f64> = (0..2 * ROWS).map(|i| ((i * i * 5) % 31) as f64 / 20.0).collect();
        Tensor::from_data(TensorData::new(values, [ROWS, 2]), (&Device::flex(), DType::F64))
    }

    fn batches() -> StochasticConfig {
        let settings = StochasticConfig::new().with_epochs(Some(1)).with_batch_size(Some(8));
        settings.with_learning_rate(Some(1e-12))
    }

    fn config(batches: StochasticConfig) -> FitConfig {
        let optimizer = OptimizerConfig::Adam(batches);
        FitConfig::new().with_precision(Precision::F64).with_optimizer(optimizer)
    }

    fn map() -> LinearMap {
        let weight = [0.8, -0.3, 0.2, 1.1];
        LinearMap::from_weight(&weight, [2, 2], &Device::flex().autodiff(), DType::F64)
    }

    #[test]
    fn an_epoch_with_all_rows_as_candidates_has_the_exact_value_and_one_of_batches_has_not() {
        let labels: Vec<usize> = (0..ROWS).map(|row| row * row % 3).collect();
        let classes = ClassIndex::new(&labels, &Device::flex()).unwrap();
        let model = MetricModel::new(map(), NcaLossConfig::new().init()).train();
        let exact = exact::value(&model, &x(), &classes, &BlockConfig::new());
        let fit = |batches: StochasticConfig| {
            let (x, config) = (x(), config(batches));
            let problem = Problem::new(model.clone(), &x, &classes);
            let fit = minimize(&problem, &config, FitSession::new()).unwrap();
            ((fit.value - exact).abs(), fit.history[0].omitted)
        };
        let random = |candidates: Option<usize>| fit(batches().with_candidates(candidates)).0;
        assert!(random(Some(usize::MAX)) < 1e-8);
        assert!(random(Some(12)) > 1e-3);
        assert!(random(None) > 1e-3);
        let nearest = |candidates| fit(batches().with_nearest_candidates(Some(candidates)));
        let (apart, omitted) = nearest(12);
        assert!(apart < random(Some(12)) && (1e-3..0.5).contains(&omitted.unwrap()));
        let (apart, omitted) = nearest(usize::MAX);
        assert!(apart < 1e-8 && omitted.unwrap() < 1e-12);
    }

    #[test]
    fn candidates_fewer_than_a_batch_or_of_pairs_are_refused() {
        let pairs = crate::data::Pairs::new(ROWS, vec![(0, 1, 1.0)]).unwrap();
        let index = PairIndex::new(&pairs, &Device::flex());
        let loss = PairLossConfig::new().init();
        let x = x();
        let problem = Problem::new(MetricModel::new(map(), loss).train(), &x, &index);
        let refused = |candidates: usize| {
            let config = config(batches().with_candidates(Some(candidates)));
            let result = minimize(&problem, &config, FitSession::new());
            result.err().unwrap().to_string()
        };
        assert!(refused(7).contains("7 candidates for a batch of 8"));
        assert!(refused(9).contains("a term per row"));
    }
}
