//! The search for settings of other methods, and where there are no classes.

use acceptance::data::lbfgs;
use burn::tensor::Device;
use burn_nca_data::bundled::iris;
use burn_nca_learn::data::{Coincidences, Features, Labeled, Pairs, RegressionData, TrainingData};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::estimator::tune::{Choice, Search, SearchEnd, TuneConfig, TuneSession};
use burn_nca_learn::fit::FitConfig;
use burn_nca_learn::method::{AnyMethod, Mlkr, PairNca, Vsm};
use burn_nca_learn::neighbors::Rule;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ROWS: usize = 48;

/// Two columns that count and two of noise.
fn features() -> Features {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let values = (0..ROWS * 4).map(|at| match at % 4 {
        0 => (at as f64 / 40.0).sin(),
        1 => (at as f64 / 40.0).cos(),
        _ => rng.random_range(-1.0..1.0),
    });
    Features::unnamed(values.collect(), 4).unwrap()
}

fn quick() -> TuneConfig {
    TuneConfig::new()
        .with_folds(3)
        .with_repeats(1)
        .with_l2(Some(vec![0.02, 0.5]))
        .with_start_perplexities(vec![None])
        .with_steps(vec![0, 2])
}

#[test]
fn numbers_are_compared_by_the_r2_of_the_kernel_rule() {
    let features = features();
    let target = (0..ROWS).map(|row| features.row(row)[0] + 0.5 * features.row(row)[1]).collect();
    let data = RegressionData::new(features, "y", target).unwrap();
    let estimator = Estimator::new(4, 4, Mlkr::new());
    let tuned = estimator.tune(&quick(), &data, &Device::flex(), TuneSession::new()).unwrap();
    let trials = &tuned.search.trials;
    assert_eq!(trials.len(), 2);
    assert!(trials.iter().all(|trial| trial.candidate.criterion.is_none()));
    // The R² of a score is that of a fit stopped there.
    let split = &data.folds(3, 0).unwrap()[0];
    let fit = FitConfig::new().with_l2(0.02).with_stop_at(Some(2));
    let train = data.part(&split.train).unwrap();
    let fitted = estimator.clone().with_fit(fit).fit(&train, &Device::flex()).unwrap();
    let held_out = data.part(&split.test).unwrap();
    let predicted = fitted.predict_kernel(held_out.features()).unwrap();
    let truth = held_out.targets().values();
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let squares = |of: &dyn Fn(usize) -> f64| -> f64 {
        truth.iter().enumerate().map(|(at, y)| (y - of(at)).powi(2)).sum()
    };
    let r2 = 1.0 - squares(&|at| predicted[at]) / squares(&|_| mean);
    let score = trials[0].scores.iter().find(|score| score.steps == Some(2)).unwrap();
    assert!((score.folds[0].accuracy - r2).abs() < 1e-4, "{} {r2}", score.folds[0].accuracy);
    assert_eq!(tuned.fitted.card().method, AnyMethod::from(Mlkr::new()));
}

#[test]
fn pairs_are_compared_by_the_log_probability_of_those_held_out() {
    let pairs = Pairs::new(ROWS, (1..ROWS).map(|row| (row - 1, row, 1.0)).collect()).unwrap();
    let data = Coincidences::new(features(), pairs).unwrap();
    let estimator = Estimator::new(4, 4, PairNca::new());
    let tuned = estimator.tune(&quick(), &data, &Device::flex(), TuneSession::new()).unwrap();
    let (start, end) = (tuned.search.trials[0].start().unwrap(), tuned.search.trials[0].best());
    assert!(end.accuracy() > start.accuracy(), "learning helps: {start:?} {end:?}");
    assert!(start.accuracy() < 0.0, "a mean of logarithms: {start:?}");
}

/// Iris, with settings of a method by its name.
fn of_iris(name: &str) -> (Labeled, Estimator) {
    let fit = FitConfig::new().with_optimizer(lbfgs(6));
    (iris(), Estimator::new(4, 4, AnyMethod::named(name).unwrap()).with_fit(fit))
}

#[test]
fn the_score_of_a_candidate_is_by_the_rule_that_its_fit_predicts_by() {
    for name in
        ["lca", "lca-classifier", "vsm", "gvsm", "ncfs", "lmnn", "lda", "lda-rca", "pca", "rca"]
    {
        let (data, estimator) = of_iris(name);
        let estimator =
            Estimator { d_output: if name.starts_with("lda") { 2 } else { 4 }, ..estimator };
        let tune = TuneConfig::new().with_folds(2).with_repeats(1).with_most_candidates(3);
        let search = estimator.search(&tune, &data, &Device::flex(), TuneSession::new()).unwrap();
        assert!(!search.trials.is_empty() && search.end == SearchEnd::AllTried, "{name}");
        let split = &data.folds(2, 0).unwrap()[0];
        // In the order of a fold: of equally near rows the first is taken.
        let train = data.part(&split.train).unwrap().arranged();
        let held_out = data.part(&split.test).unwrap();
        for (at, trial) in search.trials.iter().enumerate() {
            let only = Choice { trial: at, stop_at: None, ..search.choice.clone().unwrap() };
            let search = Search { choice: Some(only), ..search.clone() };
            let fitted =
                search.estimator(&estimator).unwrap().fit(&train, &Device::flex()).unwrap();
            let accuracy = fitted.accuracy(&held_out, 1).unwrap().value().unwrap();
            assert_eq!(trial.end().folds[0].accuracy, accuracy, "{name}: {}", trial.candidate);
            let rule = matches!(fitted.rule(), Rule::Neighbors | Rule::Manhattan);
            assert_eq!(fitted.card().method.info().own_rule, !rule, "{name}");
        }
    }
}

#[test]
fn settings_of_a_method_are_chosen_resumed_and_fitted() {
    let (data, estimator) = of_iris("lca");
    let tune = TuneConfig::new()
        .with_folds(2)
        .with_repeats(1)
        .with_dimensions_of(&estimator, data.as_any_data());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trials.json");
    let mut after_two = super::after(2);
    let session = TuneSession::new().with_progress(&mut after_two).with_file(&file);
    let part = estimator.search(&tune, &data, &Device::flex(), session).unwrap();
    assert_eq!((part.trials.len(), part.left_out.len()), (2, 10));
    let tuned = |session| estimator.tune(&tune, &data, &Device::flex(), session).unwrap();
    let (resumed, whole) = (tuned(TuneSession::new().with_file(&file)), tuned(TuneSession::new()));
    assert_eq!(resumed.search.choice, whole.search.choice);
    let chosen = &whole.search.trials[whole.search.choice.unwrap().trial].candidate;
    let (card, settings) = (resumed.fitted.card(), resumed.fitted.card().method.settings());
    assert_eq!(card.d_output, chosen.d_output);
    for (name, value) in &chosen.settings {
        assert_eq!(settings[name].to_string().trim_matches('"'), value, "{name}");
    }
}

#[test]
fn settings_that_a_table_does_not_allow_are_left_out() {
    // 12 rows of a fold are too few for 20 neighbors, and enough for 10.
    let features =
        Features::unnamed((0..48).map(|at| f64::from(at * at % 13)).collect(), 2).unwrap();
    let data = Labeled::from_labels(features, (0..24).map(|row| row % 2).collect()).unwrap();
    let vsm = Estimator::new(2, 2, Vsm::new());
    let neighbors = |values: [&str; 2]| {
        let values = values.map(String::from).to_vec();
        TuneConfig::new()
            .with_folds(2)
            .with_repeats(1)
            .with_steps(Vec::new())
            .with_settings(Some(vec![("neighbors".to_string(), values)]))
    };
    let search =
        |values| vsm.search(&neighbors(values), &data, &Device::flex(), TuneSession::new());
    let found = search(["10", "20"]).unwrap();
    assert_eq!((found.trials.len(), found.candidates, found.left_out.len()), (1, 1, 0));
    assert!(search(["20", "10"]).unwrap_err().to_string().contains("needs more than 12 rows"));
}
