//! What a model remembers of its table: the target's name, and which rows it was fitted on.

use burn_nca_data::{Matrix, npy_file};
use serde_json::Value;

use crate::{Place, assert_parts, json, nca, read_json, stdout};

/// Patients with the target in the second column and a number of each in the first.
fn patients() -> String {
    let row = |i: u32| {
        let status = if (i * 7) % 10 < 4 { "ill" } else { "well" };
        format!("{i},{status},{},{}\n", (i * 7) % 10, (i * 13) % 17)
    };
    format!("id,status,glucose,insulin\n{}", (0..60).map(row).collect::<String>())
}

/// The fit of [`patients`], and the name of the table.
fn fitted(place: &Place) -> (String, String) {
    let (data, out) = (place.file("patients.csv", &patients()), place.at("run"));
    let fit = ["fit", &data, "--target", "status", "--ignore", "id", "--dim", "1", "--out", &out];
    nca(&fit).assert().success();
    (data, out)
}

#[test]
fn the_model_folder_says_where_its_rows_came_from() {
    let place = Place::new();
    let (data, out) = fitted(&place);
    let source = read_json(&place.path("run/model/source.json"));
    assert_eq!((&source["data"], &source["task"]), (&data.clone().into(), &"classes".into()));
    assert_eq!(source["target"], "status");
    assert_eq!(source["ignored"], Value::from(vec!["id"]));
    assert_eq!((&source["split"]["share"], &source["split"]["seed"]), (&0.3.into(), &0.into()));
    let text = stdout(&["info", &out]);
    assert!(text.contains("target status, without id; 30 % held out, seed 0"), "{text}");
    assert_eq!(json(&["info", &out, "--format", "json"])["source"], source);
}

#[test]
fn predictions_and_evaluations_know_the_name_of_the_target() {
    let place = Place::new();
    let (data, out) = fitted(&place);
    assert_eq!(stdout(&["predict", &out, &data]).lines().next(), Some("status"));
    let shares = stdout(&["predict", &out, &data, "--probabilities"]);
    assert_eq!(shares.lines().next(), Some("status,p_ill,p_well"));
    let found = json(&["evaluate", &out, &data, "--format", "json"]);
    assert_eq!(found["rows"], 60);

    let renamed = place.file("new.csv", &patients().replace("status", "state"));
    let failed = nca(&["evaluate", &out, &renamed]).assert().failure().code(1).get_output().clone();
    let message = String::from_utf8(failed.stderr).unwrap();
    assert_parts(
        &message,
        &["the model's target is \"status\"", "--target", "no column \"status\""],
    );
    let found = json(&["evaluate", &out, &renamed, "--target", "state", "--format", "json"]);
    assert_eq!(found["rows"], 60);
}

#[test]
fn an_evaluation_on_rows_of_the_fit_says_so() {
    let place = Place::new();
    let (data, out) = fitted(&place);
    let output = nca(&["evaluate", &out, &data, "--format", "json"]).assert().success();
    let output = output.get_output().clone();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let expected = "warning: 42 of 60 rows are also training rows";
    assert!(stderr.contains(expected), "{stderr}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["warnings"][0]["code"], "training_rows");
    // A copy elsewhere is known by its rows.
    let copy = place.file("copy.csv", &patients());
    let found = json(&["evaluate", &out, &copy, "--format", "json"]);
    assert_eq!(found["warnings"][0]["code"], "training_rows");
    // Other rows are not.
    let lines: Vec<String> = patients()
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { line.to_string() } else { format!("{line}.5") })
        .collect();
    let other = place.file("other.csv", &lines.join("\n"));
    let found = json(&["evaluate", &out, &other, "--format", "json"]);
    assert_eq!(found["warnings"], Value::from(Vec::<Value>::new()));
}

#[test]
fn arrays_are_test_tables_and_new_rows_of_every_model() {
    let place = Place::new();
    let corpus =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../burn-nca-data/tests/corpus/npz/stored.npz");
    let array = |name: &str, values: &[f64], columns| {
        let bytes = npy_file(&Matrix::F64 { values: values.to_vec(), columns });
        std::fs::write(place.path(name), bytes).unwrap();
        place.at(name)
    };
    let x = array("x.npy", &[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5], 2);
    let y = array("y.npy", &[0.0, 1.0, 0.0, 1.0, 1.0], 1);
    let pair = format!("{x},{y}");
    let table = place.file("t.csv", "x1,x2,kind\n0,0.5,0\n1,1.5,1\n2,2.5,0\n3,3.5,1\n4,4.5,1\n");
    // The same five rows in every form.
    for data in [corpus, &pair, &table] {
        for test in [corpus, &pair] {
            let report =
                json(&["fit", data, "--test", test, "--method", "euclidean", "--format", "json"]);
            assert_eq!(report["data"]["rows"], 10, "{data} {test}");
        }
    }
    for data in [corpus, &pair] {
        for options in [&["--missing", "mean"][..], &[]] {
            let out = place.at(&format!("{}{}", data == corpus, options.len()));
            let fit = ["fit", data, "--method", "pca", "--test-size", "0", "--out", &out];
            nca(&[&fit[..], options].concat()).assert().success();
            for new in [corpus, &pair] {
                let measured = json(&["evaluate", &out, new, "--format", "json"]);
                assert_eq!(measured["rows"], 5, "{data} {new}");
            }
            assert_eq!(stdout(&["predict", &out, &x]).lines().count(), 6);
        }
    }
}
