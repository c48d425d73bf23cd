//! Bad input: the message names the thing, the value and the cure; exit code 1 for data, 2 for usage.

use crate::{Place, assert_parts, failure, nca, read_json};

fn contains_all(message: &str, parts: &[&str]) {
    assert!(message.starts_with("error: "), "{message}");
    assert_parts(message, parts);
}

#[test]
fn numbers_out_of_range() {
    for (options, parts) in [
        (["--dim", "0"], ["'0' for '--dim <K>'", "1 or more"]),
        (["--neighbors", "0"], ["'0' for '--neighbors <K|cv|entropy>'", "1 or more"]),
        (["--test-size", "1"], ["'1' for '--test-size <SHARE>'", "below 1"]),
        (["--l2", "nan"], ["'nan' for '--l2 <X>'", "0 or more"]),
        (["--time-budget", "0"], ["'0' for '--time-budget <SECONDS>'", "above 0"]),
        (["--init", "zero"], ["'zero' for '--init <START>'", "identity"]),
        (["--init", "random:0"], ["the scale of a random start", "above 0"]),
        (["--l2", "-1"], ["'-1' for '--l2 <X>'", "0 or more, such as 0.001"]),
        (["--seed", "-1"], ["'-1' for '--seed <N>'", "from 0 to 18446744073709551615"]),
        (["--max-iterations", "-1"], ["'-1' for '--max-iterations <N>'", "0 or more"]),
        (["--dim", "-2"], ["'-2' for '--dim <K>'", "1 or more"]),
        (["--dim", "2.5"], ["'2.5' for '--dim <K>'", "1 or more"]),
        (["--folds", "1"], ["'1' for '--folds", "2 or more"]),
        (["--l2", "inf"], ["'inf' for '--l2 <X>'", "0 or more"]),
        (["-q", "--early-stopping=0"], ["'0' for '--early-stopping", "between 0 and 1"]),
        (["--start-perplexity", "1"], ["'1' for '--start-perplexity <P>'", "0 for none"]),
    ] {
        assert_parts(&failure(&[&["fit", "iris"][..], &options].concat(), 2), &parts);
    }
    assert_parts(&failure(&["demo", "--port", "-1"], 2), &["'-1' for '--port", "0 to 65535"]);
}

#[test]
fn a_fit_that_fails_leaves_nothing_behind() {
    let place = Place::new();
    failure(&["fit", "no.csv", "--out", &place.at("run")], 1);
    assert_eq!(std::fs::read_dir(place.0.path()).unwrap().count(), 0);
}

#[test]
fn models_that_are_none_or_do_not_fit_the_data() {
    let place = Place::new();
    let out = place.at("run");
    nca(&["fit", "iris", "--dim", "2", "--max-iterations", "1", "--out", &out]).assert().success();
    contains_all(&failure(&["predict", &out, "wine"], 1), &["13 feature columns", "4"]);
    let other = place.file("other.csv", "a,b,y\n1,2,u\n3,4,v\n");
    contains_all(
        &failure(&["transform", &out, &other], 1),
        &["no column", "its columns are a, b, y"],
    );
    contains_all(&failure(&["evaluate", &out, "wine"], 1), &["13", "4"]);
    contains_all(
        &failure(&["predict", &out, "iris", "--neighbors", "1000"], 1),
        &["k is 1000", "105"],
    );
    let huge = place.file(
        "huge.csv",
        "sepal_length_cm,sepal_width_cm,petal_length_cm,petal_width_cm\n5,3,1,0.2\n5,3,1e308,0.2\n",
    );
    for verb in ["transform", "predict"] {
        let message = failure(&[verb, &out, &huge], 1);
        contains_all(&message, &["huge.csv, row 2", "petal_length_cm", "1e308", "remove the row"]);
    }
    let report = place.path("run/report.json");
    let text = std::fs::read_to_string(&report).unwrap();
    std::fs::write(&report, text.replacen("\"format\": 1", "\"format\": 99", 1)).unwrap();
    contains_all(&failure(&["report", &out], 1), &["format 99", "reads format 1"]);
}

#[test]
fn an_edited_report_is_refused_by_its_field() {
    let place = Place::new();
    let out = place.at("run");
    nca(&["fit", "iris", "--dim", "2", "--max-iterations", "1", "--out", &out]).assert().success();
    let (path, page) = (place.path("run/report.json"), place.path("run/report.html"));
    let mut report = read_json(&path);
    report["embedding"]["points"][2]["coordinates"] = serde_json::json!([1.5]);
    std::fs::write(&path, report.to_string()).unwrap();
    let before = std::fs::read(&page).unwrap();
    contains_all(
        &failure(&["report", &out], 1),
        &["report.json", "the values of embedding do not fit those of the other fields"],
    );
    assert_eq!(std::fs::read(&page).unwrap(), before);
}
