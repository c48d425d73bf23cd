//! The search for settings before a fit: what is tried, progress, stopping and going on.

use std::ops::ControlFlow;

use anyhow::Result;
use burn::tensor::Device;
use burn_nca::data::Labelled;
use burn_nca::estimator::tune::{Search, SearchEnd, TuneConfig, TuneProgress, TuneSession};
use burn_nca::{Estimator, NcaConfig};
use burn_nca_program::{Bar, Interrupt, RunFolder};

use super::run_folder::TRIALS;
use crate::cli::FitArgs;
use crate::failure::usage;
use crate::process;
use crate::report::Tuning;

/// What stands beside the bar of fits.
const BAR: &str = "{bar:24} {pos}/{len} fits  {msg}  {elapsed} spent, about {eta} left";

/// The configuration to fit with, and the search that chose it; as given where no search is asked for.
///
/// # Errors
/// Data or settings that a search refuses, or a search that was interrupted.
pub fn settle(
    args: &FitArgs,
    config: Estimator,
    (train, device): (&Labelled, &Device),
    (folder, interrupt): (Option<&RunFolder>, &Interrupt),
) -> Result<(Estimator, Option<Tuning>)> {
    if !args.tuning.tune {
        return Ok((config, None));
    }
    let Some(config) = NcaConfig::of(&config) else {
        return Err(usage(format!(
            "--tune chooses the settings of nca, and the method is {}; leave it out",
            config.method.info().name
        )));
    };
    let bar = Bar::new(BAR, args.quiet);
    let mut watch = |progress: &TuneProgress<'_>| {
        show(&bar, progress);
        if interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut session = TuneSession::new().with_progress(&mut watch);
    if let Some(folder) = folder {
        session = session.with_file(&folder.file(TRIALS));
    }
    let search = config.search(&settings(args, &config), train, device, session);
    bar.finish();
    let search = search?;
    match search.config(&config).filter(|_| search.end != SearchEnd::Stopped) {
        Some(config) => Ok((config.estimator().into_any(), Some(Tuning::of(&search)))),
        None => Err(interrupt.error(interrupted(&search, folder.is_some()))),
    }
}

/// What is tried: all that the user did not fix.
fn settings(args: &FitArgs, config: &NcaConfig) -> TuneConfig {
    let mut tune = TuneConfig::new().with_budget(args.tuning.budget);
    tune.folds = args.tuning.folds.unwrap_or(tune.folds);
    tune.repeats = args.tuning.repeats.unwrap_or(tune.repeats);
    tune.dimensions = args.tuning.tune_dim.clone();
    if args.model.objective.is_some() {
        tune.criteria = vec![config.criterion];
    }
    if args.model.l2.is_some() {
        tune.l2 = vec![config.fit.l2];
    }
    if args.model.init.is_some() {
        tune.starts = Some(vec![config.fit.start.clone()]);
    }
    tune
}

fn interrupted(search: &Search, resumable: bool) -> String {
    let (done, all) = (search.trials.len(), search.candidates);
    if done == 0 {
        return "interrupted before the first candidate was finished; there is nothing to go on with"
            .to_string();
    }
    if resumable {
        let again = process::command_line();
        return format!(
            "interrupted after {done} of {all} candidates; go on with: {again} --resume"
        );
    }
    format!("interrupted after {done} of {all} candidates; nothing is kept without --out")
}

fn show(bar: &Bar, progress: &TuneProgress<'_>) {
    bar.set_length(progress.candidates * progress.folds);
    let fits = progress.finished * progress.folds + progress.folds_finished;
    bar.step(fits, message(progress));
}

fn message(progress: &TuneProgress<'_>) -> String {
    let best = progress
        .best
        .map(|best| format!("; best so far {:.1} % right", 100.0 * best.accuracy))
        .unwrap_or_default();
    format!("{}{best}", progress.candidate)
}

#[cfg(test)]
mod tests {
    use burn_nca::data::{AnyData, Features, Task};
    use burn_nca::fit::Start;
    use burn_nca::objective::Criterion;
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};
    use crate::fitting::method::chosen;
    use crate::fitting::settings::configuration;

    fn tried(options: &str) -> TuneConfig {
        let words = ["nca", "fit", "iris", "--tune"].into_iter().chain(options.split_whitespace());
        let Command::Fit(args) = Cli::try_parse_from(words).unwrap().command else {
            unreachable!()
        };
        let train = Features::unnamed(vec![0.0; 4], 2).unwrap();
        let method = chosen(&args, Task::Classes).unwrap();
        let config = configuration(&args, method, AnyData::Unlabelled(&train), None).unwrap();
        settings(&args, &NcaConfig::of(&config).unwrap())
    }

    #[test]
    fn what_the_user_gives_is_not_searched() {
        let all = tried("");
        assert!(all.criteria.len() > 1 && all.l2.len() > 1 && all.starts.is_none());
        let fixed = tried(
            "--objective f --l2 0.5 --init pca --folds 3 --repeats 4 --budget 7 --tune-dim 1,2",
        );
        assert_eq!((fixed.criteria, fixed.l2), (vec![Criterion::F], vec![0.5]));
        assert_eq!((fixed.starts, fixed.dimensions), (Some(vec![Start::Pca]), Some(vec![1, 2])));
        assert_eq!((fixed.folds, fixed.repeats, fixed.budget), (3, 4, Some(7.0)));
    }

    #[test]
    fn options_of_the_search_need_it_and_warm_starts_exclude_it() {
        for options in [
            "--budget 3",
            "--folds 3",
            "--tune --folds 1",
            "--tune --repeats 0",
            "--tune --warm-start m",
            "--tune --early-stopping",
            "--tune --budget 0",
            "--tune --dim 2 --tune-dim 2,3",
        ] {
            let words = ["nca", "fit", "iris"].into_iter().chain(options.split_whitespace());
            assert!(Cli::try_parse_from(words).is_err(), "{options}");
        }
    }
}
