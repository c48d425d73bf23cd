//! Every method of the registry, from a table to predictions, and what is refused of them.

use burn_nca_learn::data::Task;
use burn_nca_learn::method::AnyMethod;

use crate::continuous::{film, houses};
use crate::{Place, json, stdout};

#[test]
fn every_method_is_fitted_saved_evaluated_and_named() {
    let place = Place::new();
    let houses = houses(&place);
    let (film, pairs) = film(&place);
    for method in AnyMethod::all() {
        let info = method.info();
        let out = place.at(info.name);
        // Those that need no target learn from classes, too.
        let (data, more): (&str, &[&str]) = match info.task {
            None | Some(Task::Classes) => ("iris", &[]),
            Some(Task::Numbers) => (&houses, &["--task", "regression"]),
            Some(Task::Pairs) => (&film, &["--pairs", &pairs]),
        };
        let given = ["fit", data, "--method", info.name, "--format", "json", "--out", &out];
        let small: &[&str] = if info.name.starts_with("modern") {
            &["--dim", "8", "--set", "members=2", "--set", "width=16"]
        } else {
            &[]
        };
        let report = json(&[&given[..], more, small].concat());
        assert_eq!(report["method"], info.label);
        assert_eq!(report["settings"]["method"], info.name);
        let rows = report["comparison"]["rows"].as_array().unwrap();
        assert_eq!(rows.last().unwrap()["method"], info.label, "{rows:?}");
        let of_nothing = rows.iter().filter(|row| row["method"] == "Euclidean").count();
        assert_eq!(of_nothing, 1, "{rows:?}");

        let said = stdout(&["info", &out]);
        assert!(said.contains(info.label) && said.contains(info.title), "{said}");
        assert_eq!(json(&["info", &out, "--format", "json"])["method"], info.name);
        let page = std::fs::read_to_string(place.path(info.name).join("report.html")).unwrap();
        assert!(page.contains(info.label));
        let pairs: &[&str] = if info.task == Some(Task::Pairs) { more } else { &[] };
        let measured = json(&[&["evaluate", &out, data, "--format", "json"][..], pairs].concat());
        if matches!(info.task, None | Some(Task::Classes)) {
            assert!(measured["accuracy"]["knn"].as_f64().unwrap() > 0.9, "{info:?} {measured}");
            let predicted = stdout(&["predict", &out, "iris", "--probabilities"]);
            assert_eq!(predicted.lines().count(), 151);
        }
    }
}

#[test]
fn a_method_that_needs_no_target_takes_numbers_and_pairs() {
    let place = Place::new();
    let (film, pairs) = film(&place);
    let (houses, out) = (houses(&place), place.at("pca"));
    let given = ["fit", &houses, "--task", "regression", "--method", "pca", "--dim", "2"];
    let report = json(&[&given[..], &["--format", "json", "--out", &out]].concat());
    assert_eq!((&report["method"], &report["kind"]), (&"PCA".into(), &"numbers".into()));
    assert_eq!(stdout(&["predict", &out, &houses]).lines().next(), Some("price"));
    let report =
        json(&["fit", &film, "--pairs", &pairs, "--method", "whitening", "--format", "json"]);
    assert_eq!((&report["method"], &report["kind"]), (&"whitening".into(), &"pairs".into()));
}

#[test]
fn the_methods_are_listed_with_their_settings() {
    let listed = json(&["methods", "--format", "json"]);
    assert_eq!(listed.as_array().unwrap().len(), AnyMethod::all().len());
    assert_eq!(listed[0]["name"], "nca");
    assert_eq!(listed[0]["settings"][0]["default"], "G");
    let (table, help) = (stdout(&["methods"]), stdout(&["fit", "--help"]));
    for method in AnyMethod::all() {
        let name = method.info().name;
        assert!(table.lines().any(|line| line.starts_with(name)), "{table}");
        assert!(help.contains(&format!("- {name}:")), "{name} is not in the help");
    }
    let one = stdout(&["methods", "nca"]);
    assert!(one.contains("--set repulsion=0"), "{one}");
}
