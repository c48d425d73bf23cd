//! The search for settings before a fit: its time, its progress, and how it stops and resumes.

use std::collections::HashSet;
use std::ops::ControlFlow;

use anyhow::{Result, bail};
use burn::tensor::Device;
use burn_nca_learn::Estimator;
use burn_nca_learn::data::AnyData;
use burn_nca_learn::estimator::tune::{Search, SearchEnd, TuneConfig, TuneProgress, TuneSession};
use burn_nca_program::{Bar, RunFolder};

use super::candidates;
use super::rows::FitData;
use super::run_folder::{self, CHECKPOINT, TRIALS};
use super::stages::Stages;
use super::warnings::groups;
use crate::cli::FitArgs;
use crate::failure::hinted;
use crate::output::warning;
use burn_nca_report::{ComparedBy, Tuning, Warning, WarningCode};

const BAR: &str = "{bar:24} {pos}/{len} fits  {msg}  {elapsed} elapsed, about {eta} left";

/// The configuration to fit with, and the search that chose it; as given where nothing is compared.
pub fn choose<D: FitData>(
    args: &FitArgs,
    config: Estimator,
    (train, device): (&D, &Device),
    (folder, stages): (Option<&RunFolder>, &Stages),
) -> Result<(Estimator, Option<Tuning>, Option<Warning>)> {
    let Some(mut tune) = candidates::asked_for(args, &config, train.as_any_data())? else {
        return Ok((config, None, None));
    };
    let few_groups = fit_folds_to_groups(args, &mut tune, train.as_any_data())?;
    // Once the fit of the winner has begun, more trials could choose another.
    let is_over =
        folder.is_some_and(|run| [CHECKPOINT, TRIALS].iter().all(|name| run.file(name).exists()));
    tune.budget = budget(tune.budget, stages.time.left(), is_over);
    stages.begin("comparing settings");
    let (bar, interrupt) = (Bar::new(BAR, args.quiet), &stages.interrupt);
    let mut begun = false;
    let mut watch = |progress: &TuneProgress<'_>| {
        if progress.finished > 0 && !begun {
            bar.line(&resumed(progress.finished, progress.candidates));
            bar.resume(progress.finished * progress.folds);
        }
        begun = true;
        bar.set_length(progress.candidates * progress.folds);
        let best = progress.best.map_or(String::new(), |best| match D::MEASURE {
            ComparedBy::Accuracy => {
                format!("; best accuracy so far {:.1} %", 100.0 * best.accuracy)
            }
            ComparedBy::R2 => format!("; best R² so far {:.3}", best.accuracy),
            ComparedBy::LogProbability => format!("; best ln p so far {:.3}", best.accuracy),
        });
        let fits = progress.finished * progress.folds + progress.folds_finished;
        bar.step(fits, format!("{}{best}", progress.candidate));
        if interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut session = TuneSession::new().with_progress(&mut watch);
    if let Some(folder) = folder {
        session = session.with_file(&folder.file(TRIALS));
    }
    let search = config.search(&tune, train, device, session);
    bar.finish();
    let search = match search {
        // What a group holds may leave too little in a fold; the default settings need no comparison.
        Err(error) if groups(train.as_any_data()).is_some() && !args.tuning.tune => {
            let text = format!(
                "the default settings are used, because the groups leave nothing to compare by: {error}"
            );
            return Ok((config, None, Some(Warning::new(WarningCode::FewGroups, text))));
        }
        search => search?,
    };
    match search.estimator(&config).filter(|_| search.end != SearchEnd::Stopped) {
        Some(chosen) => {
            let what = (&config.method, D::MEASURE);
            let tuning = Tuning::of(&search, what, (tune.neighbors, args.tuning.tune));
            Ok((chosen, Some(tuning), few_groups))
        }
        None => Err(interrupt.error(interrupted(&search, folder.is_some()))),
    }
}

/// Cuts no more folds than there are groups: whole groups are held out.
fn fit_folds_to_groups(
    args: &FitArgs,
    tune: &mut TuneConfig,
    train: AnyData<'_>,
) -> Result<Option<Warning>> {
    let Some(groups) = groups(train) else { return Ok(None) };
    let groups = groups.iter().collect::<HashSet<_>>().len();
    if let Some(folds) = args.tuning.folds.filter(|folds| *folds > groups) {
        bail!(hinted(
            format!(
                "--folds {folds} holds out whole groups, and the training rows are of {groups}"
            ),
            format!("give --folds {groups} or fewer")
        ));
    }
    if groups >= tune.folds {
        return Ok(None);
    }
    tune.folds = groups;
    Ok(Some(warning!(
        FewGroups,
        "settings are compared in {groups} folds, one for each group of the training rows: the comparison is coarse"
    )))
}

/// Seconds of a search: its own, and no more than half of what is left of the command's, for the fit comes after it; next
/// to none for one that an earlier run has ended.
fn budget(own: Option<f64>, left: Option<f64>, is_over: bool) -> Option<f64> {
    let half = left.map(|left| left / 2.0);
    let least = own.into_iter().chain(half).chain(is_over.then_some(0.0)).reduce(f64::min);
    least.map(|seconds| seconds.max(f64::MIN_POSITIVE))
}

/// `resuming search at candidate 4 of 12`
fn resumed(done: usize, all: usize) -> String {
    if done < all {
        format!("resuming search at candidate {} of {all}", done + 1)
    } else {
        format!("all {all} candidates of the search are finished")
    }
}

fn interrupted(search: &Search, resumable: bool) -> String {
    let (done, all) = (search.trials.len(), search.candidates);
    if done == 0 {
        return "interrupted before the first candidate was finished; nothing to resume"
            .to_string();
    }
    run_folder::interrupted(&format!("{done} of {all} candidates"), resumable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_leaves_half_of_the_time_to_the_fit_and_is_not_begun_again_after_it() {
        assert_eq!(budget(None, None, false), None);
        assert_eq!(budget(Some(10.0), Some(4.0), false), Some(2.0));
        assert_eq!(budget(Some(1.0), Some(4.0), false), Some(1.0));
        for over in [budget(None, Some(0.0), false), budget(Some(9.0), None, true)] {
            assert_eq!(over, Some(f64::MIN_POSITIVE), "a search refuses 0");
        }
    }
}
