//! The search for settings, and the time budget of a fit: counted from the start of the command, over every stage.

use serde_json::Value;

use crate::continuous::{write_film, write_houses};
use crate::sparse::write_texts;
use crate::{Place, array_of, assert_parts, methods_compared, nca, table, warned};

/// The trials of a search.
fn trials(report: &Value) -> &[Value] {
    array_of(&report["tuning"]["trials"])
}

#[test]
fn the_trials_are_printed_and_kept_and_what_was_given_stays_fixed() {
    let place = Place::new();
    let fit = "fit iris --dim 2 --tune --folds 3 --repeats 1 --objective g --l2 0.01 --out run";
    let said =
        "* chosen among 6 of 6 candidates by cross-validation in the training rows, 3 fits each";
    assert_parts(&place.nca(fit).printed(), &[said]);
    let report = place.json("run/report.json");
    let trials = trials(&report);
    for start in ["auto", "pca", "random"] {
        assert!(trials.iter().any(|trial| trial["start"] == start), "{start}: {trials:?}");
    }
    for trial in trials {
        assert_eq!((&trial["criterion"], &trial["l2"]), (&"g".into(), &0.01.into()));
        assert_eq!(array_of(&trial["fold_accuracies"]).len(), 3);
        assert_eq!(array_of(&trial["terminations"]).len(), 3);
    }
    assert_eq!(trials.iter().filter(|trial| trial["chosen"] == true).count(), 1);
    assert_eq!(report["settings"]["fit"]["stop_at"], trials[0]["stop_at"]);
    assert_eq!(report["settings"]["fit"]["l2"], 0.01);
    assert_parts(&place.read("run/report.html"), &["Hyperparameter search", "(chosen)"]);
    assert!(!place.path("run/trials.json").exists());
}

#[test]
fn dimensions_can_be_chosen_too() {
    let report = nca("fit iris --tune --tune-dim 1,2 --l2 0.01").json();
    let trials = trials(&report);
    for dimension in [1, 2] {
        assert!(trials.iter().any(|trial| trial["dimension"] == dimension), "{trials:?}");
    }
    assert_eq!(report["embedding"]["dimension"], trials[0]["dimension"]);
}

#[test]
fn default_candidates_are_compared_without_being_asked_with_the_evidence() {
    let place = Place::new();
    let text = place.nca("fit iris --out run").printed();
    assert_parts(&text, &[": best of 6 candidates by cross-validation", "3-NN accuracy", " ± "]);
    let report = place.json("run/report.json");
    assert_eq!(report["tuning"]["asked"], false);
    for method in ["Euclidean", "LDA", "NCA"] {
        assert!(trials(&report).iter().any(|trial| trial["method"] == method), "{method}");
    }
    let plain = nca("fit iris --no-tune").json();
    assert!(plain["tuning"].is_null());
    assert_eq!(plain["settings"]["fit"]["start_perplexity"], 15.0);
    assert_eq!(plain["settings"]["fit"]["penalty"], "Spread");
}

/// How often a method is in the comparison of a fit.
fn times_compared(report: &Value, method: &str) -> usize {
    methods_compared(report).into_iter().filter(|one| *one == method).count()
}

#[test]
fn a_fit_without_steps_is_named_after_what_was_done() {
    let place = Place::new();
    for (options, label, name) in [
        ("--dim 2 --no-tune", "LDA", "lda"),
        ("--dim 2 --init pca", "PCA", "pca"),
        ("--dim 4 --init identity", "Euclidean", "euclidean"),
        ("--dim 2 --init random", "Random map", "random"),
    ] {
        let text =
            place.nca(&format!("fit iris --max-iterations 0 --out {name} {options}")).printed();
        let report = place.json(&format!("{name}/report.json"));
        assert_eq!((&report["method"], &report["without_steps"]), (&label.into(), &true.into()));
        assert_eq!(times_compared(&report, label), 1, "{}", report["comparison"]);
        assert!(text.contains("Reached the requested number of steps (0)."), "{text}");
        let page = place.read(&format!("{name}/report.html"));
        let info = place.nca(&format!("info {name}")).printed();
        for said in [text, page, info] {
            assert!(said.contains(label), "{said}");
            assert!(!said.contains("NCA") && !said.contains("learned"), "{said}");
        }
        assert_eq!(place.nca(&format!("info {name}")).json()["method"], name);
    }
    // Two classes of round clouds far apart along one axis: nothing is better than distance.
    let row = |row: usize| {
        let (angle, center) = (row as f64 * 2.4, (row % 2) as f64 * 20.0);
        format!("{},{},{}", center + angle.cos(), center + angle.sin(), row % 2)
    };
    place.file("clouds.csv", table("x,y,class", 60, row));
    let report = place.nca("fit clouds.csv").json();
    assert_eq!(report["method"], "Euclidean", "of equal accuracies the simplest is chosen");
    assert_eq!(times_compared(&report, "Euclidean"), 1);
    let sentence = "Euclidean (no gradient steps): chosen by cross-validation.";
    assert_eq!(report["termination_sentence"], sentence);
}

#[test]
fn numbers_and_pairs_are_searched_by_scores_of_their_own() {
    let place = Place::new();
    write_houses(&place);
    write_film(&place);
    for (data, compared_by, criterion) in [
        ("houses.csv --task regression", "r2", "mlkr"),
        ("film.csv --pairs pairs.csv", "log_probability", "pairs"),
    ] {
        let fit = format!("fit {data} --tune --folds 2 --repeats 1 --init identity");
        let found = place.nca(&fit).json();
        assert!(trials(&found).len() > 2, "{found}");
        assert_eq!(found["tuning"]["compared_by"], compared_by);
        assert_eq!(trials(&found)[0]["criterion"], criterion);
    }
}

#[test]
fn every_method_of_classes_with_settings_is_searched_and_names_those_it_chose() {
    let place = Place::new();
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
        // Closed forms have no iterations to limit.
        let few = if matches!(method, "lda" | "rca") { "" } else { "--max-iterations 5" };
        let fit = format!("fit iris --method {method} --out {method}");
        let text =
            place.nca(&format!("{fit} --tune --folds 2 --repeats 1 --seed 1 {few}")).printed();
        assert!(text.contains(" candidates by cross-validation"), "{method}: {text}");
        let report = place.json(&format!("{method}/report.json"));
        let chosen = &trials(&report)[0];
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

#[test]
fn a_spent_budget_leaves_a_search_and_a_reduction_out_and_says_so() {
    let place = Place::new();
    write_texts(&place);
    for (data, said) in [
        ("iris --dim 2 --tune", "not_compared: "),
        ("iris", "not_compared: "),
        (
            "counts.mtx,topics.csv --dim 2 --reduce 8 --no-tune",
            "after 0 of 6 passes the time budget was spent",
        ),
    ] {
        let report = place.nca(&format!("fit {data} --time-budget 1e-9")).json();
        assert!(report["accuracy"]["test"].is_number() && report["iterations"] == 1, "{data}");
        assert_parts(&warned(&report), &["not_compared: ", said]);
        let tuning = &report["tuning"];
        if !tuning.is_null() {
            assert!(trials(&report).is_empty(), "{tuning}");
            assert!(tuning["chosen"].as_str().unwrap().contains("not compared"), "{tuning}");
            assert!(tuning["end"].as_str().unwrap().starts_with("The time limit"), "{tuning}");
        }
        assert_eq!(tuning.is_null(), data.ends_with("--no-tune"), "{data}");
    }
}
