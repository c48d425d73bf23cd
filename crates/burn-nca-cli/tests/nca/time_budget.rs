//! The time budget of a fit: counted from the start of the command, over every stage.

use crate::sparse::texts;
use crate::{Place, json};

/// The report of a fit whose budget is spent before anything is done, which has all that a model needs.
fn spent(fit: &[&str]) -> serde_json::Value {
    let report = json(&[&["fit"], fit, &["--time-budget", "1e-9", "--format", "json"]].concat());
    assert!(report["accuracy"]["test"].is_number() && report["iterations"] == 1, "{fit:?}");
    let codes: Vec<_> = report["warnings"].as_array().unwrap().iter().collect();
    assert!(codes.iter().any(|warning| warning["code"] == "not_compared"), "{codes:?}");
    report
}

#[test]
fn a_spent_budget_leaves_a_search_that_was_asked_for_out_and_says_so() {
    for search in [&["iris", "--dim", "2", "--tune"][..], &["iris"]] {
        let tuning = &spent(search)["tuning"];
        assert_eq!(tuning["trials"].as_array().unwrap().len(), 0, "{search:?}");
        assert!(tuning["chosen"].as_str().unwrap().contains("not compared"), "{tuning}");
        assert!(tuning["end"].as_str().unwrap().starts_with("The time limit"), "{tuning}");
    }
}

#[test]
fn a_spent_budget_ends_the_reduction_of_a_sparse_table_and_says_so() {
    let place = Place::new();
    let report = spent(&[&texts(&place), "--dim", "2", "--reduce", "8", "--no-tune"]);
    let told = report["warnings"][0]["text"].as_str().unwrap();
    assert!(told.contains("after 0 of 6 passes the time budget was spent"), "{told}");
}
