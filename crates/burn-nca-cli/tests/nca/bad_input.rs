//! Bad input: the message names the thing, the value and the cure; exit code 1 for data, 2 for usage.

use crate::{Place, assert_parts, failure, nca, read_json};

/// The message of a fit of this table that fails.
fn fit_of(csv: &str, options: &[&str]) -> String {
    let place = Place::new();
    let data = place.file("data.csv", csv);
    failure(&[&["fit", &data], options].concat(), 1)
}

fn contains_all(message: &str, parts: &[&str]) {
    let (error, hint) =
        message.trim_end().split_once('\n').unwrap_or((message.trim_end(), "hint: "));
    assert!(error.starts_with("error: "), "{message}");
    assert!(hint.starts_with("hint: ") && !hint.contains('\n'), "{message}");
    assert_parts(message, parts);
}

#[test]
fn missing_files_and_columns() {
    contains_all(&failure(&["fit", "no.csv"], 1), &["\"no.csv\"", "the bundled sets are iris"]);
    contains_all(&failure(&["fit", "irsi"], 1), &["did you mean \"iris\"?"]);
    contains_all(&failure(&["fit", "x.npy,y.npy"], 1), &["x.npy", "no such file"]);
    let message = fit_of("a,b,y\n1,2,u\n3,4,v\n", &["--target", "species"]);
    contains_all(&message, &["no column \"species\"", "a, b, y"]);
}

#[test]
fn missing_values_are_counted() {
    let rows: String = (0..60)
        .map(|row| format!("{},2,{}\n", if row % 17 == 3 { "NA" } else { "1" }, row % 2))
        .collect();
    contains_all(
        &fit_of(&format!("a,b,y\n{rows}"), &[]),
        &["4 of 60 rows lack a value", "4 in column \"a\"", "\"NA\" on line 5, row 4"],
    );
}

#[test]
fn a_lost_quote_is_no_class_of_many_rows() {
    let rows: Vec<String> =
        (0..180).map(|row| format!("{},{},k{}\n", row, row % 7, row % 3)).collect();
    let mut text = format!("a,b,y\n{}", rows.concat());
    text = text.replace("59,3,k2", "59,3,\"k2");
    let message = fit_of(&text, &[]);
    contains_all(&message, &["line 61", "the quote that opens value 3", "never closed"]);
    assert!(message.len() < 400, "{message}");
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
    ] {
        let message = failure(&[&["fit", "iris"][..], &options].concat(), 2);
        parts
            .iter()
            .for_each(|part| assert!(message.contains(part), "{part:?} is not in {message}"));
    }
    let message = failure(&["fit", "iris", "--neighbors", "106", "--max-iterations", "0"], 1);
    contains_all(&message, &["k is 106", "105"]);
    let message = failure(&["fit", "iris", "--dim", "3", "--init", "lda"], 1);
    contains_all(&message, &["3", "2 directions"]);
    let message = failure(&["fit", "iris", "--dim", "2", "--encoder", "diagonal"], 1);
    contains_all(&message, &["diagonal", "4 features", "2 dimensions"]);
}

#[test]
fn output_folders_that_exist_or_wait() {
    let place = Place::new();
    let out = place.at("taken");
    std::fs::create_dir(&out).unwrap();
    contains_all(
        &failure(&["fit", "iris", "--out", &out], 1),
        &["taken already exists", "choose another"],
    );
    let message = failure(&["fit", "iris", "--out", &place.at("new"), "--resume"], 1);
    contains_all(&message, &["no interrupted run", "leave --resume out"]);
    std::fs::create_dir(place.path("new.partial")).unwrap();
    let message = failure(&["fit", "iris", "--out", &place.at("new")], 1);
    contains_all(&message, &["new.partial", "--resume"]);
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
    contains_all(&failure(&["info", &place.at("none")], 1), &["none", "no model here"]);
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
    let z = place.at("z.txt");
    contains_all(
        &failure(&["transform", &out, "iris", "--out", &z], 1),
        &["written as .csv, .npy or .parquet"],
    );

    let card = place.path("run/model/model.json");
    let text = std::fs::read_to_string(&card).unwrap();
    std::fs::write(&card, text.replacen("\"format\": 1", "\"format\": 99", 1)).unwrap();
    contains_all(&failure(&["info", &out], 1), &["format 99", "reads format 1"]);
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
        &["report.json", "embedding.points[2].coordinates holds 1 number, 2 wanted"],
    );
    assert_eq!(std::fs::read(&page).unwrap(), before);
}
