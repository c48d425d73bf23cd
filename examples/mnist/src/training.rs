//! The training loop: plain Burn, but for the loss.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use burn::module::Module;
use burn::optim::AdamWConfig;
use burn_nca_learn::MetricModel;
use burn_nca_learn::fit::parallel::value_and_gradient;
use burn_nca_learn::objective::{Criterion, NcaLoss, NcaLossConfig};
use burn_nca_program::{Bar, Interrupt};
use serde::{Deserialize, Serialize};

use crate::arguments::Objective;
use crate::batches::{Batch, Source};
use crate::checkpoint::{self, State};
use crate::encoder::Network;
use crate::evaluation::Scores;
use crate::recipe::Recipe;

/// Digits of a chunk. The number is fixed, so that sums do not depend on the number of cores.
const CHUNK: usize = 125;

/// Between two states on disk within an epoch.
const INTERVAL: Duration = Duration::from_secs(60);

/// Why a run ended.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// All epochs are done.
    EpochsDone,
    /// Ctrl-C; the run can continue.
    Stopped,
    /// The loss is not finite.
    NotFinite,
}

/// An epoch that is done.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Epoch {
    pub epoch: usize,
    /// Mean over its batches, as they came.
    pub loss: f64,
    /// Seconds of training alone.
    pub seconds: f64,
    pub scores: Scores,
}

/// How far a run has come.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct Progress {
    /// Epochs that are done.
    pub history: Vec<Epoch>,
    /// The loss of each batch that is done of the epoch that runs.
    pub losses: Vec<f32>,
    /// Seconds that this epoch has taken so far.
    pub seconds: f64,
}

/// A run: what is learned, and how far.
pub struct Trainer<'a> {
    recipe: &'a Recipe,
    source: Source<'a>,
    loss: NcaLoss,
    checkpoint: &'a Path,
    state: State,
}

impl<'a> Trainer<'a> {
    /// A run from the start.
    pub fn new(
        recipe: &'a Recipe,
        source: Source<'a>,
        network: Network,
        checkpoint: &'a Path,
    ) -> Self {
        let criterion = match recipe.objective {
            Objective::F => Criterion::F,
            Objective::G => Criterion::G,
        };
        let loss = NcaLossConfig::new().with_criterion(criterion).init();
        let optimizer =
            AdamWConfig::new().with_epsilon(1e-8).with_weight_decay(recipe.weight_decay).init();
        let state = State { progress: Progress::default(), network, optimizer };
        Self { recipe, source, loss, checkpoint, state }
    }

    /// Continues from the state on disk.
    ///
    /// # Errors
    /// As [`checkpoint::load`].
    pub fn resume(&mut self) -> Result<()> {
        let State { network, optimizer, .. } = &self.state;
        let fresh = (network.clone(), optimizer.clone());
        self.state = checkpoint::load(self.checkpoint, self.recipe, fresh)?;
        Ok(())
    }

    /// Batches of all epochs.
    pub fn steps(&self) -> usize {
        self.recipe.epochs * self.source.batches()
    }

    fn steps_done(&self) -> usize {
        let Progress { history, losses, .. } = &self.state.progress;
        history.len() * self.source.batches() + losses.len()
    }

    /// The encoder as it is.
    pub fn network(&self) -> &Network {
        &self.state.network
    }

    /// The epochs that are done.
    pub fn history(&self) -> &[Epoch] {
        &self.state.progress.history
    }

    /// Runs the epochs that are left; `evaluate` looks at the encoder after each.
    ///
    /// # Errors
    /// A state that cannot be written, or an evaluation that fails.
    pub fn run(
        &mut self,
        bar: &Bar,
        interrupt: &Interrupt,
        mut evaluate: impl FnMut(&Network) -> Result<Scores>,
    ) -> Result<Ended> {
        bar.resume(self.steps_done());
        while self.state.progress.history.len() < self.recipe.epochs {
            if let Some(ended) = self.epoch(bar, interrupt)? {
                return Ok(ended);
            }
            let progress = &mut self.state.progress;
            let losses = std::mem::take(&mut progress.losses);
            let epoch = Epoch {
                epoch: progress.history.len() + 1,
                loss: losses.iter().copied().map(f64::from).sum::<f64>() / losses.len() as f64,
                seconds: std::mem::take(&mut progress.seconds),
                scores: evaluate(&self.state.network)?,
            };
            bar.line(&epoch.to_string());
            progress.history.push(epoch);
            self.save()?;
        }
        Ok(Ended::EpochsDone)
    }

    /// Runs the batches that are left of an epoch; tells why it did not come to its end.
    fn epoch(&mut self, bar: &Bar, interrupt: &Interrupt) -> Result<Option<Ended>> {
        let epoch = self.state.progress.history.len();
        let first = self.state.progress.losses.len();
        let source = self.source.clone();
        let mut saved = Instant::now();
        std::thread::scope(|scope| {
            for batch in source.send(scope, epoch, first) {
                let loss = self.step(&batch);
                if !loss.is_finite() {
                    return Ok(Some(Ended::NotFinite));
                }
                bar.step(self.steps_done(), format!("loss {loss:.4}"));
                if interrupt.is_set() {
                    self.save()?;
                    return Ok(Some(Ended::Stopped));
                }
                if saved.elapsed() >= INTERVAL {
                    self.save()?;
                    saved = Instant::now();
                }
            }
            Ok(None)
        })
    }

    /// Learns from a batch; a loss that is no number leaves the encoder as it was.
    fn step(&mut self, batch: &Batch) -> f64 {
        let started = Instant::now();
        let learning_rate = self.recipe.learning_rate_at(self.steps_done(), self.steps());
        let State { network, optimizer, progress } = &mut self.state;
        let model = MetricModel::new(network.clone(), self.loss.clone());
        let (features, target) = batch.tensors(&network.devices()[0]);
        let at = value_and_gradient(&model, &features, &target, CHUNK);
        let loss = at.loss.into_scalar::<f64>();
        if loss.is_finite() {
            *network = optimizer.step(learning_rate, model.encoder, at.gradients);
        }
        progress.losses.push(loss as f32);
        progress.seconds += started.elapsed().as_secs_f64();
        loss
    }

    fn save(&self) -> Result<()> {
        let State { network, optimizer, progress } = &self.state;
        checkpoint::save(self.checkpoint, self.recipe, progress, (network, optimizer))
    }
}

impl std::fmt::Display for Epoch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { epoch, loss, seconds, scores } = self;
        write!(
            f,
            "epoch {epoch:2}  loss {loss:8.4}  5-NN error {:.2} % of {}  ({seconds:.1} s, then {:.1} s to encode, \
             {:.2} s to search)",
            100.0 * scores.error_5,
            scores.queries,
            scores.encode_seconds,
            scores.search_seconds
        )
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::arguments::EncoderKind;
    use crate::digits::{Centering, Digits, synthetic};
    use crate::evaluation::Question;

    fn trainer<'a>(
        recipe: &'a Recipe,
        (digits, centering): (&'a Digits, &'a Centering),
        checkpoint: &'a Path,
    ) -> Trainer<'a> {
        let device = Device::flex().autodiff();
        let network = Network::start(recipe, (digits, centering), &device).unwrap();
        Trainer::new(recipe, Source::new(digits, centering, recipe), network, checkpoint)
    }

    fn weights(network: &Network) -> Vec<u8> {
        network.valid().into_record().into_bytes().unwrap().to_vec()
    }

    #[test]
    fn a_run_that_was_interrupted_anywhere_ends_in_the_same_bits() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("state");
        let (digits, bar) = (synthetic(100), Bar::new("{bar}", true));
        let centering = Centering::of(&digits);
        for encoder in [EncoderKind::Linear, EncoderKind::Mlp, EncoderKind::Cnn] {
            let recipe = Recipe::for_tests(encoder);
            let question =
                Question { references: &digits, queries: &digits, centering: &centering };
            let evaluate = |network: &Network| Ok(question.ask(network)?.scores);
            let mut whole = trainer(&recipe, (&digits, &centering), &checkpoint);
            let start = whole.network().clone();
            let ended = whole.run(&bar, &Interrupt::default(), evaluate).unwrap();
            assert_eq!((ended, whole.history().len()), (Ended::EpochsDone, 2));

            let mut parts = trainer(&recipe, (&digits, &centering), &checkpoint);
            // A network is known by the identities of its parameters: both runs start from one.
            parts.state.network = start.clone();
            let stop = Interrupt::default();
            stop.ask();
            assert_eq!(parts.run(&bar, &stop, evaluate).unwrap(), Ended::Stopped);
            for _ in 0..20 {
                parts = trainer(&recipe, (&digits, &centering), &checkpoint);
                parts.resume().unwrap();
                if parts.run(&bar, &stop, evaluate).unwrap() == Ended::EpochsDone {
                    break;
                }
            }
            assert_eq!(parts.history().len(), 2);
            assert_eq!(weights(parts.network()), weights(whole.network()), "{encoder:?}");
            assert!(whole.history()[1].loss < whole.history()[0].loss);
        }
    }

    #[test]
    fn a_state_of_other_settings_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("state");
        let digits = synthetic(200);
        let centering = Centering::of(&digits);
        let recipe = Recipe::for_tests(EncoderKind::Linear);
        trainer(&recipe, (&digits, &centering), &checkpoint).save().unwrap();
        let other = Recipe { seed: 4, ..recipe.clone() };
        let error = trainer(&other, (&digits, &centering), &checkpoint).resume().unwrap_err();
        assert!(error.to_string().contains("had other settings"), "{error}");
    }
}
