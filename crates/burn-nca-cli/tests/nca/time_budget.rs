//! The time budget of a fit: counted from the start of the command, over every stage.

use crate::sparse::write_texts;
use crate::{Place, array_of, assert_parts, warned};

/// The report of a fit whose budget is spent before anything is done, which has all that a model needs.
fn spent(place: &Place, fit: &str) -> serde_json::Value {
    let report = place.nca(&format!("fit {fit} --time-budget 1e-9")).json();
    assert!(report["accuracy"]["test"].is_number() && report["iterations"] == 1, "{fit}");
    assert_parts(&warned(&report), &["not_compared: "]);
    report
}

#[test]
fn a_spent_budget_leaves_a_search_that_was_asked_for_out_and_says_so() {
    for search in ["iris --dim 2 --tune", "iris"] {
        let tuning = &spent(&Place::new(), search)["tuning"];
        assert_eq!(array_of(&tuning["trials"]).len(), 0, "{search}");
        assert!(tuning["chosen"].as_str().unwrap().contains("not compared"), "{tuning}");
        assert!(tuning["end"].as_str().unwrap().starts_with("The time limit"), "{tuning}");
    }
}

#[test]
fn a_spent_budget_ends_the_reduction_of_a_sparse_table_and_says_so() {
    let place = Place::new();
    write_texts(&place);
    let report = spent(&place, "counts.mtx,topics.csv --dim 2 --reduce 8 --no-tune");
    assert_parts(&warned(&report), &["after 0 of 6 passes the time budget was spent"]);
}
