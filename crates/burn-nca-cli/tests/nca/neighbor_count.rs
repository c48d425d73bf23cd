//! `--neighbors cv` and `--neighbors entropy`: k found on the training rows.

use crate::{Place, failure, json, stdout};

#[test]
fn the_number_of_neighbors_may_be_found_on_the_training_rows() {
    let place = Place::new();
    let out = place.at("iris");
    json(&["fit", "iris", "--dim", "2", "--format", "json", "--out", &out]);
    for rule in ["cv", "entropy"] {
        let given = ["evaluate", &out, "iris", "--neighbors", rule, "--format", "json"];
        let measured = json(&given);
        let k = measured["neighbors"].as_u64().unwrap();
        assert!((1..=105).contains(&k), "{rule}: {k}");
        assert!(measured["accuracy"]["knn"].as_f64().unwrap() > 0.9);
        let predicted = stdout(&["predict", &out, "iris", "--neighbors", rule]);
        assert_eq!(predicted.lines().count(), 151);
        let number = k.to_string();
        assert_eq!(predicted, stdout(&["predict", &out, "iris", "--neighbors", &number]));
    }
    let said = failure(&["predict", &out, "iris", "--neighbors", "many"], 2);
    assert!(said.contains("cv or entropy"), "{said}");
}
