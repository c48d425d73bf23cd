//! Names in new rows that the training rows did not have: classes and levels.

use std::fs;

use crate::{Place, failure, stdout};

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
