//! The search for settings: what it scores, how it ends, how it continues, what it refuses; of other methods and where there
//! are no classes, too.

use std::ops::ControlFlow;

use acceptance::compare::assert_close;
use acceptance::data::{lbfgs, uniform};
use burn::tensor::Device;
use burn_nca_data::bundled::{iris, wine};
use burn_nca_learn::data::{
    Coincidences, Features, Labeled, Pairs, RegressionData, TrainingData, stratified_folds,
};
use burn_nca_learn::estimator::tune::SearchEnd::{self, AllTried};
use burn_nca_learn::estimator::tune::{
    Candidate, Choice, Search, TuneConfig, TuneProgress, TuneSession,
};
use burn_nca_learn::evaluate::RegressionScores;
use burn_nca_learn::fit::{FitConfig, Start, Termination};
use burn_nca_learn::method::{AnyMethod, Mlkr, Modern, Nca, PairNca, Vsm};
use burn_nca_learn::neighbors::Rule;
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Estimator, NcaConfig, Result};

/// Two candidates that take a moment.
fn quick() -> TuneConfig {
    TuneConfig::new()
        .with_folds(3)
        .with_criteria(vec![Criterion::G])
        .with_l2(Some(vec![0.01, 0.1]))
        .with_start_perplexities(vec![None])
}

fn config(data: &Labeled, k: usize) -> NcaConfig {
    let fit = FitConfig::new().with_optimizer(lbfgs(30));
    NcaConfig::new(data.features().columns(), k).with_fit(fit)
}

fn search(data: &Labeled, tune: &TuneConfig, session: TuneSession<'_>) -> Result<Search> {
    let k = data.features().columns();
    config(data, k).estimator().search(tune, data, &Device::flex(), session)
}

/// The place of the winner and its number of steps.
fn winner(search: &Search) -> (usize, Option<usize>) {
    let choice = search.choice.as_ref().unwrap();
    (choice.trial, choice.stop_at)
}

#[test]
fn the_worth_of_a_rung_is_that_of_a_fit_stopped_there() {
    let data = iris();
    let tune = quick().with_l2(Some(vec![0.01])).with_steps(vec![0, 2]);
    let found = search(&data, &tune, TuneSession::new()).unwrap();
    let splits = stratified_folds(&data, 3, 0).unwrap();
    for (score, steps) in [(0, Some(0)), (1, Some(2)), (2, None)] {
        for (fold, split) in splits.iter().enumerate() {
            let mut config = found.trials[0].candidate.apply(&config(&data, 4));
            config.fit.stop_at = steps;
            let fitted = config.fit(&data.select(&split.train), &Device::flex()).unwrap();
            let held_out = data.select(&split.test);
            let accuracy = fitted.accuracy(&held_out, 1).unwrap().value().unwrap();
            let soft = fitted.class_probabilities(held_out.features()).unwrap();
            let of_row =
                |(row, class): (usize, &usize)| soft.probability(row, *class).max(1e-3).ln();
            let log_p = held_out.labels().iter().enumerate().map(of_row).sum::<f64>();
            let measured = found.trials[0].scores[score].folds[fold];
            assert_eq!(measured.accuracy, accuracy, "{steps:?} fold {fold}");
            let log_p = log_p / held_out.rows() as f64;
            assert!((measured.log_p - log_p).abs() < 1e-9, "{} {log_p}", measured.log_p);
        }
    }
}

#[test]
fn the_winner_is_fitted_on_all_rows_with_the_settings_that_were_best() {
    let data = wine();
    let tuned =
        config(&data, 2).tune(&quick(), &data, &Device::flex(), TuneSession::new()).unwrap();
    let choice = tuned.search.choice.clone().unwrap();
    let trials = &tuned.search.trials;
    assert_eq!((trials.len(), tuned.search.candidates), (6, 6), "three starts, two penalties");
    let most = trials.iter().map(|trial| trial.best().accuracy()).fold(0.0, f64::max);
    assert!((choice.accuracy - most).abs() < 1e-9, "the highest mean accuracy is chosen");
    let (card, winner) = (tuned.fitted.card(), &trials[choice.trial].candidate);
    let method = Nca { criterion: winner.criterion.unwrap(), repulsion: 0.0 };
    assert_eq!((card.fit.l2, &card.method), (winner.l2, &method.into()));
    assert_eq!((card.fit.stop_at, tuned.fitted.summary().rows), (choice.stop_at, data.rows()));
    if let Some(steps) = choice.stop_at {
        assert_eq!(tuned.fitted.summary().iterations, steps);
        assert_eq!(tuned.fitted.summary().termination, Termination::StopAt);
    }
}

#[test]
fn a_search_that_is_resumed_finds_what_one_left_alone_finds() {
    let data = iris();
    let whole = search(&data, &quick(), TuneSession::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trials.json");
    let mut after_the_first = |progress: &TuneProgress<'_>| match progress.finished {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let part = search(
        &data,
        &quick(),
        TuneSession::new().with_file(&file).with_progress(&mut after_the_first),
    )
    .unwrap();
    assert_eq!((part.end, part.trials.len()), (SearchEnd::Stopped, 1));
    let mut fits = 0;
    let mut count = |progress: &TuneProgress<'_>| {
        assert_eq!((progress.finished, progress.candidate.l2), (1, 0.1));
        fits += 1;
        ControlFlow::Continue(())
    };
    let resumed =
        search(&data, &quick(), TuneSession::new().with_file(&file).with_progress(&mut count))
            .unwrap();
    assert!(fits > 0);
    assert_eq!((resumed.trials.len(), resumed.end, whole.end), (2, AllTried, AllTried));
    assert_eq!(winner(&resumed), winner(&whole));
    // A number that was read back may differ in its last digit.
    let [again, first] = [&resumed, &part].map(|search| search.trials[0].best().accuracy());
    assert!((again - first).abs() < 1e-12);

    // Configurations and searches survive serialization.
    let text = serde_json::to_string(&quick()).unwrap();
    let again: TuneConfig = serde_json::from_str(&text).unwrap();
    assert_eq!(text, serde_json::to_string(&again).unwrap());
    let again: Search = serde_json::from_str(&serde_json::to_string(&whole).unwrap()).unwrap();
    assert_eq!((winner(&again), again.end), (winner(&whole), whole.end));
    assert_eq!(again.trials[0].candidate, whole.trials[0].candidate);

    let mut labels = data.labels().to_vec();
    labels.swap(0, 149);
    let relabeled = Labeled::from_labels(data.features().clone(), labels).unwrap();
    let error =
        search(&relabeled, &quick(), TuneSession::new().with_file(&file)).unwrap_err().to_string();
    assert!(error.contains("a search with other targets; give"), "{error}");
}

#[test]
fn a_budget_ends_the_search_even_in_its_first_candidate_and_for_good() {
    let data = iris();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trials.json");
    let tune = quick().with_budget(Some(1e-6));
    let found =
        |tune: &TuneConfig| search(&data, tune, TuneSession::new().with_file(&file)).unwrap();
    let none = found(&tune);
    assert_eq!((none.trials.len(), none.end), (0, SearchEnd::Budget));
    let estimator = none.estimator(&config(&data, 4).estimator().into_any()).unwrap();
    let default = NcaConfig::of(&estimator).unwrap();
    let settings = (default.criterion, default.fit.l2, default.fit.stop_at);
    assert_eq!(settings, (Criterion::G, 0.01, None));
    assert!(found(&tune).trials.is_empty());
    let more = found(&tune.with_budget(Some(1e6)));
    assert_eq!((more.trials.len(), more.end), (2, AllTried));
}

#[test]
fn default_candidates_are_compared_and_the_most_accurate_is_fitted() {
    let data = iris();
    let chosen = NcaConfig::recommended(4, 4).choose(&data, &Device::flex()).unwrap();
    let search = chosen.search.unwrap();
    // Five folds, three times; a slow build may leave out modern NCA.
    assert_eq!(search.folds, 15);
    assert!(search.left_out.iter().all(|candidate| candidate.method.is_some()));
    assert_eq!(search.end == AllTried, search.left_out.is_empty());
    let candidates = search.trials.iter().map(|trial| &trial.candidate);
    let closed = candidates.filter(|one| one.is_closed()).map(Candidate::closed_form);
    assert_eq!(closed.collect::<Vec<_>>(), ["Euclidean", "LDA"]);
    let winner = &search.trials[search.choice.unwrap().trial];
    // Modern NCA may be less accurate by two standard errors.
    let errors = if winner.candidate.method.is_some() { 2.0 } else { 0.0 };
    for trial in &search.trials {
        let [lead, error] = trial.best().difference(winner.best());
        assert!(lead < errors * error + 1e-9, "{winner:?}, {trial:?}");
    }
    // Of several networks the dimensions are side by side.
    assert!(chosen.fitted.card().d_output.is_multiple_of(winner.candidate.d_output));
    assert_eq!(chosen.fitted.applied_method().without_steps, winner.candidate.is_closed());
}

#[test]
fn another_method_is_compared_on_fewer_folds_by_its_own_rule_and_fitted_if_it_is_best() {
    let data = iris();
    let config = config(&data, 4);
    let random = Candidate {
        start: Start::Random { scale: Some(1e-3) },
        stop_at: Some(0),
        ..Candidate::of(&config)
    };
    let small = Modern::new().with_members(2).with_epochs(5).with_width(16);
    let method = Some(small.into());
    let modern =
        Candidate { method, start: Start::Auto, stop_at: None, d_output: 8, ..random.clone() };
    let tune = TuneConfig::new()
        .with_folds(3)
        .with_neighbors(40)
        .with_steps(Vec::new())
        .with_candidates(Some(vec![random, modern]));
    let tuned = config.tune(&tune, &data, &Device::flex(), TuneSession::new()).unwrap();
    let folds = tuned.search.trials.iter().map(|trial| trial.best().folds.len());
    assert_eq!(folds.collect::<Vec<_>>(), [6, 3]);
    assert_eq!(winner(&tuned.search), (1, None));
    assert_eq!(tuned.fitted.card().d_output, 2 * 8);
    assert_eq!(tuned.fitted.applied_method().label, "Modern NCA");
    // What is left out is said.
    let cut = search(&data, &tune.with_budget(Some(1e-9)), TuneSession::new()).unwrap();
    assert_eq!((cut.end, cut.trials.len(), cut.left_out.len()), (SearchEnd::Budget, 0, 2));
}

#[test]
fn a_comparison_on_a_sample_leaves_small_classes_out() {
    let data = iris();
    let mut labels = data.labels().to_vec();
    (0..3).for_each(|row| labels[row] = 3);
    let data = Labeled::from_labels(data.features().clone(), labels).unwrap();
    let tune = TuneConfig::default_candidates(&config(&data, 4), &data, false).unwrap();
    let tune = tune.with_most_rows(Some(60));
    let found = search(&data, &tune, TuneSession::new()).unwrap();
    assert_eq!(found.end, AllTried);
    let tune = tune.with_leave_out_small_classes(false).with_most_rows(None);
    let error = search(&data, &tune, TuneSession::new()).unwrap_err();
    assert!(error.to_string().contains("too few for 5 folds"), "{error}");
}

const ROWS: usize = 48;

/// Two columns that count and two of noise.
fn features() -> Features {
    let noise = uniform(ROWS * 4, 3);
    let values = (0..ROWS * 4).map(|at| match at % 4 {
        0 => (at as f64 / 40.0).sin(),
        1 => (at as f64 / 40.0).cos(),
        _ => noise[at],
    });
    Features::unnamed(values.collect(), 4).unwrap()
}

/// Two penalties for tasks without classes.
fn two_penalties() -> TuneConfig {
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
    let tuned =
        estimator.tune(&two_penalties(), &data, &Device::flex(), TuneSession::new()).unwrap();
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
    let scores = RegressionScores::of(&predicted, held_out.targets().values()).unwrap();
    let score = trials[0].scores.iter().find(|score| score.steps == Some(2)).unwrap();
    assert_close(&[score.folds[0].accuracy], &[scores.r2().unwrap()], 1e-4);
    assert_eq!(tuned.fitted.card().method, AnyMethod::from(Mlkr::new()));
}

#[test]
fn pairs_are_compared_by_the_log_probability_of_those_held_out() {
    let pairs = Pairs::new(ROWS, (1..ROWS).map(|row| (row - 1, row, 1.0)).collect()).unwrap();
    let data = Coincidences::new(features(), pairs).unwrap();
    let estimator = Estimator::new(4, 4, PairNca::new());
    let tuned =
        estimator.tune(&two_penalties(), &data, &Device::flex(), TuneSession::new()).unwrap();
    let (start, end) = (tuned.search.trials[0].start().unwrap(), tuned.search.trials[0].best());
    assert!(end.accuracy() > start.accuracy(), "learning helps: {start:?} {end:?}");
    assert!(start.accuracy() < 0.0, "a mean of logarithms: {start:?}");
}

#[test]
fn the_score_of_a_candidate_is_by_the_rule_that_its_fit_predicts_by() {
    let (data, device) = (iris(), Device::flex());
    for name in
        ["lca", "lca-classifier", "vsm", "gvsm", "ncfs", "lmnn", "lda", "lda-rca", "pca", "rca"]
    {
        let d_output = if name.starts_with("lda") { 2 } else { 4 };
        let fit = FitConfig::new().with_optimizer(lbfgs(6));
        let method = AnyMethod::named(name).unwrap();
        let estimator = Estimator::new(4, d_output, method).with_fit(fit);
        let tune = TuneConfig::new().with_folds(2).with_repeats(1).with_most_candidates(3);
        let search = estimator.search(&tune, &data, &device, TuneSession::new()).unwrap();
        assert!(!search.trials.is_empty() && search.end == AllTried, "{name}");
        let split = &data.folds(2, 0).unwrap()[0];
        // In the order of a fold: of equally near rows the first is taken.
        let train = data.part(&split.train).unwrap().arranged();
        let held_out = data.part(&split.test).unwrap();
        for (at, trial) in search.trials.iter().enumerate() {
            let only = Choice { trial: at, stop_at: None, ..search.choice.clone().unwrap() };
            let search = Search { choice: Some(only), ..search.clone() };
            let fitted = search.estimator(&estimator).unwrap().fit(&train, &device).unwrap();
            let accuracy = fitted.accuracy(&held_out, 1).unwrap().value().unwrap();
            assert_eq!(trial.end().folds[0].accuracy, accuracy, "{name}: {}", trial.candidate);
            let rule = matches!(fitted.rule(), Rule::Neighbors | Rule::Manhattan);
            assert_eq!(fitted.card().method.info().own_rule, !rule, "{name}");
        }
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
