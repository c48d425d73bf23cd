//! What a prediction is made of (`nca predict --explain`), and training rows whose labels look wrong (`nca info --labels`).

use std::fs;

use serde_json::Value;

use crate::{Place, failure, json, nca, stdout};

/// Named rows of two classes that the first column parts; that of `row 8` is wrong. The last is of no class.
fn table() -> String {
    let row = |at: usize| {
        let even = usize::is_multiple_of(at, 2);
        let kind = if even == (at == 8) { "left" } else { "right" };
        let x = if even { 9.0 } else { 1.0 } + at as f64 / 40.0;
        format!("row {at},{x},{},{kind}\n", (at * 7) % 5)
    };
    let mut text = "name,x,noise,kind\n".to_string();
    text.extend((0..24).map(row));
    text + "row 24,5.0,1,\n"
}

/// A model of that table.
fn fitted(place: &Place, options: &[&str]) -> String {
    fs::write(place.path("t.csv"), table()).unwrap();
    let run = place.at("run");
    let (data, fit) = (place.at("t.csv"), ["--dim", "1", "--no-tune", "--no-baselines", "--quiet"]);
    let fit = [&["fit", &data, "--target", "kind", "--id", "name", "--out", &run], &fit[..]];
    nca(&[&fit.concat(), options].concat()).assert().success();
    run
}

#[test]
fn the_shares_of_all_neighbors_are_the_probabilities_and_features_are_named() {
    let place = Place::new();
    let run = fitted(&place, &["--test-size", "0"]);
    fs::write(place.path("new.csv"), "x,noise\n1.3,2\n9.2,3\n").unwrap();
    let new = place.at("new.csv");
    for rule in [&["--rule", "soft"][..], &["--neighbors", "5"]] {
        let options = ["--explain=99", "--probabilities", "--format", "json"];
        let found = json(&[&["predict", &run, &new], &options[..], rule].concat());
        assert!(found["warnings"].as_array().unwrap().is_empty(), "{found}");
        for row in found["rows"].as_array().unwrap() {
            let explanation = &row["explanation"];
            let neighbors = explanation["neighbors"].as_array().unwrap();
            for class in ["left", "right"] {
                let own = neighbors.iter().filter(|one| one["target"] == class);
                let sum: f64 = own.map(|one| one["share"].as_f64().unwrap()).sum();
                let p = row["probabilities"][class].as_f64().unwrap();
                assert!((sum - p).abs() < 1e-5, "{sum} {p}");
            }
            let first = &neighbors[0];
            // Rows have the numbers and names of the file.
            let number = first["row"].as_u64().unwrap();
            assert_eq!(first["id"], format!("row {}", number - 1));
            // One row of the other class is where it should not be: the noise alone tells it from its neighbors.
            let (top, rival) =
                if row["row"] == 1 { ("x", Value::Null) } else { ("noise", "row 8".into()) };
            assert_eq!(explanation["features"]["top"][0]["name"], top);
            let compared_with = &explanation["features"]["compared_with"]["id"];
            assert!(rival.is_null() || *compared_with == rival, "{compared_with}");
            assert_ne!(explanation["features"]["compared_with"]["target"], row["prediction"]);
            let difference = explanation["features"]["difference"].as_f64().unwrap();
            assert!(explanation["features"]["error"].as_f64().unwrap().abs() < 1e-4 * difference);
        }
    }
    let text = stdout(&["predict", &run, &new, "--explain=2"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "kind,neighbor_1,neighbor_1_id,neighbor_1_kind,neighbor_1_share,neighbor_2,neighbor_2_id,neighbor_2_kind,\
         neighbor_2_share,feature_1,feature_1_nearer_by,feature_2,feature_2_nearer_by,feature_3,feature_3_nearer_by"
    );
    assert!(lines.iter().all(|line| line.matches(',').count() == 14), "{text}");
    assert!(lines[1].starts_with("left,") && lines[1].contains(",0.2,"), "{text}");
    let plain = stdout(&["predict", &run, &new, "--explain"]);
    assert!(plain.contains("neighbor_3_share") && !plain.contains("neighbor_4"), "{plain}");
}

#[test]
fn a_table_that_is_gone_leaves_the_neighbors() {
    let place = Place::new();
    let run = fitted(&place, &[]);
    let (data, moved) = (place.at("t.csv"), place.at("moved.csv"));
    let explained = |options: &[&str]| {
        let of = ["predict", &run, &moved, "--explain", "--format", "json"];
        json(&[&of[..], options].concat())
    };
    fs::rename(&data, &moved).unwrap();
    let found = explained(&[]);
    let warning = found["warnings"][0]["text"].as_str().unwrap();
    assert!(warning.contains("numbered by the training rows alone"), "{warning}");
    assert!(found["rows"][0]["explanation"]["features"].is_null());
    assert_eq!(found["rows"][0]["explanation"]["neighbors"].as_array().unwrap().len(), 3);
    let found = explained(&["--train", &moved]);
    assert!(found["rows"][0]["explanation"]["features"].is_object(), "{found}");
    let wrong = place.at("wrong.csv");
    fs::write(&wrong, "name,x,noise,kind\na,1,2,left\nb,2,1,right\n").unwrap();
    let error = failure(&["predict", &run, &moved, "--explain", "--train", &wrong], 1);
    assert!(error.contains("wrong.csv does not hold the"), "{error}");
    failure(&["predict", &run, &moved, "--train", &moved], 2);
    let error = failure(&["predict", &run, &moved, "--explain=0"], 2);
    assert!(error.contains("--explain"), "{error}");
}

#[test]
fn a_wrong_label_is_the_first_of_the_list() {
    let place = Place::new();
    let run = fitted(&place, &["--test-size", "0"]);
    let labels = place.path("labels.csv");
    let write = || nca(&["info", &run, "--labels", &labels.display().to_string()]).assert();
    let printed = write().success().get_output().stdout.clone();
    assert!(printed.is_empty());
    let text = fs::read_to_string(&labels).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (25, "row,id,class,p,log_p,suggested,suggested_p"));
    assert!(lines[1].starts_with("9,row 8,left,0,-") && lines[1].contains(",right,1"), "{text}");
    fs::remove_file(place.path("t.csv")).unwrap();
    let stderr = write().success().get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&stderr).contains("numbered by the training rows alone"));
    assert!(fs::read_to_string(&labels).unwrap().starts_with("row,class,p,"));
    let error = failure(&["info", &run, "--labels", &place.at("labels.txt")], 1);
    assert!(error.contains("--labels") && error.contains(".csv"), "{error}");
}

#[test]
fn numbers_are_explained_and_their_residuals_listed() {
    let place = Place::new();
    let row = |at: usize| {
        let wrong = if at == 11 { 50.0 } else { 0.0 };
        format!("{at},{},{}\n", (at * 7) % 5, at as f64 / 2.0 + wrong)
    };
    let table = "x,noise,t\n".to_string() + &(0..30).map(row).collect::<String>();
    fs::write(place.path("t.csv"), table).unwrap();
    let (data, run) = (place.at("t.csv"), place.at("run"));
    let fit = ["--task", "regression", "--dim", "1", "--max-iterations", "5", "--test-size", "0"];
    let out = ["--no-tune", "--no-baselines", "--quiet", "--out", &run];
    nca(&[&["fit", &data, "--target", "t"], &fit[..], &out].concat()).assert().success();
    let found = json(&["predict", &run, &data, "--explain=30", "--format", "json"]);
    for row in found["rows"].as_array().unwrap() {
        let neighbors = row["explanation"]["neighbors"].as_array().unwrap();
        let of = |one: &Value, key: &str| one[key].as_f64().unwrap();
        let sum: f64 = neighbors.iter().map(|one| of(one, "share") * of(one, "target")).sum();
        assert!((sum - row["prediction"].as_f64().unwrap()).abs() < 1e-3, "{row}");
        assert!(row["explanation"]["features"]["compared_with"].is_null());
    }
    let labels = place.path("labels.csv");
    nca(&["info", &run, "--labels", &labels.display().to_string()]).assert().success();
    let text = fs::read_to_string(&labels).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (31, "row,target,value,predicted,residual"));
    assert!(lines[1].starts_with("12,t,55.5,"), "{text}");
}
