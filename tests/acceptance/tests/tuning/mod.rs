//! The search for settings: what it scores, how it ends, how it continues, what it refuses.

mod other_tasks;

use std::ops::ControlFlow;

use acceptance::data::lbfgs;
use burn::tensor::Device;
use burn_nca_data::bundled::{iris, wine};
use burn_nca_learn::data::{Labeled, stratified_folds};
use burn_nca_learn::estimator::tune::{
    Candidate, Search, SearchEnd, TuneConfig, TuneProgress, TuneSession,
};
use burn_nca_learn::fit::{FitConfig, Start, Termination};
use burn_nca_learn::method::{Modern, Nca};
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{NcaConfig, Result};

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

/// Stops a search when so many candidates are finished.
fn after(candidates: usize) -> impl FnMut(&TuneProgress<'_>) -> ControlFlow<()> {
    move |progress| match progress.finished < candidates {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
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
    let mut after_the_first = after(1);
    let session = TuneSession::new().with_progress(&mut after_the_first).with_file(&file);
    let part = search(&data, &quick(), session).unwrap();
    assert_eq!((part.end, part.trials.len()), (SearchEnd::Stopped, 1));
    let mut fits = 0;
    let mut count = |progress: &TuneProgress<'_>| {
        assert_eq!((progress.finished, progress.candidate.l2), (1, 0.1));
        fits += 1;
        ControlFlow::Continue(())
    };
    let session = TuneSession::new().with_progress(&mut count).with_file(&file);
    let resumed = search(&data, &quick(), session).unwrap();
    assert!(fits > 0);
    assert_eq!((resumed.trials.len(), resumed.end), (2, SearchEnd::AllTried));
    assert_eq!(winner(&resumed), winner(&whole));
    let difference = resumed.trials[0].best().accuracy() - part.trials[0].best().accuracy();
    assert!(difference.abs() < 1e-12, "a number that was read back may differ in its last digit");
    assert_eq!(whole.end, SearchEnd::AllTried);

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
    let session = || TuneSession::new().with_file(&file);
    let found = search(&data, &tune, session()).unwrap();
    assert_eq!((found.trials.len(), found.end), (0, SearchEnd::Budget));
    let estimator = found.estimator(&config(&data, 4).estimator().into_any()).unwrap();
    let default = NcaConfig::of(&estimator).unwrap();
    let settings = (default.criterion, default.fit.l2, default.fit.stop_at);
    assert_eq!(settings, (Criterion::G, 0.01, None));
    assert!(search(&data, &tune, session()).unwrap().trials.is_empty());
    let more = search(&data, &tune.with_budget(Some(1e6)), session()).unwrap();
    assert_eq!((more.trials.len(), more.end), (2, SearchEnd::AllTried));
}

#[test]
fn configurations_and_searches_survive_serialization() {
    let tune = quick().with_budget(Some(3.0)).with_starts(Some(vec![Start::Pca, Start::Identity]));
    let text = serde_json::to_string(&tune).unwrap();
    let again: TuneConfig = serde_json::from_str(&text).unwrap();
    assert_eq!(text, serde_json::to_string(&again).unwrap());
    let found = search(&iris(), &quick().with_l2(Some(vec![0.1])), TuneSession::new()).unwrap();
    let text = serde_json::to_string(&found).unwrap();
    let again: Search = serde_json::from_str(&text).unwrap();
    assert_eq!((winner(&again), again.end), (winner(&found), found.end));
    assert_eq!(again.trials[0].candidate, found.trials[0].candidate);
}

#[test]
fn default_candidates_are_compared_and_the_most_accurate_is_fitted_on_all_rows() {
    let data = iris();
    let config = NcaConfig::recommended(4, 4);
    let chosen = config.choose(&data, &Device::flex()).unwrap();
    let search = chosen.search.unwrap();
    let choice = search.choice.clone().unwrap();
    // Five folds, three times; a slow build may leave out modern NCA.
    assert_eq!(search.folds, 15);
    assert!(search.left_out.iter().all(|candidate| candidate.method.is_some()));
    assert_eq!(search.end == SearchEnd::AllTried, search.left_out.is_empty());
    let closed: Vec<&str> = search
        .trials
        .iter()
        .filter(|trial| trial.candidate.is_closed())
        .map(|trial| trial.candidate.closed_form())
        .collect();
    assert_eq!(closed, ["Euclidean", "LDA"]);
    let winner = &search.trials[choice.trial].candidate;
    let card = chosen.fitted.card();
    assert_eq!((card.d_output, chosen.fitted.summary().rows), (winner.d_output, data.rows()));
    let chosen_trial = search.trials[choice.trial].best();
    for trial in &search.trials {
        assert!(trial.best().difference(chosen_trial)[0] < 1e-9, "{choice:?}, {trial:?}");
    }
    let applied = chosen.fitted.applied_method();
    assert_eq!(applied.without_steps, winner.is_closed());
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
    let modern = Candidate {
        method: Some(small.into()),
        start: Start::Auto,
        stop_at: None,
        d_output: 8,
        ..random.clone()
    };
    let tune = TuneConfig::new()
        .with_folds(3)
        .with_neighbors(40)
        .with_steps(Vec::new())
        .with_candidates(Some(vec![random, modern]));
    let device = Device::flex();
    let tuned = config.tune(&tune, &data, &device, TuneSession::new()).unwrap();
    let [random, modern] = &tuned.search.trials[..] else { panic!("{:?}", tuned.search) };
    assert_eq!([random, modern].map(|trial| trial.best().folds.len()), [6, 3]);
    assert_eq!(winner(&tuned.search), (1, None));
    assert_eq!(tuned.fitted.card().d_output, 2 * 8);
    assert_eq!(tuned.fitted.applied_method().label, "Modern NCA");
    // What is left out is said.
    let brief = tune.with_budget(Some(1e-9));
    let cut = search(&data, &brief, TuneSession::new()).unwrap();
    assert_eq!((cut.end, cut.trials.len(), cut.left_out.len()), (SearchEnd::Budget, 0, 2));
}

#[test]
fn no_gradient_step_is_taken_for_a_closed_form_that_cross_validation_chose() {
    let data = iris();
    let config = NcaConfig::recommended(4, 2);
    let tune = TuneConfig::default_candidates(&config, &data, false).unwrap();
    let closed = tune.candidates.clone().unwrap().into_iter().filter(|one| one.is_closed());
    for (candidate, label) in closed.zip(["LDA", "PCA"]) {
        let tune = tune.clone().with_repeats(1).with_candidates(Some(vec![candidate]));
        let tuned = config.tune(&tune, &data, &Device::flex(), TuneSession::new()).unwrap();
        let fitted = tuned.fitted;
        assert_eq!(fitted.summary().iterations, 0);
        assert_eq!(fitted.applied_method().label, label);
    }
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
    assert_eq!(found.end, SearchEnd::AllTried);
    let tune = tune.with_leave_out_small_classes(false).with_most_rows(None);
    let error = search(&data, &tune, TuneSession::new()).unwrap_err();
    assert!(error.to_string().contains("too few for 5 folds"), "{error}");
}
