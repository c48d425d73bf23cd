//! Warnings: the same on stderr, in the JSON and on the page; and none where nothing is wrong.

use serde_json::Value;

use crate::{Place, nca, read_json};

/// What a fit into `run` says on stderr, in its JSON, in report.json and on its page.
fn fit(place: &Place, arguments: &[&str]) -> (String, Value, String) {
    let out = place.at("run");
    let _ = std::fs::remove_dir_all(&out);
    let all = [&["fit"], arguments, &["--format", "json", "--out", &out]].concat();
    let output = nca(&all).assert().success().get_output().clone();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read_json(&place.path("run/report.json"))["warnings"], printed["warnings"]);
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    (String::from_utf8(output.stderr).unwrap(), printed["warnings"].clone(), page)
}

/// Whether exactly these warnings are told, in all places alike.
fn tells(told: &(String, Value, String), codes: &[&str]) {
    let (stderr, warnings, page) = told;
    let warnings = warnings.as_array().unwrap();
    let found: Vec<_> = warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    assert_eq!(found, codes, "{stderr}");
    for warning in warnings {
        let text = warning["text"].as_str().unwrap();
        assert!(stderr.contains(&format!("warning: {text}\n")), "{text:?} is not in {stderr}");
        let shown = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert!(page.contains(&format!("<p class=\"warning\">{shown}</p>")), "{text:?}");
    }
    assert_eq!(stderr.matches("warning: ").count(), codes.len(), "{stderr}");
    assert_eq!(page.matches("class=\"warning\"").count(), codes.len());
}

/// Rows of two numbers and a price, a column without a spread between them.
fn table(place: &Place, classes: bool) -> String {
    let target = |i: u32| {
        if classes { ["u", "v"][(i % 2) as usize].to_string() } else { (i % 11).to_string() }
    };
    let row = |i: u32| format!("{},7,{},{}\n", i % 11, (i * 5) % 13, target(i));
    let rows: String = (0..40).map(row).collect();
    place.file("data.csv", &format!("a,b,c,y\n{rows}"))
}

#[test]
fn a_collapsed_embedding_is_told_everywhere_whatever_was_learnt_from() {
    let place = Place::new();
    let classes = table(&place, true);
    let flat = ["--l2", "1000", "--dim", "2"];
    let told = fit(&place, &[&[&classes[..]], &flat[..]].concat());
    tells(&told, &["constant_columns", "collapsed_to_point"]);
    let numbers = table(&place, false);
    let told = fit(&place, &[&[&numbers[..], "--task", "regression"], &flat[..]].concat());
    tells(&told, &["constant_columns", "collapsed_to_point"]);
    let pairs = place.file("pairs.csv", "1,12\n2,13\n3,14\n4,15\n5,16\n6,17\n7,18\n8,19\n");
    let of_pairs = [&numbers[..], "--pairs", &pairs, "--ignore", "y"];
    let told = fit(&place, &[&of_pairs[..], &flat[..]].concat());
    tells(&told, &["constant_columns", "collapsed_to_point"]);
}

#[test]
fn the_first_command_of_the_readme_warns_of_nothing() {
    let place = Place::new();
    tells(&fit(&place, &["iris", "--dim", "2"]), &[]);
    tells(&fit(&place, &["balance", "--dim", "2", "--max-iterations", "200"]), &[]);
}

#[test]
fn a_planned_end_is_no_warning_and_a_limit_is_one() {
    let place = Place::new();
    let numbers = table(&place, false);
    let adam = ["--optimizer", "adam", "--epochs", "2", "--ignore", "b"];
    let regression = [&[&numbers[..], "--task", "regression"], &adam[..]].concat();
    let (_, warnings, page) = fit(&place, &regression);
    let codes: Vec<_> = warnings.as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(!codes.contains(&&Value::from("not_converged")), "{codes:?}");
    assert!(!page.contains("<p class=\"warning\">All epochs"));
    let limited = ["iris", "--dim", "2", "--max-iterations", "3"];
    let (stderr, warnings, _) = fit(&place, &limited);
    assert_eq!(warnings[0]["code"], "not_converged");
    assert!(stderr.contains("--max-iterations"), "{stderr}");
}
