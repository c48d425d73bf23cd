//! The rule that is saved with a model: used by predict, evaluate, info and export, and overridden by options.

use serde_json::{Value, json};

use crate::{Place, assert_parts, number, table};

/// A model of iris in two dimensions by these options, and the rule that it saves.
fn fit(place: &Place, run: &str, options: &str) -> Value {
    let fit = format!("fit iris --dim 2 --no-tune --no-baselines --out {run} {options}");
    let report = place.nca(&fit).json();
    let decision = place.nca(&format!("info {run}")).json()["decision"].take();
    assert_eq!(report["settings"]["decision"], decision, "{options}");
    decision
}

#[test]
fn the_saved_rule_predicts_and_options_override_it() {
    let place = Place::new();
    let predicted =
        |command: &str| place.nca(&format!("predict --probabilities {command}")).printed();
    assert_eq!(fit(&place, "plain", ""), json!({"rule": "knn", "neighbors": 5}));
    let votes = predicted("plain iris");
    assert_eq!(votes, predicted("plain iris --rule knn --neighbors 5"));

    assert_eq!(fit(&place, "soft", "--rule soft"), json!({"rule": "soft"}));
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

    // The number of neighbors may be found on the training rows.
    for rule in ["cv", "entropy"] {
        let measured = place.nca(&format!("evaluate plain iris --neighbors {rule}")).json();
        let k = measured["neighbors"].as_u64().unwrap();
        assert!((1..=105).contains(&k), "{rule}: {k}");
        assert!(number(&measured["accuracy"], "knn") > 0.9);
        let of_rule = predicted(&format!("plain iris --neighbors {rule}"));
        assert_eq!(of_rule, predicted(&format!("plain iris --neighbors {k}")));
    }

    // A model of an earlier version.
    let mut stored = place.json("soft/model/model.json");
    assert!(stored.as_object_mut().unwrap().remove("decision").is_some());
    place.file("soft/model/model.json", stored.to_string());
    assert_eq!(predicted("soft iris"), votes);

    // An exported graph has the saved rule or the one asked for.
    for (options, has) in [("", [true, false]), ("--rule soft", [false, true])] {
        let export = format!("export plain --to model.onnx --with-neighbors {options}");
        assert_eq!(place.nca(&export).said(), "");
        let graph = std::fs::read(place.path("model.onnx")).unwrap();
        let graph = String::from_utf8_lossy(&graph);
        assert_eq!(["TopK", "Softmax"].map(|operator| graph.contains(operator)), has, "{options}");
    }
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
