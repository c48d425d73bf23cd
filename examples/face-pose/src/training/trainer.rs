//! The training loop.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Instant;

use crate::faces::{FacePairs, PairBatch};
use anyhow::{Context, Result};
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::store::ModuleRecord;
use burn::tensor::{Bytes, Device};

use super::checkpoint::{Best, Checkpoint, State};
use super::goal::Goal;
use super::held_out::HeldOut;
use super::{Check, Ending, Plan};
use crate::network::Network;
use crate::progress::Progress;

/// Batches that are rendered ahead.
const AHEAD: usize = 2;

/// What a network is trained on, and where.
pub struct Setting<'a> {
    /// The pairs of the training people.
    pub pairs: &'a FacePairs,
    /// Pairs of other people.
    pub held_out: &'a HeldOut,
    /// Where it is computed; without autodiff.
    pub device: &'a Device,
}

/// A network after its training.
pub struct Trained<N> {
    /// The network with the lowest held-out loss.
    pub network: N,
    /// Why training ended.
    pub ending: Ending,
    /// Steps done.
    pub steps: usize,
    /// The step of the network that is returned.
    pub best_step: usize,
    /// The checks, first to last.
    pub history: Vec<Check>,
    /// Seconds of training, over all runs.
    pub seconds: f64,
}

/// Trains a network from its seeded start, or continues from the checkpoint.
///
/// Step t takes the pairs `t b .. (t + 1) b`, rendered on other threads while the steps before run, so a resumed
/// training takes the same steps bit for bit.
///
/// # Errors
/// A checkpoint that cannot be read or written, or a device that fails.
pub fn train<N: Network>(
    plan: &Plan,
    goal: &Goal,
    setting: &Setting<'_>,
    checkpoint: &mut Checkpoint,
    progress: &Progress,
) -> Result<Trained<N>> {
    let mut run = Run::<N>::new(plan, goal, setting);
    if let Some(state) = checkpoint.load()? {
        run.resume(state)?;
    }
    progress.start(goal.name(), plan.steps);
    thread::scope(|scope| -> Result<()> {
        let (sender, batches) = sync_channel(AHEAD);
        let (first, size) = (run.state.step, plan.pairs);
        if run.state.ending.is_some() {
            return Ok(());
        }
        scope.spawn(move || {
            for step in first..plan.steps {
                // The trainer hangs up when it stops early.
                if sender.send(setting.pairs.batch((step * size) as u64, size)).is_err() {
                    break;
                }
            }
        });
        run.steps(batches, checkpoint, progress)
    })?;
    progress.finish();
    run.finish()
}

/// A training between two steps.
struct Run<'a, N: Network> {
    plan: &'a Plan,
    goal: &'a Goal,
    setting: &'a Setting<'a>,
    network: N,
    optimizer: ModuleOptimizer,
    /// All else; its records are only filled in to be written.
    state: State,
    /// Seconds of earlier runs.
    earlier: f64,
    started: Instant,
}

impl<'a, N: Network> Run<'a, N> {
    fn new(plan: &'a Plan, goal: &'a Goal, setting: &'a Setting<'a>) -> Self {
        Self {
            plan,
            goal,
            setting,
            network: N::start(plan.seed, plan.start_scale, &setting.device.clone().autodiff()),
            optimizer: AdamConfig::new().with_epsilon(1e-8).init(),
            state: State::default(),
            earlier: 0.0,
            started: Instant::now(),
        }
    }

    fn steps(
        &mut self,
        batches: Receiver<PairBatch>,
        checkpoint: &mut Checkpoint,
        progress: &Progress,
    ) -> Result<()> {
        while self.state.ending.is_none() {
            if self.state.step == self.plan.steps {
                self.state.ending = Some(Ending::StepsDone);
                break;
            }
            let batch = batches.recv().context("the pairs could not be rendered")?;
            let loss = self.step(batch);
            if !loss.is_finite() {
                self.state.ending = Some(Ending::NonFinite);
            } else if self.plan.checks_at(self.state.step) {
                self.check()?;
            }
            progress.step(self.state.step, loss, self.state.history.last());
            if progress.is_interrupted() && self.state.ending.is_none() {
                checkpoint.save(&self.recorded()?)?;
                self.state.ending = Some(Ending::Interrupted);
            } else if checkpoint.is_due() {
                checkpoint.save(&self.recorded()?)?;
            }
        }
        if self.state.ending != Some(Ending::Interrupted) {
            checkpoint.save(&self.recorded()?)?;
        }
        Ok(())
    }

    fn step(&mut self, batch: PairBatch) -> f64 {
        let rate = self.plan.learning_rate_at(self.state.step);
        let device = self.setting.device.clone().autodiff();
        let loss = self.goal.loss(&self.network, batch, &device);
        let value = loss.clone().into_scalar::<f64>();
        let gradients = GradientsParams::from_grads(loss.backward(), &self.network);
        self.network = self.optimizer.step(rate, self.network.clone(), gradients);
        self.state.step += 1;
        self.state.losses.0 += value;
        self.state.losses.1 += 1;
        value
    }

    /// Measures the held-out faces, keeps the best network, and ends a training that no longer improves.
    fn check(&mut self) -> Result<()> {
        let network = self.network.clone().valid();
        let scores = self.setting.held_out.scores(&network, self.goal, self.setting.device)?;
        let (sum, count) = std::mem::take(&mut self.state.losses);
        self.state.history.push(Check {
            step: self.state.step,
            loss: sum / count as f64,
            held_out: scores.loss,
            rotation: scores.rotation,
            size: scores.size,
            seconds: self.seconds(),
        });
        let is_best = self.state.best.as_ref().is_none_or(|best| scores.loss < best.held_out);
        if is_best {
            let network = record(&self.network)?;
            self.state.best = Some(Best { step: self.state.step, held_out: scores.loss, network });
        }
        let best = self.state.best.as_ref().map_or(0, |best| best.step);
        let since = self.state.history.iter().filter(|check| check.step > best).count();
        if since >= self.plan.patience && self.state.step < self.plan.steps {
            self.state.ending = Some(Ending::HeldOut);
        }
        Ok(())
    }

    fn seconds(&self) -> f64 {
        self.earlier + self.started.elapsed().as_secs_f64()
    }

    /// The state with the records of network and optimizer.
    fn recorded(&self) -> Result<State> {
        let optimizer = self.optimizer.into_bytes().context("the optimizer cannot be recorded")?;
        Ok(State {
            network: record(&self.network)?,
            optimizer: optimizer.to_vec(),
            seconds: self.seconds(),
            ..self.state.clone()
        })
    }

    fn resume(&mut self, mut state: State) -> Result<()> {
        self.network = load(self.network.clone(), std::mem::take(&mut state.network))?;
        let optimizer = Bytes::from_bytes_vec(std::mem::take(&mut state.optimizer));
        self.optimizer = self
            .optimizer
            .clone()
            .from_bytes(optimizer)
            .context("the optimizer's state is damaged")?;
        self.earlier = state.seconds;
        self.state = state;
        Ok(())
    }

    fn finish(self) -> Result<Trained<N>> {
        let seconds = if self.state.history.is_empty() { self.earlier } else { self.seconds() };
        let ending = self.state.ending.context("training ends for a reason")?;
        let (network, best_step) = match self.state.best {
            Some(best) => (load(self.network, best.network)?, best.step),
            None => (self.network, self.state.step),
        };
        Ok(Trained {
            network: network.valid(),
            ending,
            steps: self.state.step,
            best_step,
            history: self.state.history,
            seconds,
        })
    }
}

fn record<N: Network>(network: &N) -> Result<Vec<u8>> {
    let bytes = network.clone().into_record().into_bytes();
    Ok(bytes.context("the network cannot be recorded")?.to_vec())
}

fn load<N: Network>(network: N, bytes: Vec<u8>) -> Result<N> {
    let record = ModuleRecord::from_bytes(Bytes::from_bytes_vec(bytes));
    let record = record.context("the network's record is damaged")?;
    network.try_load_record(record).context("the network's record does not fit")
}

#[cfg(test)]
mod tests;
