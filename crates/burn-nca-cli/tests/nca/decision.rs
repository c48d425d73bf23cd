//! The rule that is saved with a model: used by predict, evaluate, info and export, and overridden by options.

use std::fs;

use crate::{Place, failure, json, nca, stdout};

const SHARES: &str = "--probabilities";

/// A model of iris in two dimensions, by these options.
fn fitted(place: &Place, name: &str, options: &[&str]) -> String {
    let run = place.at(name);
    let fit = ["fit", "iris", "--dim", "2", "--no-tune", "--no-baselines", "--format", "json"];
    let report = json(&[&fit[..], &["--out", &run], options].concat());
    let info = json(&["info", &run, "--format", "json"]);
    assert_eq!(report["settings"]["decision"], info["decision"], "{options:?}");
    run
}

#[test]
fn the_saved_rule_predicts_and_options_override_it() {
    let place = Place::new();
    let predicted = |run: &str, options: &[&str]| {
        stdout(&[&["predict", run, "iris", SHARES], options].concat())
    };
    let decision = |run: &str| json(&["info", run, "--format", "json"])["decision"].clone();
    let plain = fitted(&place, "plain", &[]);
    assert_eq!(decision(&plain), serde_json::json!({"rule": "knn", "neighbors": 5}));
    let votes = predicted(&plain, &[]);
    assert_eq!(votes, predicted(&plain, &["--rule", "knn", "--neighbors", "5"]));

    let soft = fitted(&place, "soft", &["--rule", "soft"]);
    assert_eq!(decision(&soft), serde_json::json!({"rule": "soft"}));
    assert!(stdout(&["info", &soft]).contains("soft: all training rows"));
    let weighted = predicted(&soft, &[]);
    assert_eq!(weighted, predicted(&plain, &["--rule", "soft"]));
    assert_ne!(weighted, votes);
    assert_eq!(predicted(&soft, &["--rule", "knn"]), votes);
    assert_eq!(predicted(&soft, &["--neighbors", "5"]), votes);

    let three = fitted(&place, "three", &["--neighbors", "3"]);
    assert_eq!(predicted(&three, &[]), predicted(&plain, &["--neighbors", "3"]));
    assert_eq!(predicted(&three, &["--rule", "knn"]), predicted(&three, &[]));
    assert!(stdout(&["info", &three]).contains("3-NN"));
    let measured = json(&["evaluate", &three, "iris", "--format", "json"]);
    assert_eq!((&measured["neighbors"], &measured["decision"]["rule"]), (&3.into(), &"knn".into()));

    // A model of an earlier version.
    let card = place.path("soft/model/model.json");
    let mut stored: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&card).unwrap()).unwrap();
    assert!(stored.as_object_mut().unwrap().remove("decision").is_some());
    fs::write(&card, stored.to_string()).unwrap();
    assert_eq!(predicted(&soft, &[]), votes);
}

#[test]
fn an_exported_graph_has_the_saved_rule_or_the_one_asked_for() {
    let place = Place::new();
    let (run, graph) = (fitted(&place, "run", &[]), place.at("model.onnx"));
    let export = |options: &[&str]| {
        let output =
            nca(&[&["export", &run, "--to", &graph, "--with-neighbors"], options].concat())
                .output()
                .unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8_lossy(&fs::read(&graph).unwrap()).into_owned()
    };
    let holds = |graph: &str| ["TopK", "Softmax"].map(|operator| graph.contains(operator));
    assert_eq!(holds(&export(&[])), [true, false]);
    assert_eq!(holds(&export(&["--rule", "soft"])), [false, true]);
    failure(&["export", &run, "--to", &graph, "--rule", "soft"], 2);
}

#[test]
fn numbers_are_predicted_by_the_saved_rule() {
    let place = Place::new();
    let table = place.at("t.csv");
    let row = |at: usize| format!("{},{},{}\n", at % 7, at * at % 11, at % 7 + at * at % 11);
    fs::write(&table, format!("a,b,y\n{}", (0..40).map(row).collect::<String>())).unwrap();
    let (soft, knn) = (place.at("soft"), place.at("knn"));
    let fit =
        ["fit", &table, "--task", "regression", "--no-tune", "--max-iterations", "5", "--out"];
    stdout(&[&fit[..], &[&soft, "--neighbors", "4"]].concat());
    stdout(&[&fit[..], &[&knn, "--neighbors", "4", "--rule", "knn"]].concat());
    let predicted =
        |run: &str, options: &[&str]| stdout(&[&["predict", run, &table], options].concat());
    assert_eq!(predicted(&soft, &[]), predicted(&soft, &["--rule", "soft"]));
    assert_eq!(predicted(&knn, &[]), predicted(&soft, &["--neighbors", "4"]));
    assert_eq!(predicted(&knn, &["--rule", "soft"]), predicted(&soft, &[]));
    let text = stdout(&["evaluate", &knn, &table]);
    assert!(text.contains("predicts by the rule 4-NN"), "{text}");
}

#[test]
fn a_method_with_a_rule_of_its_own_refuses_the_vote() {
    let said = failure(&["fit", "iris", "--method", "vsm", "--rule", "knn"], 2);
    assert!(said.contains("--rule knn has no effect on the method vsm"), "{said}");
}
