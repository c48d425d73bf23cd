//! The search for settings.

use crate::continuous::{film, houses};
use crate::{Place, failure, json, nca, read_json, stdout};

const QUICK: [&str; 9] = ["fit", "iris", "--dim", "2", "--tune", "--folds", "3", "--repeats", "1"];

fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&QUICK[..], more].concat()
}

#[test]
fn the_trials_are_printed_and_kept_and_what_was_given_stays_fixed() {
    let place = Place::new();
    let out = place.at("run");
    let text = stdout(&quick(&["--objective", "g", "--l2", "0.01", "--out", &out]));
    assert!(
        text.contains(
            "* chosen among 6 of 6 candidates by cross-validation in the training rows, 3 fits each"
        ),
        "{text}"
    );
    let report = read_json(&place.path("run/report.json"));
    let tuning = &report["tuning"];
    let trials = tuning["trials"].as_array().unwrap();
    let starts: Vec<_> = trials.iter().map(|trial| trial["start"].as_str().unwrap()).collect();
    assert!(["auto", "pca", "random"].iter().all(|start| starts.contains(start)), "{starts:?}");
    for trial in trials {
        assert_eq!((&trial["criterion"], &trial["l2"]), (&"g".into(), &0.01.into()));
        assert_eq!(trial["fold_accuracies"].as_array().unwrap().len(), 3);
        assert_eq!(trial["terminations"].as_array().unwrap().len(), 3);
    }
    assert_eq!(trials.iter().filter(|trial| trial["chosen"] == true).count(), 1);
    assert_eq!(report["settings"]["fit"]["stop_at"], trials[0]["stop_at"]);
    assert_eq!(report["settings"]["fit"]["l2"], 0.01);
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(page.contains("Hyperparameter search") && page.contains("(chosen)"));
    assert!(!place.path("run/trials.json").exists());
}

#[test]
fn dimensions_can_be_chosen_too() {
    let arguments =
        ["fit", "iris", "--tune", "--tune-dim", "1,2", "--l2", "0.01", "--format", "json"];
    let report = json(&arguments);
    let trials = report["tuning"]["trials"].as_array().unwrap();
    let dimensions: Vec<_> =
        trials.iter().map(|trial| trial["dimension"].as_u64().unwrap()).collect();
    assert!(dimensions.contains(&1) && dimensions.contains(&2), "{dimensions:?}");
    assert_eq!(report["embedding"]["dimension"], trials[0]["dimension"]);
}

#[test]
fn a_search_that_cannot_be_is_refused() {
    let message = failure(&["fit", "iris", "--tune", "--folds", "40"], 1);
    assert!(message.contains("has 35 training rows, too few for 40 folds"), "{message}");
    assert!(failure(&["fit", "iris", "--folds", "3"], 2).contains("--tune"));
    for fixed in ["--no-tune", "--method=lda", "--l2=0.1"] {
        assert!(failure(&["fit", "iris", "--budget", "3", fixed], 2).contains("--budget"));
    }
    nca(&["fit", "iris", "--tune", "--early-stopping"]).assert().code(2);
}

#[test]
fn default_candidates_are_compared_without_being_asked_with_the_evidence() {
    let text = stdout(&["fit", "iris"]);
    assert!(text.contains(": best of 6 candidates by cross-validation"), "{text}");
    assert!(text.contains("3-NN accuracy") && text.contains(" ± "), "{text}");
    let report = json(&["fit", "iris", "--format", "json"]);
    let tuning = &report["tuning"];
    assert_eq!(tuning["asked"], false);
    let trials = tuning["trials"].as_array().unwrap();
    let methods: Vec<_> = trials.iter().map(|trial| trial["method"].as_str().unwrap()).collect();
    for method in ["Euclidean", "LDA", "NCA"] {
        assert!(methods.contains(&method), "{methods:?}");
    }
    let of = |trial: &serde_json::Value, key: &str| trial[key].as_f64().unwrap();
    // Modern NCA is compared on fewer folds, if there is time for it.
    let folds = |trial: &serde_json::Value| trial["fold_accuracies"].as_array().unwrap().len();
    let whole = trials.iter().filter(|trial| folds(trial) == 15);
    assert_eq!(whole.clone().count() + usize::from(methods.contains(&"Modern NCA")), trials.len());
    assert!(trials.iter().all(|trial| of(trial, "difference") <= 1e-9), "{trials:?}");
    for trial in whole.filter(|_| folds(&trials[0]) == 15) {
        assert!(of(trial, "accuracy") <= of(&trials[0], "accuracy") + 1e-9, "{trial}");
        let difference = of(trial, "accuracy") - of(&trials[0], "accuracy");
        assert!((of(trial, "difference") - difference).abs() < 1e-9, "{trial}");
    }
    let plain = json(&["fit", "iris", "--no-tune", "--format", "json"]);
    assert!(plain["tuning"].is_null());
    assert_eq!(plain["settings"]["fit"]["start_perplexity"], 15.0);
    assert_eq!(plain["settings"]["fit"]["penalty"], "Spread");
}

#[test]
fn a_fit_without_steps_is_named_after_what_was_done() {
    let place = Place::new();
    for (data, options, label, name) in [
        ("iris", &["--dim", "2"][..], "LDA", "lda"),
        ("iris", &["--dim", "2", "--init", "pca"], "PCA", "pca"),
        ("iris", &["--dim", "4", "--init", "identity"], "Euclidean", "euclidean"),
        ("iris", &["--dim", "2", "--init", "random"], "Random map", "random"),
    ] {
        let out = place.at(name);
        let none = ["fit", data, "--no-tune", "--max-iterations", "0", "--out", &out];
        let none: Vec<&str> =
            none.into_iter().filter(|word| options.len() == 2 || *word != "--no-tune").collect();
        let text = stdout(&[&none[..], options].concat());
        let report = read_json(&place.path(name).join("report.json"));
        let page = std::fs::read_to_string(place.path(name).join("report.html")).unwrap();
        assert_eq!(report["method"], label);
        assert_eq!(report["without_steps"], true);
        let rows = report["comparison"]["rows"].as_array().unwrap();
        assert_eq!(rows.iter().filter(|row| row["method"] == label).count(), 1, "{rows:?}");
        assert!(text.contains("Reached the requested number of steps (0)."), "{text}");
        let info = stdout(&["info", &out]);
        for said in [&text, &page, &info] {
            assert!(said.contains(label), "{said}");
            assert!(!said.contains("NCA") && !said.contains("learned"), "{said}");
        }
        assert_eq!(json(&["info", &out, "--format", "json"])["method"], name);
    }
}

#[test]
fn a_closed_form_that_cross_validation_chose_is_named_and_appears_once() {
    // Two classes of round clouds far apart along one axis: nothing is better than distance.
    let place = Place::new();
    let rows: String = (0..60)
        .map(|row| {
            let angle = f64::from(row) * 2.4;
            let center = f64::from(row % 2) * 20.0;
            format!("{},{},{}\n", center + angle.cos(), center + angle.sin(), row % 2)
        })
        .collect();
    let data = place.file("clouds.csv", &format!("x,y,class\n{rows}"));
    let report = json(&["fit", &data, "--format", "json"]);
    assert_eq!(report["method"], "Euclidean", "of equal accuracies the simplest is chosen");
    let rows = report["comparison"]["rows"].as_array().unwrap();
    assert_eq!(rows.iter().filter(|row| row["method"] == "Euclidean").count(), 1);
    let sentence = report["termination_sentence"].as_str().unwrap();
    assert_eq!(sentence, "Euclidean (no gradient steps): chosen by cross-validation.");
}

#[test]
fn numbers_and_pairs_are_searched_by_scores_of_their_own() {
    let place = Place::new();
    let houses = houses(&place);
    let (film, pairs) = film(&place);
    let searched = |data: &[&str]| {
        let quick = ["--tune", "--folds", "2", "--repeats", "1", "--init", "identity"];
        let found = json(&[&["fit"], data, &quick[..], &["--format", "json"]].concat());
        assert!(found["tuning"]["trials"].as_array().unwrap().len() > 2, "{found}");
        (found["tuning"]["compared_by"].clone(), found["tuning"]["trials"][0]["criterion"].clone())
    };
    let numbers = searched(&[&houses, "--task", "regression"]);
    assert_eq!(numbers, ("r2".into(), "mlkr".into()));
    let pairs = searched(&[&film, "--pairs", &pairs]);
    assert_eq!(pairs, ("log_probability".into(), "pairs".into()));
}

#[test]
fn every_method_of_classes_with_settings_is_searched_and_names_those_it_chose() {
    let place = Place::new();
    let quick =
        ["--tune", "--folds", "2", "--repeats", "1", "--seed", "1", "--max-iterations", "5"];
    for (method, names) in [
        ("lca", &["local_scales", "targets", "trainer"][..]),
        ("lca-classifier", &["steps", "trainer"]),
        ("vsm", &["neighbors", "width_penalty"]),
        ("gvsm", &["neighbors", "width_penalty"]),
        ("ncfs", &[]),
        ("lmnn", &["neighbors", "push"]),
        ("lda", &["shrinkage", "unit_length"]),
        ("rca", &["tolerance"]),
    ] {
        let out = place.at(method);
        // Closed forms have no iterations to limit.
        let words = if matches!(method, "lda" | "rca") { 7 } else { 9 };
        let fit = ["fit", "iris", "--method", method, "--out", &out];
        let text = stdout(&[&fit[..], &quick[..words]].concat());
        assert!(text.contains(" candidates by cross-validation"), "{method}: {text}");
        let report = read_json(&place.path(method).join("report.json"));
        let chosen = &report["tuning"]["trials"][0];
        assert_eq!(chosen["chosen"], true);
        let tried = chosen["settings"].as_object().cloned().unwrap_or_default();
        assert_eq!(tried.keys().collect::<Vec<_>>(), names, "{method}");
        for (name, value) in &tried {
            let value = value.as_str().unwrap();
            let named = format!("{name}={value}");
            assert!(text.contains(&named), "{method}: {named} is not in {text}");
            assert!(report["tuning"]["chosen"].as_str().unwrap().contains(&named));
            let fitted = &report["settings"][name];
            let fitted = fitted.as_str().map_or(fitted.to_string(), String::from);
            assert_eq!(fitted.parse::<f64>().ok(), value.parse::<f64>().ok(), "{named}");
        }
        // A classifier has as many in the map of each class.
        let maps = if method == "lca-classifier" { 3 } else { 1 };
        assert_eq!(report["settings"]["d_output"], maps * chosen["dimension"].as_u64().unwrap());
    }
}
