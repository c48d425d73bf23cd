//! The search itself: candidates in order, each on all folds, until a budget or the caller ends it.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use web_time::Instant;

use burn::tensor::Device;

use super::candidate::members;
use super::default_candidates::network_seconds;
use super::fold::{Fold, FoldScores};
use super::session::{Finished, OnTuneProgress, load_trials, save_trials};
use super::{Candidate, Choice, Search, SearchEnd, Trial, TuneConfig, TuneProgress, TuneSession};
use crate::data::{AnyData, TrainingData};
use crate::error::Result;
use crate::estimator::Estimator;
use crate::estimator::estimate::counting;
use crate::fit::{self, FitIdentity, Progress, Termination};
use crate::method::gradient::resolve_device;
use crate::side_by_side::{in_pool, side_by_side};

/// Folds and members by which a method of several members is compared, the most that [`PRODUCTS`] allow.
const SHARES: [[usize; 2]; 4] = [[5, 5], [5, 3], [3, 3], [2, 3]];

/// The fewest folds that candidates are compared on: costly ones, and what the budget cuts.
const FEWEST_FOLDS: usize = 2;

/// The squared rows of all fits of such a candidate together for each second of the budget; they take about half of it.
const PRODUCTS: f64 = 350_000.0;

/// The seconds by which they are counted where there is no budget.
const SECONDS: f64 = 10.0;

struct Running<'a, 's, D> {
    config: &'a Estimator,
    tune: &'a TuneConfig,
    folds: Vec<Fold<D>>,
    /// Rows that are compared on.
    rows: usize,
    candidates: Vec<Candidate>,
    started: Instant,
    /// Seconds of earlier runs.
    earlier: f64,
    on_progress: Mutex<Option<&'s mut OnTuneProgress<'s>>>,
    /// The caller asked to stop.
    stopped: AtomicBool,
}

/// Tries the candidates in order.
pub(super) fn run<D: TrainingData>(
    config: &Estimator,
    tune: &TuneConfig,
    (data, device): (&D, &Device),
    session: TuneSession<'_>,
) -> Result<Search> {
    let counting = counting(data)?;
    let data = counting.as_ref().unwrap_or(data);
    config.check(data, false)?;
    tune.check(config)?;
    for &k in tune.dimensions.as_deref().unwrap_or(&[config.d_output]) {
        resolve_device(&config.fit, device, k)?;
    }
    let file = session.file.map(|path| (path, identity(config, tune, data.as_any_data())));
    let known = match &file {
        Some((path, name)) => load_trials(path, name)?,
        None => Finished::default(),
    };
    let mut running = Running {
        config,
        tune,
        folds: Vec::new(),
        rows: 0,
        candidates: tune.candidates(config, data.as_any_data()),
        started: Instant::now(),
        earlier: known.seconds,
        on_progress: Mutex::new(session.on_progress),
        stopped: AtomicBool::new(false),
    };
    let compared = compared(tune, data, config.fit.seed)?;
    running.rows = compared.units();
    running.folds = running.folds(&compared, device, &known.trials)?;
    let running = running;
    let keep = |trials: &[Trial]| match &file {
        Some((path, name)) => {
            let finished = Finished { trials: trials.to_vec(), seconds: running.seconds() };
            save_trials(path, name, &finished)
        }
        None => Ok(()),
    };
    let (trials, left_out, end) = running.try_all(&known.trials, keep)?;
    Ok(Search {
        choice: Choice::of(&trials),
        first: running.first().clone(),
        candidates: trials.len() + left_out.len(),
        left_out: left_out.to_vec(),
        end,
        folds: running.fits(),
        rows: data.units(),
        seconds: running.seconds(),
        trials,
    })
}

impl<D: TrainingData> Running<'_, '_, D> {
    /// The first candidate with steps, or the first.
    fn first(&self) -> &Candidate {
        let with_steps = self.candidates.iter().find(|candidate| !candidate.is_closed());
        with_steps.unwrap_or(&self.candidates[0])
    }

    fn fits(&self) -> usize {
        self.tune.folds * self.tune.repeats
    }

    /// The folds of all repeats; fewer where the budget or the caller ends the search before they are cut, which is
    /// asked before each.
    fn folds(&self, data: &D, device: &Device, known: &[Trial]) -> Result<Vec<Fold<D>>> {
        let (config, tune) = (self.config, self.tune);
        tune.check_folds(data.features())?;
        let is_known =
            |candidate: &&Candidate| known.iter().any(|one| one.candidate == **candidate);
        let finished = self.candidates.iter().filter(is_known).count();
        let candidate = self.candidates.iter().find(|candidate| !is_known(candidate));
        let candidate = candidate.unwrap_or(&self.candidates[0]);
        let step = self.progress(candidate, finished, None);
        let mut folds = Vec::with_capacity(self.fits());
        for repeat in 0..tune.repeats {
            let seed = config.fit.seed.wrapping_add(repeat as u64);
            for split in data.folds(tune.folds, seed)? {
                if !self.continues(&step, 0) {
                    return Ok(folds);
                }
                folds.push(Fold::new(&split, data, config, (device, tune.neighbors))?);
            }
        }
        Ok(folds)
    }

    /// The trials of all candidates that the budget and the caller allow, and those left out by them; known trials are taken
    /// as they are; `keep` is given the finished ones after each, and where the budget ends the search.
    fn try_all(
        &self,
        known: &[Trial],
        keep: impl Fn(&[Trial]) -> Result<()>,
    ) -> Result<(Vec<Trial>, &[Candidate], SearchEnd)> {
        let mut trials: Vec<Trial> = Vec::with_capacity(self.candidates.len());
        for (at, candidate) in self.candidates.iter().enumerate() {
            if let Some(trial) = known.iter().find(|trial| trial.candidate == *candidate) {
                trials.push(trial.clone());
                continue;
            }
            let tried = self.trial(candidate, &trials);
            // Some settings do not go with every table: more neighbors than a class has rows.
            if let (Err(error), true) = (&tried, candidate.settings != self.first().settings) {
                log::info!("left out, {error}: {candidate:?}");
                continue;
            }
            let Some(trial) = tried? else {
                let left_out = &self.candidates[at..];
                if self.stopped.load(Ordering::Relaxed) {
                    return Ok((trials, left_out, SearchEnd::Stopped));
                }
                // A search that continues from here must end here too: the fit of its winner may be under way.
                keep(&trials)?;
                return Ok((trials, left_out, SearchEnd::Budget));
            };
            trials.push(trial);
            keep(&trials)?;
        }
        Ok((trials, &[], SearchEnd::AllTried))
    }

    /// Seconds of the search, those of earlier runs included.
    fn seconds(&self) -> f64 {
        self.earlier + self.started.elapsed().as_secs_f64()
    }

    /// One fit a fold, in parallel; `None` where the search ended before enough of them did.
    ///
    /// Costly fits are compared on the first folds, as far as seconds allow, and a method of several members by some of
    /// them: of a fit that is a mean of several, one alone says too little.
    fn trial(&self, candidate: &Candidate, trials: &[Trial]) -> Result<Option<Trial>> {
        let rows = self.rows - self.rows / self.tune.folds;
        let mut config = candidate.configure(self.config, rows);
        config.fit.time_budget = None;
        let seconds = self.tune.budget.unwrap_or(SECONDS);
        let affordable = if let Some(layers) = &candidate.network {
            Some((seconds / network_seconds(layers, config.d_input, rows)) as usize)
        } else if let Some(asked) = members(&config.method) {
            let products = seconds * PRODUCTS / (self.rows as f64).powi(2);
            let affordable = |[folds, members]: &&[usize; 2]| (folds * members) as f64 <= products;
            let [folds, most] =
                SHARES.iter().find(affordable).copied().unwrap_or([FEWEST_FOLDS, 2]);
            let compared = if asked == 0 { most } else { asked.min(most) };
            if let Ok(method) = config.method.with_setting("members", &compared.to_string()) {
                config.method = method;
            }
            Some(folds)
        } else {
            None
        };
        let all = self.folds.len();
        let most = affordable.map(|folds| folds.max(FEWEST_FOLDS).min(self.tune.folds).min(all));
        let folds = &self.folds[..most.unwrap_or(all)];
        // Some folds may not have been cut then.
        if self.is_over() {
            return Ok(None);
        }
        let step_grid = self.tune.step_grid(&config);
        let best = Choice::of(trials);
        let progress = self.progress(candidate, trials.len(), best.as_ref());
        let (finished, cut) = (AtomicUsize::new(0), AtomicBool::new(false));
        let started = Instant::now();
        // Asked before every fit, every evaluation and after every step: what is cut is not compared.
        let ends = || {
            let ends = self.is_over() || cut.load(Ordering::Relaxed);
            cut.fetch_or(ends, Ordering::Relaxed);
            ends
        };
        let score = |fold: &Fold<D>| {
            if !self.continues(&progress, finished.load(Ordering::Relaxed)) || ends() {
                cut.store(true, Ordering::Relaxed);
                return Ok(None);
            }
            let mut watch = |_: &Progress| {
                if self.continues(&progress, finished.load(Ordering::Relaxed)) {
                    return ControlFlow::Continue(());
                }
                cut.store(true, Ordering::Relaxed);
                ControlFlow::Break(Termination::Stopped)
            };
            let scores = fold.score(&config, &step_grid, &mut watch, &ends);
            finished.fetch_add(1, Ordering::Relaxed);
            scores.map(Some)
        };
        // In their order: the first are compared where the budget ends the others. Folds that draw from the generator of the
        // device would wait for each other in the pool.
        let scores = match affordable.is_some() {
            true => side_by_side(folds, score),
            false => in_pool(folds, score),
        };
        let folds: Vec<Option<FoldScores>> = scores.into_iter().collect::<Result<_>>()?;
        let was_cut = cut.load(Ordering::Relaxed);
        let is_complete = |fold: &FoldScores| fold.termination != Termination::Stopped;
        let folds: Vec<FoldScores> =
            folds.into_iter().map_while(|fold| fold.filter(is_complete)).collect();
        let is_partial = folds.len() >= FEWEST_FOLDS && !self.stopped.load(Ordering::Relaxed);
        if was_cut && !is_partial {
            return Ok(None);
        }
        let seconds = started.elapsed().as_secs_f64();
        log::info!("cross-validated in {seconds:.2} s: {candidate:?}");
        Ok(Some(Trial::new(candidate.clone(), &step_grid, &folds, seconds)))
    }

    /// The state of the search before the first fold of a candidate.
    fn progress<'p>(
        &self,
        candidate: &'p Candidate,
        finished: usize,
        best: Option<&'p Choice>,
    ) -> TuneProgress<'p> {
        let (candidates, folds) = (self.candidates.len(), self.fits());
        TuneProgress {
            finished,
            candidates,
            candidate,
            folds_finished: 0,
            folds,
            best,
            seconds: 0.0,
        }
    }

    /// Calls the callback, and asks whether to continue.
    fn continues(&self, progress: &TuneProgress<'_>, folds_finished: usize) -> bool {
        let seconds = self.seconds();
        let mut on_progress =
            self.on_progress.lock().expect("a callback that panicked has ended the search");
        if let Some(callback) = on_progress.as_mut()
            && callback(&TuneProgress { folds_finished, seconds, ..*progress }).is_break()
        {
            self.stopped.store(true, Ordering::Relaxed);
        }
        !self.is_over()
    }

    /// Whether the budget is used up, or the caller asked to stop.
    fn is_over(&self) -> bool {
        let spent = self.tune.budget.is_some_and(|budget| self.seconds() >= budget);
        spent || self.stopped.load(Ordering::Relaxed)
    }
}

/// The rows to compare on: those of classes that folds can be cut of, and no more than were asked for.
fn compared<D: TrainingData>(tune: &TuneConfig, data: &D, seed: u64) -> Result<D> {
    let mut rows: Vec<usize> = (0..data.units()).collect();
    if let (true, AnyData::Classes(labeled)) = (tune.leave_out_small_classes, data.as_any_data()) {
        let counts = labeled.class_counts();
        rows.retain(|row| counts[labeled.labels()[*row]] >= tune.folds);
    }
    let data = data.part(&rows)?;
    let Some(most) = tune.most_rows.filter(|most| *most < rows.len()) else {
        return Ok(data);
    };
    let sample = data.split(most as f64 / rows.len() as f64, seed)?;
    let sample = data.part(&sample.test)?;
    // A small class may have lost too many rows to the sample.
    let few = tune.clone().with_most_rows(None);
    compared(&few, &sample, seed)
}

/// Distinguishes this search from others by all that its trials depend on. Candidates and budgets are not among it, so
/// that a search may be resumed with more of either.
fn identity(config: &Estimator, tune: &TuneConfig, data: AnyData<'_>) -> FitIdentity {
    let mut config = config.clone();
    config.fit.time_budget = None;
    let TuneConfig { folds, repeats, steps, neighbors, most_rows, .. } = tune;
    let rows = (folds, repeats, steps, neighbors, most_rows);
    fit::identity(data, &(config.card(), rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Features, Labeled};
    use crate::device;
    use crate::method::Nca;

    #[test]
    fn a_stop_is_asked_for_before_the_first_fold_is_cut() {
        let features = Features::unnamed((0..40).map(|at| f64::from(at % 7)).collect(), 2).unwrap();
        let data = Labeled::from_labels(features, (0..20).map(|row| row % 2).collect()).unwrap();
        let mut asked = Vec::new();
        let mut stop = |progress: &TuneProgress<'_>| {
            asked.push((progress.finished, progress.folds_finished, progress.folds));
            ControlFlow::Break(())
        };
        let session = TuneSession::new().with_progress(&mut stop);
        let (estimator, host) = (Estimator::new(2, 1, Nca::new()), device::host().unwrap());
        let search = estimator.search(&TuneConfig::new(), &data, &host, session).unwrap();
        assert_eq!((search.end, search.trials.len(), search.folds), (SearchEnd::Stopped, 0, 10));
        assert_eq!(asked, [(0, 0, 10)]);
    }
}
