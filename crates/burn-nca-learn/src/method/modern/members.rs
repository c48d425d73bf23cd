//! The members of modern NCA: each a fit by mini-batches, stopped by the rows of its own cut.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender, SyncSender};

use burn::module::Module;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca::internal::{Checkpoint, FitKey, load_record};
use serde::{Deserialize, Serialize};
use web_time::Instant;

use crate::data::{AnyData, Split, TrainingData};
use crate::device::runs_on_host;
use crate::encoder::{AnyEncoder, Encoder, ModernConfig, ModernEncoder, ModernMember};
use crate::error::{Error, Result};
use crate::fit::{
    EarlyStoppingConfig, Fingerprint, FitConfig, FitIdentity, FitSession, FitState, FitSummary,
    OnProgress, OptimizerConfig, Penalty, Progress, StochasticConfig, Termination,
};
use crate::method::gradient::{GradientFit, prepare};
use crate::method::{Learned, Problem};
use crate::neighbors::{MemberRule, Rule};
use crate::objective::{ModernNcaLoss, TargetIndex};
use crate::side_by_side::side_by_side;

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

/// Where a member stands: not begun, cut off, or done.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Standing {
    done: Option<Fit>,
    /// What a fit that was cut off continues from.
    cut_off: FitState,
}

/// The state of a fit.
#[derive(Default, Serialize, Deserialize)]
struct State {
    members: Vec<Standing>,
    seconds: f64,
}

/// What both methods learn by.
pub(super) struct Settings<'a> {
    pub network: ModernConfig,
    pub batches: &'a (dyn Fn(usize) -> StochasticConfig + Sync),
    pub patience: usize,
    pub loss: ModernNcaLoss,
    pub identity: FitIdentity,
}

/// A run of a member: the network, and where it stands; what was cut off is in the model as it is.
type Run = (ModernMember, Fit, FitState);

/// What a member that is fitted with others tells the thread of the caller.
enum Told {
    /// It took a step, and waits for the answer.
    Step(Progress, SyncSender<ControlFlow<Termination>>),
    /// It ended.
    End(Result<Box<Run>>),
}

/// A member to be fitted, what it continues from, and where it tells of itself.
type Begun = (usize, FitState, Sender<(usize, Told)>);

/// What the caller sees of a fit: the steps of all members, and a checkpoint when one has ended.
struct Watch<'a, 'c> {
    callback: Option<&'a mut OnProgress<'a>>,
    checkpoint: Checkpoint<'c>,
    state: State,
    networks: Vec<Option<(ModernMember, Fit)>>,
    /// Steps that each member has taken.
    steps: Vec<usize>,
    started: Instant,
    /// Seconds of earlier runs.
    before: f64,
}

impl Watch<'_, '_> {
    fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    fn step(&mut self, number: usize, progress: &Progress) -> ControlFlow<Termination> {
        self.steps[number] = progress.iteration;
        let (iteration, seconds) = (self.steps.iter().sum(), self.seconds());
        match &mut self.callback {
            Some(callback) => callback(&Progress { iteration, seconds, ..*progress }),
            None => ControlFlow::Continue(()),
        }
    }

    fn end(&mut self, number: usize, (member, fit, cut_off): Run) -> Result<()> {
        let standing = match fit.termination {
            Termination::Stopped => Standing { done: None, cut_off },
            _ => Standing { done: Some(fit.clone()), cut_off: FitState::default() },
        };
        self.state.members[number] = standing;
        self.state.seconds = self.seconds();
        self.networks[number] = Some((member, fit));
        self.checkpoint.offer(|| Ok(&self.state))
    }
}

impl Settings<'_> {
    /// Learns the members of targets `[n, columns]`: side by side on a CPU, one after the other within a time budget, on
    /// another device, and where the caller is of a pool of threads itself. The members are the same.
    pub fn learn<D: TrainingData>(
        &self,
        problem: &Problem<'_, D>,
        (values, columns, weights): (Vec<f64>, usize, Option<&[f64]>),
        mut session: FitSession<'_>,
    ) -> Result<Learned> {
        let mut checkpoint = Checkpoint::of(&mut session, || {
            // Its start follows from the settings.
            Ok(FitKey::new(self.identity.clone(), problem.fit, "modern", Fingerprint::new()))
        })?;
        let members = self.network.members;
        let mut state = checkpoint.load::<State>()?.unwrap_or_default();
        let known = |standing: &Standing| standing.done.is_some() || !standing.cut_off.is_empty();
        let resumed = state.members.iter().any(known);
        state.members.resize_with(members, Standing::default);
        let done = || state.members.iter().filter_map(|standing| standing.done.as_ref());
        let steps = |fit: Option<&Fit>| fit.map_or(0, |fit| fit.history.len());
        if resumed {
            let taken = done().map(|fit| steps(Some(fit))).sum();
            checkpoint.resumed(taken, done().count() == members);
        }
        let data = problem.data;
        let cuts = cuts(data, members, problem.fit.seed)?;
        let common = Common {
            settings: self,
            targets: (&values, columns, weights),
            cuts: &cuts,
            x: &problem.tensor(data),
            fit: problem.fit,
            d_output: problem.d_output,
            device: &problem.device,
            dtype: problem.dtype,
        };
        let restored = |standing: &Standing| match &standing.done {
            Some(fit) => Ok(Some((common.restored(fit)?, fit.clone()))),
            None => Ok(None),
        };
        let mut watch = Watch {
            callback: session.on_progress.take(),
            checkpoint,
            networks: state.members.iter().map(restored).collect::<Result<_>>()?,
            steps: state.members.iter().map(|standing| steps(standing.done.as_ref())).collect(),
            before: state.seconds,
            started: Instant::now(),
            state,
        };
        let missing: Vec<usize> =
            (0..members).filter(|number| watch.networks[*number].is_none()).collect();
        let side_by_side = missing.len() > 1
            && problem.fit.time_budget.is_none()
            && runs_on_host(&problem.device)
            && rayon::current_num_threads() > 1
            && rayon::current_thread_index().is_none();
        match side_by_side {
            true => common.side_by_side(&missing, &mut watch)?,
            false => common.in_turn(&missing, &mut watch)?,
        }
        watch.learned(held_out(&cuts, data.features().rows()))
    }
}

impl Watch<'_, '_> {
    /// The model of all members that were begun; which of them did not learn from each row.
    fn learned(mut self, held_out: Vec<Option<usize>>) -> Result<Learned> {
        // The place of each member among those that were begun.
        let mut begun = 0..;
        let places =
            self.networks.iter().map(|network| network.as_ref().and_then(|_| begun.next()));
        let places: Vec<Option<usize>> = places.collect();
        let held_out: Vec<_> = held_out.into_iter().map(|number| places[number?]).collect();
        let (members, fits): (Vec<_>, Vec<_>) = self.networks.into_iter().flatten().unzip();
        let summary = summary(&fits, self.state.seconds, held_out.len());
        let stopped = fits.iter().find(|fit| fit.termination == Termination::Stopped);
        let end = stopped.or(fits.last()).map_or(Termination::Stopped, |fit| fit.termination);
        self.checkpoint.conclude(end, || Ok(&self.state))?;
        let rule = Rule::Members(MemberRule { members: members.len(), held_out });
        Ok(Learned { encoder: AnyEncoder::Modern(ModernEncoder::new(members)), rule, summary })
    }
}

/// What the members have in common.
struct Common<'a> {
    settings: &'a Settings<'a>,
    /// The targets `[n, columns]`, and the weights of the rows.
    targets: (&'a [f64], usize, Option<&'a [f64]>),
    cuts: &'a [Split],
    x: &'a Tensor<2>,
    fit: &'a FitConfig,
    d_output: usize,
    device: &'a Device,
    dtype: DType,
}

impl Common<'_> {
    /// One member after the other; what is left of a time budget is divided among them.
    fn in_turn(&self, missing: &[usize], watch: &mut Watch<'_, '_>) -> Result<()> {
        for (at, &number) in missing.iter().enumerate() {
            let cut_off = watch.state.members[number].cut_off.clone();
            let left = self.fit.time_budget.map(|budget| {
                ((budget - watch.seconds()) / (missing.len() - at) as f64).max(f64::MIN_POSITIVE)
            });
            let run = self.member(number, (left, cut_off), &mut |step| watch.step(number, step))?;
            let stopped = run.1.termination == Termination::Stopped;
            watch.end(number, run)?;
            if stopped {
                break;
            }
        }
        Ok(())
    }

    /// All members on threads of their own; the callback stays on this one.
    fn side_by_side(&self, missing: &[usize], watch: &mut Watch<'_, '_>) -> Result<()> {
        let stop = AtomicBool::new(false);
        let (tell, told) = mpsc::channel::<(usize, Told)>();
        let begun: Vec<Begun> = missing
            .iter()
            .map(|&number| {
                let cut_off = watch.state.members[number].cut_off.clone();
                (number, cut_off, tell.clone())
            })
            .collect();
        drop(tell);
        let stop = &stop;
        let run = move |(number, cut_off, tell): &Begun| {
            let number = *number;
            let mut ask = |progress: &Progress| {
                let (answer, answered) = mpsc::sync_channel(1);
                let asked = tell.send((number, Told::Step(*progress, answer)));
                match asked.ok().and_then(|()| answered.recv().ok()) {
                    Some(flow) if !stop.load(Ordering::Relaxed) => flow,
                    _ => ControlFlow::Break(Termination::Stopped),
                }
            };
            let ended = self.member(number, (None, cut_off.clone()), &mut ask).map(Box::new);
            // An error says that the caller has given up.
            let _ = tell.send((number, Told::End(ended)));
        };
        std::thread::scope(|scope| {
            scope.spawn(move || side_by_side(&begun, run));
            let mut first_error = Ok(());
            for (number, told) in told {
                let result = match told {
                    Told::Step(progress, answer) => {
                        let flow = watch.step(number, &progress);
                        if flow == ControlFlow::Break(Termination::Stopped) {
                            stop.store(true, Ordering::Relaxed);
                        }
                        // A member that is gone has sent its end.
                        let _ = answer.send(flow);
                        Ok(())
                    }
                    Told::End(run) => run.and_then(|run| watch.end(number, *run)),
                };
                if result.is_err() {
                    stop.store(true, Ordering::Relaxed);
                    first_error = first_error.and(result);
                }
            }
            first_error
        })
    }

    /// A member at its random start.
    fn start(&self, number: usize) -> ModernMember {
        // Apart from the seeds of batches, which count from the same number.
        let seed = self.fit.seed ^ (0x6d6f_6400_0000_0000 + number as u64);
        let [_, d_input] = self.x.dims();
        self.settings.network.member(d_input, self.d_output, seed, self.device)
    }

    /// A member as a checkpoint has it.
    fn restored(&self, fit: &Fit) -> Result<ModernMember> {
        let member = prepare(self.start(0), self.dtype, self.device);
        load_record(member, fit.member.clone()).map_err(|error| {
            Error::data(format!(
                "the checkpoint holds no usable member ({error}); delete it to start again"
            ))
        })
    }

    /// Fits one member, in so many seconds if they are limited.
    fn member(
        &self,
        number: usize,
        (seconds, mut cut_off): (Option<f64>, FitState),
        watch: &mut OnProgress<'_>,
    ) -> Result<Run> {
        let Self { settings, targets: (values, columns, weights), x, device, .. } = *self;
        let rows = |rows: &[usize]| -> Vec<f64> {
            rows.iter().flat_map(|row| values[row * columns..][..columns].to_vec()).collect()
        };
        let select = |rows: &[usize]| {
            let rows: Vec<i64> = rows.iter().map(|row| *row as i64).collect();
            x.clone().select(0, Tensor::<1, Int>::from_data(&rows[..], device))
        };
        let tensor = |rows: Vec<f64>| {
            let shape = [rows.len() / columns, columns];
            let data = TensorData::new(rows, shape).convert_dtype(self.dtype);
            Tensor::<2>::from_data(data, (device, self.dtype))
        };
        let Split { train, test } = &self.cuts[number];
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
            let error =
                settings.loss.mean_error((queries, truth.clone()), (references, known.clone()));
            if error.is_finite() { -error } else { f64::NEG_INFINITY }
        };
        let config = FitConfig::new()
            .with_optimizer(OptimizerConfig::Adam((settings.batches)(train.len())))
            .with_early_stopping(Some(EarlyStoppingConfig::new().with_patience(settings.patience)))
            .with_time_budget(seconds)
            .with_penalty(Some(Penalty::Weights))
            .with_seed(self.fit.seed.wrapping_add(number as u64))
            .with_precision(self.fit.precision);
        let fit = GradientFit {
            encoder: self.start(number),
            objective: settings.loss.clone(),
            x: (&x).into(),
            target: &target,
            held_out: Some(&score),
            identity: &|| settings.identity.clone(),
        };
        let session = FitSession::new().with_progress(watch).with_state(&mut cut_off);
        let solution = fit.fit(self.d_output, &config, session)?;
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
        Ok((member, fit, cut_off))
    }
}

/// The rows that each member learns from and is stopped by: the cuts of a cross-validation, a fifth for a single member.
/// All members learn from classes of fewer rows than members.
fn cuts<D: TrainingData>(data: &D, members: usize, seed: u64) -> Result<Vec<Split>> {
    if members == 1 {
        return Ok(vec![data.split(0.2, seed)?]);
    }
    let (mut rows, mut small): (Vec<usize>, Vec<usize>) = ((0..data.units()).collect(), Vec::new());
    if let AnyData::Classes(labeled) = data.as_any_data() {
        let counts = labeled.class_counts();
        let most = counts.iter().max().copied().unwrap_or_default();
        if most < members {
            return Err(Error::setting(format!(
                "the largest class has {most} rows, and each of {members} members holds one out; give {most} \
                 members or fewer"
            )));
        }
        (rows, small) = rows.iter().partition(|&&row| counts[labeled.labels()[row]] >= members);
    }
    if small.is_empty() {
        return data.folds(members, seed);
    }
    let of_table = |part: Vec<usize>| part.into_iter().map(|row| rows[row]).collect::<Vec<_>>();
    let folds = data.part(&rows)?.folds(members, seed)?.into_iter();
    let cuts = folds.map(|Split { train, test }| {
        let mut train = of_table(train);
        train.extend(&small);
        train.sort_unstable();
        Split { train, test: of_table(test) }
    });
    Ok(cuts.collect())
}

/// The member that did not learn from each of so many rows; `None` for rows that all learned from.
fn held_out(cuts: &[Split], rows: usize) -> Vec<Option<usize>> {
    let mut held_out = vec![None; rows];
    for (number, Split { test, .. }) in cuts.iter().enumerate() {
        test.iter().for_each(|&row| held_out[row] = Some(number));
    }
    held_out
}

/// How the members were fitted, together.
fn summary(fits: &[Fit], seconds: f64, rows: usize) -> FitSummary {
    let ends = || fits.iter().map(|fit| fit.termination);
    let last = ends().next_back().expect("a member");
    let termination = ends().find(|end| !end.is_planned()).unwrap_or(last);
    let mut history: Vec<Progress> = Vec::new();
    for fit in fits {
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
        value: fits.iter().map(|fit| fit.value).sum::<f64>() / fits.len() as f64,
        gradient_max: history.last().map_or(f64::NAN, |progress| progress.gradient_max),
        termination,
        iterations: history.len(),
        evaluations: fits.iter().map(|fit| fit.evaluations).sum(),
        seconds,
        sums: None,
        history,
        rows,
        held_out_rows: 0,
        num_unmatched: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Features, Labeled};

    #[test]
    fn small_classes_are_held_out_of_no_member() {
        let features = Features::unnamed((0..23).map(f64::from).collect(), 1).unwrap();
        let labels = (0..23).map(|row| if row % 8 == 0 { 2 } else { row % 2 }).collect();
        let data = Labeled::from_labels(features, labels).unwrap();
        let cuts = cuts(&data, 5, 7).unwrap();
        let mut held_out: Vec<usize> = cuts.iter().flat_map(|cut| cut.test.clone()).collect();
        held_out.sort_unstable();
        let large: Vec<usize> = (0..23).filter(|row| row % 8 != 0).collect();
        assert_eq!(held_out, large);
        for Split { train, test } in cuts {
            assert!([0, 8, 16].iter().all(|row| train.contains(row)));
            assert_eq!(train.len() + test.len(), 23);
        }
        let error = super::cuts(&data.select(&[0, 1, 2, 8]), 5, 7).unwrap_err().to_string();
        assert!(error.contains("give 2 members or fewer"), "{error}");
        assert_eq!(super::cuts(&data.select(&[0, 1, 2, 3, 8]), 2, 7).unwrap().len(), 2);
    }
}
