//! Fitting by mini-batches: epochs over shuffled rows with a Burn optimizer.

mod epochs;
mod state;

use std::ops::ControlFlow;

use burn::optim::ModuleOptimizer;

use self::epochs::Epochs;
use self::state::State;
use super::checkpoint::Checkpoint;
use super::monitor::Monitor;
use super::parameters::flatten;
use super::training_layers::independent;
use super::units::Units;
use super::{SgdConfig, Solution, StochasticConfig, Termination};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::model::MetricModel;
use crate::objective::{DataTarget, Objective};

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
        monitor.record = state.resume(&mut epochs)?;
        checkpoint.resumed(epochs.epoch, end.is_some());
    }
    let termination = match end {
        Some(end) => end,
        None => {
            let count = settings.epochs_of(problem.x.dims()[0]);
            pass_over(count, &mut epochs, &mut monitor, checkpoint)?
        }
    };
    let ended = (!termination.can_resume()).then_some(termination);
    checkpoint.conclude(termination, || State::of(&epochs, &monitor.record, ended))?;
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
    count: usize,
    epochs: &mut Epochs<'_, '_, E, O>,
    monitor: &mut Monitor<'_, '_, MetricModel<E, O>>,
    checkpoint: &mut Checkpoint<'_>,
) -> Result<Termination> {
    while epochs.epoch < count {
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
        checkpoint.offer(|| State::of(epochs, &monitor.record, None))?;
    }
    Ok(Termination::EpochsDone)
}

#[cfg(test)]
mod tests {
    use burn::module::Module;
    use burn::tensor::{DType, Device, Tensor, TensorData};

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
