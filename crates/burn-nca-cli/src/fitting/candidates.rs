//! What a search for settings tries: all that `--tune` leaves open, or the default candidates.

use anyhow::{Result, bail};
use burn_nca_learn::data::AnyData;
use burn_nca_learn::estimator::tune::TuneConfig;
use burn_nca_learn::fit::OptimizerConfig;
use burn_nca_learn::method::AnyMethod;
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Estimator, NcaConfig};

use crate::cli::{FitArgs, NeighborCount};
use crate::failure::hinted;

/// What is searched: what `--tune` asks for, else the default candidates, if any.
///
/// # Errors
/// A budget for a search that is not made.
pub fn asked_for(
    args: &FitArgs,
    config: &Estimator,
    train: AnyData<'_>,
) -> Result<Option<TuneConfig>> {
    if args.tuning.tune {
        return Ok(Some(settings(args, config, train)));
    }
    let tune = default_candidates(args, config, train);
    if tune.is_none() && args.tuning.budget.is_some() {
        bail!(hinted(
            "--budget is for a comparison of settings, and none is made of these data",
            "leave --budget out"
        ));
    }
    Ok(tune)
}

/// Whether an option says how to fit: nothing is compared then, unless it is asked for.
pub fn says_how_to_fit(args: &FitArgs) -> bool {
    let (model, optimizer) = (&args.model, &args.optimizer);
    args.tuning.no_tune
        || args.method.method.is_some()
        || !args.method.set.is_empty()
        || model.objective.is_some()
        || model.l2.is_some()
        || model.penalty.is_some()
        || model.init.is_some()
        || model.start_perplexity.is_some()
        || model.warm_start.is_some()
        || model.repulsion > 0.0
        || optimizer.max_iterations.is_some()
        || optimizer.early_stopping.is_some()
        || args.columns.unlabeled.is_some()
}

/// The candidates to compare where no option says how to fit.
fn default_candidates(
    args: &FitArgs,
    config: &Estimator,
    train: AnyData<'_>,
) -> Option<TuneConfig> {
    if says_how_to_fit(args) || !matches!(config.fit.optimizer, OptimizerConfig::Lbfgs(_)) {
        return None;
    }
    let mut tune = match train {
        AnyData::Classes(train) => {
            let config = NcaConfig::of(config)?;
            TuneConfig::default_candidates(&config, train, args.dim.is_none())?
        }
        AnyData::Numbers(train) => {
            TuneConfig::default_candidates_for_numbers(config, train, args.dim.is_none())?
        }
        AnyData::Pairs(_) | AnyData::Unlabeled(_) => return None,
    };
    if let Some(NeighborCount::Given(k)) = args.neighbors {
        tune.neighbors = k;
    }
    tune.budget = args.tuning.budget.or(tune.budget);
    let own_rule = args.rule.is_none() && args.neighbors.is_none();
    let network = args.model.encoder.is_none() && args.optimizer.optimizer.is_none();
    if let Some(candidates) = &mut tune.candidates {
        candidates
            .retain(|one| (own_rule || one.method.is_none()) && (network || one.network.is_none()));
    }
    Some(tune)
}

/// The candidates of `--tune`: all settings that the user did not fix.
fn settings(args: &FitArgs, config: &Estimator, train: AnyData<'_>) -> TuneConfig {
    let mut tune = TuneConfig::new().with_budget(args.tuning.budget);
    let criterion = criterion(config);
    if NcaConfig::of(config).is_none() {
        // The default settings of other methods come first.
        put_first(&mut tune.start_perplexities, config.fit.start_perplexity);
        if let Some(criterion) = criterion {
            put_first(&mut tune.criteria, criterion);
        }
    }
    tune.folds = args.tuning.folds.unwrap_or(tune.folds);
    tune.repeats = args.tuning.repeats.unwrap_or(tune.repeats);
    match &args.tuning.tune_dim {
        Some(dimensions) => tune.dimensions = Some(dimensions.clone()),
        None if args.dim.is_none() => tune = tune.with_dimensions_of(config, train),
        None => {}
    }
    let is_set = |name: &str| args.method.set.iter().any(|(given, _)| given == name);
    let mut grid = config.method.grid();
    grid.retain(|(name, _)| !is_set(name));
    tune.settings = Some(grid);
    if let Some(criterion) =
        criterion.filter(|_| args.model.objective.is_some() || is_set("criterion"))
    {
        tune.criteria = vec![criterion];
    }
    if args.model.l2.is_some() {
        tune.l2 = Some(vec![config.fit.l2]);
    }
    if let Some(NeighborCount::Given(k)) = args.neighbors {
        tune.neighbors = k;
    }
    if args.model.init.is_some() {
        tune.starts = Some(vec![config.fit.start.clone()]);
    }
    if args.model.init.is_some() || args.model.start_perplexity.is_some() {
        tune.start_perplexities = vec![config.fit.start_perplexity];
    }
    tune
}

/// The criterion of a method that has one.
fn criterion(config: &Estimator) -> Option<Criterion> {
    match &config.method {
        AnyMethod::Nca(method) => Some(method.criterion),
        AnyMethod::SoftNca(method) => Some(method.criterion),
        _ => None,
    }
}

fn put_first<T: PartialEq>(values: &mut Vec<T>, first: T) {
    values.retain(|value| *value != first);
    values.insert(0, first);
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::data::{Features, Labeled, RegressionData, Task, TrainingData};
    use burn_nca_learn::fit::Start;
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, fit_args};
    use crate::fitting::method::chosen;
    use crate::fitting::settings::configuration;

    fn tried(options: &str) -> TuneConfig {
        let args = fit_args(&format!("--tune {options}"));
        let train = Features::unnamed(vec![0.0; 80], 8).unwrap();
        let method = chosen(&args, Task::Classes).unwrap();
        let config = configuration(&args, method, AnyData::Unlabeled(&train), None).unwrap();
        settings(&args, &config, AnyData::Unlabeled(&train))
    }

    /// Twenty rows.
    fn features() -> Features {
        Features::unnamed((0..60).map(f64::from).collect(), 3).unwrap()
    }

    fn compared(options: &str, task: Task, train: AnyData<'_>) -> Option<TuneConfig> {
        let args = fit_args(options);
        let method = chosen(&args, task).unwrap();
        let config = configuration(&args, method, train, None).unwrap();
        default_candidates(&args, &config, train)
    }

    #[test]
    fn what_the_user_gives_is_not_searched() {
        let all = tried("");
        assert!(all.criteria.len() > 1 && all.l2.is_none() && all.starts.is_none());
        let fixed = tried(
            "--objective f --l2 0.5 --init pca --folds 3 --repeats 4 --budget 7 --tune-dim 1,2",
        );
        assert_eq!((fixed.criteria, fixed.l2), (vec![Criterion::F], Some(vec![0.5])));
        assert_eq!((fixed.starts, fixed.dimensions), (Some(vec![Start::Pca]), Some(vec![1, 2])));
        assert_eq!((fixed.folds, fixed.repeats, fixed.budget), (3, 4, Some(7.0)));
        let names = |tune: &TuneConfig| -> Vec<String> {
            tune.settings.iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        let lca = tried("--method lca");
        assert_eq!(names(&lca), ["targets", "local_scales", "trainer"]);
        assert_eq!(lca.dimensions, Some(vec![7, 3, 1]), "8 rows of a fold span 7 directions");
        let fixed = tried("--method lca --set local_scales=false --dim 2 --neighbors 3");
        assert_eq!(
            (names(&fixed), fixed.dimensions, fixed.neighbors),
            (vec!["targets".into(), "trainer".into()], None, 3)
        );
        assert_eq!(tried("--method nca").dimensions, None);
    }

    #[test]
    fn default_candidates_are_compared_unless_the_user_says_how_to_fit() {
        let compared = |options: &str| {
            let labels = (0..20).map(|row| row % 2).collect();
            let train = Labeled::from_labels(features(), labels).unwrap();
            compared(options, Task::Classes, train.as_any_data())
        };
        let default = compared("").unwrap();
        assert_eq!((default.neighbors, default.budget), (3, Some(10.0)));
        let closed = |tune: TuneConfig| -> Vec<&'static str> {
            let candidates = tune.candidates.unwrap().into_iter();
            candidates.filter(|one| one.is_closed()).map(|one| one.closed_form()).collect()
        };
        assert_eq!(closed(default), ["Euclidean", "LDA"]);
        assert_eq!(closed(compared("--dim 3").unwrap()), ["Euclidean"]);
        assert_eq!(closed(compared("--dim 1").unwrap()), ["LDA", "PCA"]);
        assert_eq!(compared("--neighbors 7 --time-budget 4").unwrap().neighbors, 7);
        assert_eq!(compared("--budget 60").unwrap().budget, Some(60.0));
        let modern = |options: &str| {
            let candidates = compared(options).unwrap().candidates.unwrap();
            candidates.iter().any(|one| one.method.is_some())
        };
        assert!(modern("") && modern("--budget 60"));
        for k_nn in ["--dim 2", "--rule knn", "--neighbors 7", "--sums plain"] {
            assert!(!modern(k_nn), "{k_nn}");
        }
        for options in [
            "--no-tune",
            "--method nca",
            "--set repulsion=1",
            "--objective g",
            "--l2 0.01",
            "--penalty weights",
            "--init pca",
            "--start-perplexity 9",
            "--repulsion 1",
            "--optimizer adam",
            "--max-iterations 9",
            "--early-stopping",
            "--encoder mlp",
            "--unlabeled neighbors",
        ] {
            assert!(compared(options).is_none(), "{options}");
        }
    }

    #[test]
    fn penalties_are_compared_for_numbers_unless_the_user_says_how_to_fit() {
        let compared = |options: &str| {
            let targets = (0..20).map(f64::from).collect();
            let train = RegressionData::new(features(), "t", targets).unwrap();
            let options = format!("--task regression {options}");
            compared(&options, Task::Numbers, train.as_any_data())
        };
        let l2: Vec<f64> =
            compared("").unwrap().candidates.unwrap().iter().map(|one| one.l2).collect();
        assert_eq!(l2[0], 0.02);
        assert!(l2.contains(&0.001) && l2.contains(&0.0), "{l2:?}");
        assert!(compared("--dim 2").is_some());
        for options in ["--no-tune", "--method mlkr", "--l2 0.02", "--soft", "--encoder mlp"] {
            assert!(compared(options).is_none(), "{options}");
        }
    }

    #[test]
    fn options_of_the_search_need_it_and_warm_starts_exclude_it() {
        for options in [
            "--budget 3 --no-tune",
            "--folds 3",
            "--tune --folds 1",
            "--tune --repeats 0",
            "--tune --warm-start m",
            "--tune --early-stopping",
            "--tune --budget 0",
            "--tune --no-tune",
            "--tune --dim 2 --tune-dim 2,3",
        ] {
            let words = ["nca", "fit", "iris"].into_iter().chain(options.split_whitespace());
            assert!(Cli::try_parse_from(words).is_err(), "{options}");
        }
    }
}
