//! Names in new rows that the training rows did not have: classes and levels.

use crate::{Place, array_of, assert_parts, table};

fn write(place: &Place, name: &str, classes: [&str; 2], rows: usize) {
    let row = |at: usize| format!("{},{},{}", at % 7, at * at % 11, classes[at % 2]);
    place.file(name, table("a,b,class", rows, row));
}

#[test]
fn classes_of_the_test_table_that_no_training_row_has_are_refused_with_the_likely_name() {
    let place = Place::new();
    write(&place, "train.csv", ["<=50K", ">50K"], 40);
    write(&place, "test.csv", ["<=50K.", ">50K."], 10);
    let message = place.nca("fit train.csv --test test.csv").failure(1);
    let said = "10 of 10 test rows are of a class that no training row has, such as \"<=50K.\"";
    assert_parts(&message, &[said, "(\"<=50K\" but for case, spaces or dots)"]);
    write(&place, "test.csv", ["<=50K", ">50K"], 10);
    place.nca("fit train.csv --test test.csv").success();
}

#[test]
fn classes_equal_as_numbers_or_truth_values_are_one_in_the_test_table_as_at_evaluation() {
    let place = Place::new();
    let spellings = [["False", "True"], ["0", "1"], ["false", "true"], ["0.0", "1.0"]];
    for (at, learned) in spellings.iter().enumerate() {
        let tested = spellings[(at + 1) % 4];
        write(&place, "train.csv", *learned, 40);
        write(&place, "test.csv", tested, 10);
        let fit = "fit train.csv --test test.csv --method euclidean --out run";
        let report = place.nca(fit).json();
        let classes = array_of(&report["data"]["classes"]).iter();
        let found: Vec<_> = classes.map(|class| (&class["name"], &class["test"])).collect();
        let expected = learned.map(|name| (name.into(), 5.into()));
        assert_eq!(found, expected.each_ref().map(|(name, test)| (name, test)), "{tested:?}");
        assert_eq!(place.nca("evaluate run test.csv").json()["rows"], 10);
        place.clear("run");
    }
    write(&place, "train.csv", ["0", "1"], 40);
    write(&place, "test.csv", ["no", "yes"], 10);
    let message = place.nca("fit train.csv --test test.csv").failure(1);
    assert!(message.contains("are of a class that no training row has"), "{message}");
}

#[test]
fn an_infinite_class_among_numbers_is_refused_whatever_else_the_table_holds() {
    let place = Place::new();
    write(&place, "t.csv", ["1", "2"], 40);
    place.file("t.csv", place.read("t.csv").replacen(",2\n", ",inf\n", 1));
    write(&place, "w.csv", ["low", "inf"], 40);
    for options in ["", "--missing mean", "--categorical a", "--test w.csv"] {
        let message = place.nca(&format!("fit t.csv {options}")).failure(1);
        assert!(message.contains("the class is infinite (inf); write a finite one"), "{message}");
        if !options.contains("--test") {
            place.nca(&format!("fit w.csv --method euclidean {options}")).success();
        }
    }
}
