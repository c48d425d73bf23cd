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
    use burn_nca_learn::data::{Features, Labeled, RegressionData, TrainingData};

    use super::*;
    use crate::cli::fit_args;
    use crate::fitting::method::{chosen, learned_from};
    use crate::fitting::settings::configuration;

    fn compared(options: &str) -> Option<TuneConfig> {
        let args = fit_args(options);
        let task = learned_from(&args).unwrap();
        let features = Features::unnamed((0..60).map(f64::from).collect(), 3).unwrap();
        let classes = Labeled::from_labels(features.clone(), (0..20).map(|row| row % 2).collect());
        let numbers = RegressionData::new(features, "t", (0..20).map(f64::from).collect());
        let (classes, numbers) = (classes.unwrap(), numbers.unwrap());
        let train = if options.contains("regression") || options.contains("soft") {
            numbers.as_any_data()
        } else {
            classes.as_any_data()
        };
        let config = configuration(&args, chosen(&args, task).unwrap(), train, None).unwrap();
        asked_for(&args, &config, train).unwrap()
    }

    #[test]
    fn default_candidates_are_compared_unless_the_user_says_how_to_fit() {
        let closed = |options| -> Vec<&'static str> {
            let candidates = compared(options).unwrap().candidates.unwrap().into_iter();
            candidates.filter(|one| one.is_closed()).map(|one| one.closed_form()).collect()
        };
        assert_eq!(closed(""), ["Euclidean", "LDA"]);
        assert_eq!(closed("--dim 1"), ["LDA", "PCA"]);
        let tune = compared("--neighbors 7 --time-budget 4").unwrap();
        assert_eq!((tune.neighbors, tune.budget), (7, Some(10.0)));
        let modern = |options: &str| {
            let candidates = compared(options).unwrap().candidates.unwrap();
            candidates.iter().any(|one| one.method.is_some())
        };
        assert!(modern("") && modern("--budget 60"));
        for k_nn in ["--dim 2", "--rule knn", "--neighbors 7", "--sums plain"] {
            assert!(!modern(k_nn), "{k_nn}");
        }
        let l2 = compared("--task regression").unwrap().candidates.unwrap();
        let l2: Vec<f64> = l2.iter().map(|one| one.l2).collect();
        assert!(l2[0] == 0.02 && l2.contains(&0.001) && l2.contains(&0.0), "{l2:?}");
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
            "--task regression --method mlkr",
            "--soft",
        ] {
            assert!(compared(options).is_none(), "{options}");
        }
    }

    #[test]
    fn what_the_user_gives_is_not_searched() {
        let fixed = compared("--tune --neighbors 3 --init pca --tune-dim 1,2").unwrap();
        assert_eq!((fixed.neighbors, fixed.dimensions), (3, Some(vec![1, 2])));
        assert_eq!(fixed.start_perplexities, [None]);
        let fixed = compared("--tune --method lca --set local_scales=false --dim 2").unwrap();
        let settings = fixed.settings.unwrap().into_iter().map(|(name, _)| name);
        assert!(settings.eq(["targets", "trainer"]) && fixed.dimensions.is_none());
    }
}
