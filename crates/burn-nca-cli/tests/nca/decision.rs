//! The rule that is saved with a model: used by predict, evaluate, info and export, and overridden by options.

use serde_json::{Value, json};

use crate::{Place, assert_parts, table};

/// A model of iris in two dimensions, by these options.
fn fit(place: &Place, run: &str, options: &str) {
    let fit = format!("fit iris --dim 2 --no-tune --no-baselines --out {run} {options}");
    let report = place.nca(&fit).json();
    assert_eq!(report["settings"]["decision"], decision(place, run), "{options}");
}

fn decision(place: &Place, run: &str) -> Value {
    place.nca(&format!("info {run}")).json()["decision"].take()
}

#[test]
fn the_saved_rule_predicts_and_options_override_it() {
    let place = Place::new();
    let predicted =
        |command: &str| place.nca(&format!("predict --probabilities {command}")).printed();
    fit(&place, "plain", "");
    assert_eq!(decision(&place, "plain"), json!({"rule": "knn", "neighbors": 5}));
    let votes = predicted("plain iris");
    assert_eq!(votes, predicted("plain iris --rule knn --neighbors 5"));

    fit(&place, "soft", "--rule soft");
    assert_eq!(decision(&place, "soft"), json!({"rule": "soft"}));
    assert!(place.nca("info soft").printed().contains("soft: all training rows"));
    let weighted = predicted("soft iris");
    assert_eq!(weighted, predicted("plain iris --rule soft"));
    assert_ne!(weighted, votes);
    assert_eq!(predicted("soft iris --rule knn"), votes);
    assert_eq!(predicted("soft iris --neighbors 5"), votes);

    fit(&place, "three", "--neighbors 3");
    assert_eq!(predicted("three iris"), predicted("plain iris --neighbors 3"));
    assert_eq!(predicted("three iris --rule knn"), predicted("three iris"));
    assert!(place.nca("info three").printed().contains("3-NN"));
    let measured = place.nca("evaluate three iris").json();
    assert_eq!((&measured["neighbors"], &measured["decision"]["rule"]), (&3.into(), &"knn".into()));

    // A model of an earlier version.
    let mut stored = place.json("soft/model/model.json");
    assert!(stored.as_object_mut().unwrap().remove("decision").is_some());
    place.file("soft/model/model.json", stored.to_string());
    assert_eq!(predicted("soft iris"), votes);
}

#[test]
fn an_exported_graph_has_the_saved_rule_or_the_one_asked_for() {
    let place = Place::new();
    fit(&place, "run", "");
    let operators = |options: &str| {
        let export = format!("export run --to model.onnx --with-neighbors {options}");
        assert_eq!(place.nca(&export).said(), "");
        let graph = std::fs::read(place.path("model.onnx")).unwrap();
        let graph = String::from_utf8_lossy(&graph);
        ["TopK", "Softmax"].map(|operator| graph.contains(operator))
    };
    assert_eq!(operators(""), [true, false]);
    assert_eq!(operators("--rule soft"), [false, true]);
    place.nca("export run --to model.onnx --rule soft").failure(2);
}

#[test]
fn numbers_are_predicted_by_the_saved_rule() {
    let place = Place::new();
    let row = |at: usize| format!("{},{},{}", at % 7, at * at % 11, at % 7 + at * at % 11);
    place.file("t.csv", table("a,b,y", 40, row));
    let fit = "fit t.csv --task regression --no-tune --max-iterations 5 --neighbors 4";
    place.nca(&format!("{fit} --out soft")).success();
    place.nca(&format!("{fit} --out knn --rule knn")).success();
    let predicted = |command: &str| place.nca(&format!("predict {command}")).printed();
    assert_eq!(predicted("soft t.csv"), predicted("soft t.csv --rule soft"));
    assert_eq!(predicted("knn t.csv"), predicted("soft t.csv --neighbors 4"));
    assert_eq!(predicted("knn t.csv --rule soft"), predicted("soft t.csv"));
    assert_parts(&place.nca("evaluate knn t.csv").printed(), &["predicts by the rule 4-NN"]);
}

#[test]
fn the_number_of_neighbors_may_be_found_on_the_training_rows() {
    let place = Place::new();
    place.nca("fit iris --dim 2 --out run").success();
    let predicted = |k: &str| place.nca(&format!("predict run iris --neighbors {k}")).printed();
    for rule in ["cv", "entropy"] {
        let measured = place.nca(&format!("evaluate run iris --neighbors {rule}")).json();
        let k = measured["neighbors"].as_u64().unwrap();
        assert!((1..=105).contains(&k), "{rule}: {k}");
        assert!(measured["accuracy"]["knn"].as_f64().unwrap() > 0.9);
        assert_eq!(predicted(rule).lines().count(), 151);
        assert_eq!(predicted(rule), predicted(&k.to_string()));
    }
}
