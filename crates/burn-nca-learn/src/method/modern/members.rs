//! The members of modern NCA: each a fit by mini-batches, stopped by the rows of its own cut.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender, SyncSender};

use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};
use burn_nca::internal::{Checkpoint, FitKey, load_record};

use super::cuts::{cuts, held_out};
use super::watch::{Fit, Run, State, Watch};
use crate::data::{Features, Split, TrainingData};
use crate::device::runs_on_host;
use crate::encoder::{Encoder, ModernConfig, ModernMember};
use crate::error::{Error, Result};
use crate::fit::{
    EarlyStoppingConfig, Fingerprint, FitConfig, FitIdentity, FitSession, FitState, Inputs,
    OnProgress, OptimizerConfig, Penalty, Progress, StochasticConfig, Termination,
};
use crate::method::gradient::{GradientFit, prepare};
use crate::method::{Learned, Problem};
use crate::objective::transfer::float_tensor;
use crate::objective::{ModernNcaLoss, TargetIndex};
use crate::side_by_side::side_by_side;

/// What both methods learn by.
pub(super) struct Settings<'a> {
    /// Of as many members as were asked for, or 0.
    pub network: ModernConfig,
    pub batches: &'a (dyn Fn(usize) -> StochasticConfig + Sync),
    pub patience: usize,
    pub loss: ModernNcaLoss,
    pub identity: FitIdentity,
}

/// What a member that is fitted with others tells the thread of the caller.
enum Told {
    /// It took a step, and waits for the answer.
    Step(Progress, SyncSender<ControlFlow<Termination>>),
    /// It ended.
    End(Result<Box<Run>>),
}

/// A member to be fitted, what it continues from, and where it tells of itself.
type Begun = (usize, FitState, Sender<(usize, Told)>);

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
        let data = problem.data;
        let cuts = cuts(data, self.network.members, problem.fit.seed)?;
        let state = State::of(&mut checkpoint, cuts.len())?;
        let (factors, two_valued) = two_valued(data.features());
        let size = [data.features().columns()];
        let factors = float_tensor(factors, size, &problem.device, problem.dtype);
        let common = Common {
            settings: self,
            targets: (&values, columns, weights),
            cuts: &cuts,
            x: &(problem.tensor(data) * factors.clone().unsqueeze()),
            two_valued: &two_valued,
            factors: &factors,
            fit: problem.fit,
            d_output: problem.d_output,
            device: &problem.device,
            dtype: problem.dtype,
        };
        let begun = (state, checkpoint, session.on_progress.take());
        let mut watch = Watch::of(begun, |number, fit| common.restored(number, fit))?;
        let missing = watch.missing();
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

/// What each feature is multiplied by, so that the two values of one that has no others are 1 apart, and those features with
/// the values that they then have; none of these where all are, for a member embeds one at least.
///
/// Indicators of rare levels would be far from 0 by their standard deviation. Values that f32 does not tell apart are one.
fn two_valued(features: &Features) -> (Vec<f64>, Vec<(usize, [f64; 2])>) {
    let of = |feature: usize| {
        let (low, mut high) = (features.value(0, feature), None);
        let is_known = |value: f64| value == low || value == *high.get_or_insert(value);
        let mut others = (1..features.rows()).map(|row| features.value(row, feature));
        let is_two_valued = others.all(is_known);
        // Of one value the other may be any.
        let high = high.unwrap_or(low + low.abs().max(1.0));
        (is_two_valued && low as f32 != high as f32).then_some((feature, [low, high]))
    };
    let mut factors = vec![1.0; features.columns()];
    let mut found: Vec<_> = (0..features.columns()).filter_map(of).collect();
    for (feature, values) in &mut found {
        let factor = 1.0 / (values[1] - values[0]).abs();
        factors[*feature] = factor;
        values.iter_mut().for_each(|value| *value *= factor);
    }
    let are_all = found.len() == features.columns();
    (factors, if are_all { Vec::new() } else { found })
}

/// What the members have in common.
struct Common<'a> {
    settings: &'a Settings<'a>,
    /// The targets `[n, columns]`, and the weights of the rows.
    targets: (&'a [f64], usize, Option<&'a [f64]>),
    cuts: &'a [Split],
    x: &'a Tensor<2>,
    two_valued: &'a [(usize, [f64; 2])],
    /// What the features are multiplied by, in x already.
    factors: &'a Tensor<1>,
    fit: &'a FitConfig,
    d_output: usize,
    device: &'a Device,
    dtype: DType,
}

impl Common<'_> {
    /// One member after the other; what is left of a time budget is divided among them.
    fn in_turn(&self, missing: &[usize], watch: &mut Watch<'_, '_>) -> Result<()> {
        for (at, &number) in missing.iter().enumerate() {
            let cut_off = watch.cut_off(number);
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
        let stop = &AtomicBool::new(false);
        let (tell, told) = mpsc::channel::<(usize, Told)>();
        let begin = |&number: &usize| (number, watch.cut_off(number), tell.clone());
        let begun: Vec<Begun> = missing.iter().map(begin).collect();
        drop(tell);
        let run = move |&(number, ref cut_off, ref tell): &Begun| {
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
        self.settings.network.member(number, [d_input, self.d_output], seed, self.device)
    }

    /// A member as a checkpoint has it.
    fn restored(&self, number: usize, fit: &Fit) -> Result<ModernMember> {
        let member = prepare(self.start(number), self.dtype, self.device);
        load_record(member, fit.member.clone()).map_err(|error| {
            Error::data(format!(
                "the checkpoint holds no usable member ({error}); delete it to start again"
            ))
        })
    }

    /// How a member is fitted to so many rows.
    fn config(&self, number: usize, rows: usize, seconds: Option<f64>) -> FitConfig {
        let stop = EarlyStoppingConfig::new().with_patience(self.settings.patience);
        FitConfig::new()
            .with_optimizer(OptimizerConfig::Adam((self.settings.batches)(rows)))
            .with_early_stopping(Some(stop))
            .with_time_budget(seconds)
            .with_penalty(Some(Penalty::Weights))
            .with_seed(self.fit.seed.wrapping_add(number as u64))
            .with_precision(self.fit.precision)
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
        let tensor = |rows: Vec<f64>| {
            let shape = [rows.len() / columns, columns];
            float_tensor(rows, shape, device, self.dtype)
        };
        let Split { train, test } = &self.cuts[number];
        let mut target = TargetIndex::new(&rows(train), columns, device)?;
        if let Some(weights) = weights {
            let weights: Vec<f64> = train.iter().map(|row| weights[*row]).collect();
            target = target.with_weights(&weights)?;
        }
        let [x, held_out] = [train, test].map(|rows| Inputs::Tensor(x).rows(rows));
        let [known, truth] = [tensor(rows(train)), tensor(rows(test))];
        let score = |member: &ModernMember| {
            let [references, queries] = [&x, &held_out].map(|x| member.forward(x.clone()));
            let error =
                settings.loss.mean_error((queries, truth.clone()), (references, known.clone()));
            if error.is_finite() { -error } else { f64::NEG_INFINITY }
        };
        let fit = GradientFit {
            encoder: self.start(number).with_two_valued(self.two_valued.to_vec()),
            objective: settings.loss.clone(),
            x: (&x).into(),
            target: &target,
            held_out: Some(&score),
            identity: &|| settings.identity.clone(),
        };
        let session = FitSession::new().with_progress(watch).with_state(&mut cut_off);
        let solution =
            fit.fit(self.d_output, &self.config(number, train.len(), seconds), session)?;
        let member = solution.module.encoder.with_two_valued(Vec::new());
        let member = member.of_unscaled(self.factors.clone());
        let record = member.clone().into_record().into_bytes().map_err(|error| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_two_values_are_found_unless_f32_or_no_other_is_left_and_made_1_wide() {
        let found = |values: &[f64], columns: usize| {
            two_valued(&Features::unnamed(values.to_vec(), columns).unwrap())
        };
        let rows = [[4.0, 0.1, 5.0, 1e9], [0.0, 0.2, 5.0, 1e9 + 1.0], [0.0, 0.3, 5.0, 1e9]];
        let (factors, twos) = found(rows.as_flattened(), 4);
        assert_eq!(twos, [(0, [1.0, 0.0]), (2, [1.0, 2.0])]);
        assert_eq!(factors, [0.25, 1.0, 0.2, 1.0]);
        assert_eq!(found(&[0.0, 2.0, 0.0], 1), (vec![0.5], Vec::new()));
    }
}
