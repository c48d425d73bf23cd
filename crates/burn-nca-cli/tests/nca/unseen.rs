//! Names in new rows that the training rows did not have: classes and levels.

use std::fs;

use crate::{Place, failure, nca, stdout};

fn table(classes: [&str; 2], rows: usize) -> String {
    let row = |at: usize| format!("{},{},{}\n", at % 7, at * at % 11, classes[at % 2]);
    format!("a,b,class\n{}", (0..rows).map(row).collect::<String>())
}

#[test]
fn classes_of_the_test_table_that_no_training_row_has_are_refused_with_the_likely_name() {
    let place = Place::new();
    let (train, test) = (place.at("train.csv"), place.at("test.csv"));
    fs::write(&train, table(["<=50K", ">50K"], 40)).unwrap();
    fs::write(&test, table(["<=50K.", ">50K."], 10)).unwrap();
    let message = failure(&["fit", &train, "--test", &test], 1);
    assert!(
        message.contains(
            "10 of 10 test rows are of a class that no training row has, such as \"<=50K.\""
        ) && message.contains("(\"<=50K\" but for case, spaces or dots)"),
        "{message}"
    );
    fs::write(&test, table(["<=50K", ">50K"], 10)).unwrap();
    stdout(&["fit", &train, "--test", &test]);
}

#[test]
fn classes_equal_as_numbers_or_truth_values_are_one_in_the_test_table_as_at_evaluation() {
    let place = Place::new();
    let (train, test, out) = (place.at("train.csv"), place.at("test.csv"), place.at("run"));
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&stdout(&[args, &["--format", "json"]].concat())).unwrap()
    };
    let spellings = [["False", "True"], ["0", "1"], ["false", "true"], ["0.0", "1.0"]];
    for (at, learned) in spellings.iter().enumerate() {
        let tested = spellings[(at + 1) % 4];
        fs::write(&train, table(*learned, 40)).unwrap();
        fs::write(&test, table(tested, 10)).unwrap();
        let fit = ["fit", &train, "--test", &test, "--method", "euclidean", "--out", &out];
        let report = json(&fit);
        let classes = report["data"]["classes"].as_array().unwrap();
        let of = |class: &serde_json::Value| (class["name"].clone(), class["test"].clone());
        let expected = learned.map(|name| (name.into(), 5.into()));
        assert_eq!(classes.iter().map(of).collect::<Vec<_>>(), expected, "{tested:?}");
        assert_eq!(json(&["evaluate", &out, &test])["rows"], 10);
        fs::remove_dir_all(&out).unwrap();
    }
    fs::write(&train, table(["0", "1"], 40)).unwrap();
    fs::write(&test, table(["no", "yes"], 10)).unwrap();
    let message = failure(&["fit", &train, "--test", &test], 1);
    assert!(message.contains("are of a class that no training row has"), "{message}");
}

#[test]
fn an_infinite_class_among_numbers_is_refused_whatever_else_the_table_holds() {
    let place = Place::new();
    let rows = table(["1", "2"], 40).replacen(",2\n", ",inf\n", 1);
    let data = place.file("t.csv", &rows);
    let words = place.file("w.csv", &table(["low", "inf"], 40));
    for extra in [&[][..], &["--missing", "mean"], &["--categorical", "a"], &["--test", &words]] {
        let message = failure(&[&["fit", &data][..], extra].concat(), 1);
        assert!(message.contains("the class is infinite (inf); write a finite one"), "{message}");
        if !extra.contains(&"--test") {
            nca(&[&["fit", &words, "--method", "euclidean"][..], extra].concat())
                .assert()
                .success();
        }
    }
}
