//! Classes that are equal or infinite as numbers.

use crate::{Place, array_of, table};

fn write_classes(place: &Place, name: &str, classes: [&str; 2], rows: usize) {
    let row = |at: usize| format!("{},{},{}", at % 7, at * at % 11, classes[at % 2]);
    place.file(name, table("a,b,class", rows, row));
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
    }
    place.nca("fit w.csv --method euclidean --missing mean").success();
}
