//! Targets that a feature gives away or that lack values, columns of money, and classes that no training row has.

use crate::{Place, array_of, table};

/// A short fit of the table.
const FIT: &str = "fit t.csv -q --no-tune --no-baselines --max-iterations 3";

/// Writes sixty rows of this header, of which each begins with two columns of noise.
fn write(place: &Place, header: &str, row: impl Fn(usize) -> String) {
    let row = |at: usize| format!("{},{},{}", at * 37 % 23, at * 11 % 17, row(at));
    place.file("t.csv", table(&format!("a,b,{header}"), 60, row));
}

#[test]
fn a_copy_of_the_class_is_named_as_text_and_as_numbers() {
    let place = Place::new();
    let said = |options: &str| place.nca(&format!("{FIT} {options}")).said();
    let class = |at: usize| ["u", "v", "w"][at % 3];
    write(&place, "kind,y", |at| format!("{},{}", ["x", "y", "z"][at % 3], class(at)));
    let told = said("--categorical auto");
    assert_eq!(told.matches("determines the target exactly").count(), 1, "{told}");
    assert!(told.contains("the column kind determines"), "{told}");
    write(&place, "kind,y", |at| format!("{},{}", 7 - at % 3, class(at)));
    assert!(said("").contains("the column kind determines"));
    let told = said("--ignore kind");
    assert!(!told.contains("determine"), "{told}");
}

#[test]
fn columns_of_money_and_shares_are_no_levels() {
    let place = Place::new();
    for (cell, cure) in
        [("\"$1,200.50\"", "currency"), ("\"1,200\"", "thousands"), ("12 %", "percent")]
    {
        write(&place, "money,y", |at| format!("{cell},{}", ["u", "v"][at % 2]));
        for options in ["", "--categorical auto", "--missing mean"] {
            let message = place.nca(&format!("fit t.csv {options}")).fails(1, &[cure]);
            assert!(!message.contains("--categorical auto"), "{message}");
        }
    }
}

fn write_classes(place: &Place, name: &str, classes: [&str; 2], rows: usize) {
    let row = |at: usize| format!("{},{},{}", at % 7, at * at % 11, classes[at % 2]);
    place.file(name, table("a,b,class", rows, row));
}

#[test]
fn classes_of_the_test_table_that_no_training_row_has_are_refused_with_the_likely_name() {
    let place = Place::new();
    write_classes(&place, "train.csv", ["<=50K", ">50K"], 40);
    write_classes(&place, "test.csv", ["<=50K.", ">50K."], 10);
    let said = "10 of 10 test rows are of a class that no training row has, such as \"<=50K.\"";
    let parts = [said, "(\"<=50K\" but for case, spaces or dots)"];
    place.nca("fit train.csv --test test.csv").fails(1, &parts);
    write_classes(&place, "test.csv", ["<=50K", ">50K"], 10);
    place.nca("fit train.csv --test test.csv").success();
}

#[test]
fn classes_equal_as_numbers_or_truth_values_are_one_in_the_test_table_as_at_evaluation() {
    let place = Place::new();
    let spellings = [["False", "True"], ["0", "1"], ["false", "true"], ["0.0", "1.0"]];
    for (at, learned) in spellings.iter().enumerate() {
        let tested = spellings[(at + 1) % 4];
        write_classes(&place, "train.csv", *learned, 40);
        write_classes(&place, "test.csv", tested, 10);
        let fit = "fit train.csv --test test.csv --method euclidean --out run";
        let report = place.nca(fit).json();
        let classes = array_of(&report["data"]["classes"]).iter();
        let found: Vec<_> = classes.map(|class| (&class["name"], &class["test"])).collect();
        let expected = learned.map(|name| (name.into(), 5.into()));
        assert_eq!(found, expected.each_ref().map(|(name, test)| (name, test)), "{tested:?}");
        assert_eq!(place.nca("evaluate run test.csv").json()["rows"], 10);
        place.clear("run");
    }
    write_classes(&place, "train.csv", ["0", "1"], 40);
    write_classes(&place, "test.csv", ["no", "yes"], 10);
    let said = "are of a class that no training row has";
    place.nca("fit train.csv --test test.csv").fails(1, &[said]);
}

#[test]
fn an_infinite_class_among_numbers_is_refused_whatever_else_the_table_holds() {
    let place = Place::new();
    write_classes(&place, "t.csv", ["1", "2"], 40);
    place.file("t.csv", place.read("t.csv").replacen(",2\n", ",inf\n", 1));
    write_classes(&place, "w.csv", ["low", "inf"], 40);
    for options in ["", "--missing mean", "--categorical a", "--test w.csv"] {
        let said = "the class is infinite (inf); write a finite one";
        place.nca(&format!("fit t.csv {options}")).fails(1, &[said]);
        if !options.contains("--test") {
            place.nca(&format!("fit w.csv --method euclidean {options}")).success();
        }
    }
}
