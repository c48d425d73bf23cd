//! Modern NCA: members of periodic embeddings and residual blocks, each by mini-batches and its own held-out rows.

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Int, Tensor, TensorData};
use burn_nca::internal::{Checkpoint, FitKey, Place, load_record};
use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::gradient::GradientFit;
use super::{Learned, Method, Problem, Setting, Uses};
use crate::data::{Features, Labeled, RegressionData, Scaling, ScalingKind, Split, TrainingData};
use crate::encoder::{
    AnyEncoder, Encoder, EncoderConfig, ModernConfig, ModernEncoder, ModernMember,
    NumericEmbeddingConfig,
};
use crate::error::{Error, Result};
use crate::fit::{
    EarlyStoppingConfig, Fingerprint, FitConfig, FitIdentity, FitSession, FitState, FitSummary,
    OptimizerConfig, Penalty, Progress, StochasticConfig, Termination,
};
use crate::neighbors::{MemberRule, Rule};
use crate::objective::{ModernNcaLoss, ModernNcaLossConfig, ModernTarget, TargetIndex};

/// Dimensions of each member where the user names none.
const DIMENSIONS: usize = 128;

/// What it uses of the settings that all methods share: encoder, optimizer and early stopping are its own.
const USES: &[Uses] = &[Uses::Dimensions];

const SETTINGS: &[Setting] = &[
    Setting { name: "members", help: "networks, each stopped by held-out rows of its own" },
    Setting { name: "embedding", help: "numbers that a feature becomes; 0 takes it as it is" },
    Setting { name: "frequencies", help: "frequencies of the periodic embedding of a feature" },
    Setting { name: "frequency_scale", help: "standard deviation of the frequencies at the start" },
    Setting { name: "blocks", help: "residual blocks" },
    Setting { name: "width", help: "hidden units of a block" },
    Setting { name: "dropout", help: "share of the hidden units set to zero in a training step" },
    Setting { name: "epochs", help: "most passes over the rows" },
    Setting {
        name: "patience",
        help: "passes without a better held-out score before a member stops",
    },
    Setting { name: "batch_size", help: "rows of a batch" },
    Setting {
        name: "candidates",
        help: "share of the rows outside a batch that it sees as neighbors",
    },
    Setting { name: "learning_rate", help: "step length of AdamW at the start" },
    Setting { name: "weight_decay", help: "decay of the parameters in each step" },
];

/// The settings of [`Modern`] and [`ModernRegression`].
macro_rules! modern {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Config, Debug, PartialEq)]
        pub struct $name {
            /// Networks, each stopped by held-out rows of its own.
            #[config(default = 5)]
            pub members: usize,
            /// Numbers that a feature becomes; 0 takes it as it is.
            #[config(default = 8)]
            pub embedding: usize,
            /// Frequencies of the periodic embedding of a feature.
            #[config(default = 16)]
            pub frequencies: usize,
            /// Standard deviation of the frequencies at the start, in periods for each unit of a scaled feature.
            #[config(default = 0.1)]
            pub frequency_scale: f64,
            /// Residual blocks.
            #[config(default = 1)]
            pub blocks: usize,
            /// Hidden units of a block.
            #[config(default = 256)]
            pub width: usize,
            /// Share of the hidden units set to zero in a training step.
            #[config(default = 0.1)]
            pub dropout: f64,
            /// The most passes over the rows.
            #[config(default = 200)]
            pub epochs: usize,
            /// Passes without a better held-out score before a member stops.
            #[config(default = 20)]
            pub patience: usize,
            /// Rows of a batch.
            #[config(default = 1024)]
            pub batch_size: usize,
            /// Share of the rows outside a batch that it sees as neighbors.
            #[config(default = 0.5)]
            pub candidates: f64,
            /// Step length of AdamW at the start.
            #[config(default = 0.01)]
            pub learning_rate: f64,
            /// Decay of the parameters in each step.
            #[config(default = 0.0002)]
            pub weight_decay: f64,
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $name {
            fn network(&self) -> ModernConfig {
                ModernConfig {
                    members: self.members,
                    embedding: (self.embedding > 0).then_some(NumericEmbeddingConfig {
                        frequencies: self.frequencies,
                        scale: self.frequency_scale,
                        size: self.embedding,
                    }),
                    blocks: self.blocks,
                    width: self.width,
                    dropout: self.dropout,
                }
            }

            /// The mini-batches for so many rows.
            fn batches(&self, rows: usize) -> StochasticConfig {
                let batch = self.batch_size.clamp(2, rows.max(2));
                let others = (self.candidates * (rows.saturating_sub(batch)) as f64).ceil() as usize;
                StochasticConfig::new()
                    .with_epochs(Some(self.epochs))
                    .with_batch_size(Some(batch))
                    .with_candidates(Some(batch + others))
                    .with_learning_rate(Some(self.learning_rate))
                    .with_weight_decay(Some(self.weight_decay))
            }

            fn check_settings(&self, d_input: usize, size: usize) -> Result<()> {
                EncoderConfig::Modern(self.network()).check_size(d_input, size * self.members)?;
                if !(0.0..=1.0).contains(&self.candidates) {
                    return Err(Error::setting(format!(
                        "the share of candidates is {}; give a number from 0 to 1",
                        self.candidates
                    )));
                }
                self.batches(2).check()
            }
        }
    };
}

modern! {
    /// Modern neighborhood components analysis for classes: networks whose embeddings decide by all training rows.
    ///
    /// Each member is a [`ModernMember`] of as many dimensions as asked for (128 where none are), trained by
    /// [`ModernNcaLoss`] with AdamW and stopped by the held-out rows of its cut of a cross-validation. The
    /// [`MemberRule`] averages their probabilities.
    ///
    /// # References
    /// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
    Modern
}

modern! {
    /// Modern neighborhood components analysis for numbers, on targets standardized on the training rows; otherwise as
    /// [`Modern`].
    ///
    /// # References
    /// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
    ModernRegression
}

impl Method for Modern {
    const NAME: &'static str = "modern";
    const LABEL: &'static str = "Modern NCA";
    const TITLE: &'static str = "Modern neighborhood components analysis";
    const WHEN_TO_USE: &'static str =
        "classes; the most accurate, where minutes and no picture are asked for";
    const SETTINGS: &'static [Setting] = SETTINGS;
    const USES: &'static [Uses] = USES;
    type Data = Labeled;

    fn default_dimension(&self, _data: &Labeled) -> Option<usize> {
        Some(DIMENSIONS)
    }

    fn check(&self, problem: &Problem<'_, Labeled>) -> Result<()> {
        self.check_settings(problem.data.features().columns(), problem.d_output)
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, session: FitSession<'_>) -> Result<Learned> {
        let data = problem.data;
        let (labels, classes) = (data.labels(), data.classes());
        let mut one_hot = vec![0.0; labels.len() * classes];
        labels.iter().enumerate().for_each(|(row, label)| one_hot[row * classes + label] = 1.0);
        let settings = Settings {
            network: self.network(),
            batches: &|rows| self.batches(rows),
            patience: self.patience,
            loss: ModernNcaLossConfig::new(ModernTarget::Classes).init(),
            identity: &|| problem.identity(self),
        };
        let targets = (one_hot, classes, data.weights());
        settings.learn(problem, targets, session)
    }
}

impl Method for ModernRegression {
    const NAME: &'static str = "modern-regression";
    const LABEL: &'static str = "Modern NCA for numbers";
    const TITLE: &'static str = "Modern neighborhood components analysis for numbers";
    const WHEN_TO_USE: &'static str =
        "a numeric target; the most accurate, where minutes and no picture are asked for";
    const SETTINGS: &'static [Setting] = SETTINGS;
    const USES: &'static [Uses] = USES;
    type Data = RegressionData;

    fn default_dimension(&self, _data: &RegressionData) -> Option<usize> {
        Some(DIMENSIONS)
    }

    fn check(&self, problem: &Problem<'_, RegressionData>) -> Result<()> {
        self.check_settings(problem.data.features().columns(), problem.d_output)
    }

    fn learn(
        &self,
        problem: &Problem<'_, RegressionData>,
        session: FitSession<'_>,
    ) -> Result<Learned> {
        let targets: &Features = problem.data.targets();
        let standard = Scaling::fit(ScalingKind::Standardize, targets).apply(targets)?;
        let settings = Settings {
            network: self.network(),
            batches: &|rows| self.batches(rows),
            patience: self.patience,
            loss: ModernNcaLossConfig::new(ModernTarget::Numbers).init(),
            identity: &|| problem.identity(self),
        };
        let targets = (standard.values().to_vec(), standard.columns(), problem.data.weights());
        settings.learn(problem, targets, session)
    }
}

/// A member that is fitted, as it is kept in a checkpoint.
#[derive(Clone, Serialize, Deserialize)]
struct Fit {
    /// Its record.
    member: Vec<u8>,
    history: Vec<Progress>,
    evaluations: usize,
    value: f64,
    termination: Termination,
}

/// The state of a fit: the members that are done, and the one that was cut off.
#[derive(Default, Serialize, Deserialize)]
struct State {
    done: Vec<Fit>,
    current: FitState,
    seconds: f64,
}

/// What both methods learn by.
struct Settings<'a> {
    network: ModernConfig,
    batches: &'a dyn Fn(usize) -> StochasticConfig,
    patience: usize,
    loss: ModernNcaLoss,
    identity: &'a dyn Fn() -> FitIdentity,
}

impl Settings<'_> {
    /// Learns the members one after the other, of targets `[n, columns]`.
    fn learn<D: TrainingData>(
        &self,
        problem: &Problem<'_, D>,
        (values, columns, weights): (Vec<f64>, usize, Option<&[f64]>),
        mut session: FitSession<'_>,
    ) -> Result<Learned> {
        let started = Instant::now();
        let place = match (&session.checkpoint, session.state.take()) {
            (Some(path), _) => Some(Place::File(path)),
            (None, state) => state.map(Place::Memory),
        };
        let kept = place.map(|place| (place, self.key(problem.fit)));
        let mut checkpoint =
            Checkpoint::new(kept, session.keep_checkpoint, session.on_checkpoint.take());
        let mut state = checkpoint.load::<State>()?.unwrap_or_default();
        let before = state.seconds;
        let steps = |state: &State| state.done.iter().map(|fit| fit.history.len()).sum::<usize>();
        if !state.done.is_empty() || !state.current.is_empty() {
            checkpoint.resumed(steps(&state), state.done.len() == self.network.members);
        }
        let data = problem.data;
        let cuts = cuts(data, self.network.members, problem.fit.seed)?;
        let x = problem.tensor(data);
        let mut members = Vec::new();
        for fit in &state.done {
            members.push(self.restored(problem, fit)?);
        }
        let mut callback = session.on_progress.take();
        while members.len() < cuts.len() {
            let number = members.len();
            let first = steps(&state);
            let elapsed = before + started.elapsed().as_secs_f64();
            let left = problem
                .fit
                .time_budget
                .map(|budget| ((budget - elapsed) / (cuts.len() - number) as f64).max(0.0));
            let mut tell = |progress: &Progress| match &mut callback {
                Some(callback) => callback(&Progress {
                    iteration: first + progress.iteration,
                    seconds: elapsed + progress.seconds,
                    ..*progress
                }),
                None => core::ops::ControlFlow::Continue(()),
            };
            let run = FitSession::new().with_progress(&mut tell).with_state(&mut state.current);
            let cut = Cut { number, split: &cuts[number], x: &x, left };
            let (member, fit) = self.member(problem, &cut, (&values, columns, weights), run)?;
            let termination = fit.termination;
            members.push(member);
            state.done.push(fit);
            state.seconds = before + started.elapsed().as_secs_f64();
            if termination == Termination::Stopped {
                // What was cut off is taken up again; the model has it as it is.
                checkpoint.conclude(termination, || {
                    let done = state.done[..number].to_vec();
                    Ok(State { done, current: state.current.clone(), seconds: state.seconds })
                })?;
                break;
            }
            state.current = FitState::default();
            if number + 1 == cuts.len() {
                checkpoint.conclude(termination, || Ok(&state))?;
            } else {
                checkpoint.offer(|| Ok(&state))?;
            }
        }
        let encoder = AnyEncoder::Modern(ModernEncoder::new(members));
        let rule = Rule::Members(MemberRule { members: state.done.len() });
        let summary = summary(&state, data.features().rows());
        Ok(Learned { encoder, rule, summary })
    }

    /// What a checkpoint recognizes the fit by.
    fn key(&self, fit: &FitConfig) -> FitKey {
        let FitIdentity { settings, features, targets } = (self.identity)();
        let settings = Fingerprint::new()
            .text(&settings)
            .text("modern")
            .text(&fit.without_limits().to_string())
            .finish();
        FitKey { identity: FitIdentity { settings, features, targets }, start: String::new() }
    }

    /// A member at its random start.
    fn start<D: TrainingData>(&self, problem: &Problem<'_, D>, number: usize) -> ModernMember {
        // Apart from the seeds of batches, which count from the same number.
        let seed = problem.fit.seed ^ (0x6d6f_6400_0000_0000 + number as u64);
        let d_input = problem.data.features().columns();
        self.network.member(d_input, problem.d_output, seed, &problem.device)
    }

    /// A member as a checkpoint has it.
    fn restored<D: TrainingData>(
        &self,
        problem: &Problem<'_, D>,
        fit: &Fit,
    ) -> Result<ModernMember> {
        let member =
            super::gradient::prepare(self.start(problem, 0), problem.dtype, &problem.device);
        load_record(member, fit.member.clone()).map_err(|error| {
            Error::data(format!(
                "the checkpoint holds no usable member ({error}); delete it to start again"
            ))
        })
    }

    /// Fits one member.
    fn member<D: TrainingData>(
        &self,
        problem: &Problem<'_, D>,
        cut: &Cut<'_>,
        (values, columns, weights): (&[f64], usize, Option<&[f64]>),
        session: FitSession<'_>,
    ) -> Result<(ModernMember, Fit)> {
        let device = &problem.device;
        let rows = |rows: &[usize]| -> Vec<f64> {
            rows.iter().flat_map(|row| values[row * columns..][..columns].to_vec()).collect()
        };
        let select = |rows: &[usize]| {
            let rows: Vec<i64> = rows.iter().map(|row| *row as i64).collect();
            cut.x.clone().select(0, Tensor::<1, Int>::from_data(&rows[..], device))
        };
        let tensor = |rows: Vec<f64>| {
            let shape = [rows.len() / columns, columns];
            let data = TensorData::new(rows, shape).convert_dtype(problem.dtype);
            Tensor::<2>::from_data(data, (device, problem.dtype))
        };
        let Split { train, test } = cut.split;
        let mut target = TargetIndex::new(&rows(train), columns, device)?;
        if let Some(weights) = weights {
            target =
                target.with_weights(&train.iter().map(|row| weights[*row]).collect::<Vec<_>>())?;
        }
        let [x, held_out] = [select(train), select(test)];
        let [known, truth] = [tensor(rows(train)), tensor(rows(test))];
        let score = |member: &ModernMember| {
            let (references, queries) =
                (member.forward(x.clone()), member.forward(held_out.clone()));
            let error = self.loss.mean_error((queries, truth.clone()), (references, known.clone()));
            if error.is_finite() { -error } else { f64::NEG_INFINITY }
        };
        let config = FitConfig::new()
            .with_optimizer(OptimizerConfig::Adam((self.batches)(train.len())))
            .with_early_stopping(Some(EarlyStoppingConfig::new().with_patience(self.patience)))
            .with_time_budget(cut.left)
            .with_penalty(Some(Penalty::Weights))
            .with_seed(problem.fit.seed.wrapping_add(cut.number as u64))
            .with_precision(problem.fit.precision);
        let fit = GradientFit {
            encoder: self.start(problem, cut.number),
            objective: self.loss.clone(),
            x: (&x).into(),
            target: &target,
            held_out: Some(&score),
            identity: self.identity,
        };
        let solution = fit.fit(problem.d_output, &config, session)?;
        let member = solution.module.encoder;
        let record = member.clone().into_record().into_bytes();
        let record = record.map_err(|error| {
            Error::setting(format!("the state of the fit cannot be recorded: {error}"))
        })?;
        let fit = Fit {
            member: record.to_vec(),
            history: solution.history,
            evaluations: solution.evaluations,
            value: solution.value,
            termination: solution.termination,
        };
        Ok((member, fit))
    }
}

/// What distinguishes a member from the others.
struct Cut<'a> {
    number: usize,
    split: &'a Split,
    x: &'a Tensor<2>,
    /// Seconds that it may take.
    left: Option<f64>,
}

/// The rows that each member learns from and is stopped by: the cuts of a cross-validation, a fifth for a single member.
///
/// # Errors
/// Too few rows or groups.
fn cuts<D: TrainingData>(data: &D, members: usize, seed: u64) -> Result<Vec<Split>> {
    match members {
        1 => Ok(vec![data.split(0.2, seed)?]),
        _ => data.folds(members, seed),
    }
}

/// How the members were fitted, together.
fn summary(state: &State, rows: usize) -> FitSummary {
    let ends = || state.done.iter().map(|fit| fit.termination);
    let last = ends().next_back().expect("a member");
    let termination = ends().find(|end| !end.is_planned()).unwrap_or(last);
    let mut history: Vec<Progress> = Vec::new();
    for fit in &state.done {
        let first = history.len();
        let seconds = history.last().map_or(0.0, |progress| progress.seconds);
        history.extend(fit.history.iter().map(|progress| Progress {
            iteration: first + progress.iteration,
            seconds: seconds + progress.seconds,
            ..*progress
        }));
    }
    FitSummary {
        start: None,
        value: state.done.iter().map(|fit| fit.value).sum::<f64>() / state.done.len() as f64,
        gradient_max: history.last().map_or(f64::NAN, |progress| progress.gradient_max),
        termination,
        iterations: history.len(),
        evaluations: state.done.iter().map(|fit| fit.evaluations).sum(),
        seconds: state.seconds,
        sums: None,
        history,
        rows,
        held_out_rows: 0,
        num_unmatched: 0,
    }
}
