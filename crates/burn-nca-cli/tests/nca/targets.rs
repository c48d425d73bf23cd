//! Targets that a feature gives away, and classes that are equal or infinite as numbers.

use crate::{Place, array_of, table};

#[test]
fn a_copy_of_the_class_is_named_as_text_and_as_numbers() {
    let place = Place::new();
    let said = |kinds: [&str; 3], options: &str| {
        let (noise, class) = (|at| format!("{},{}", at * 37 % 23, at * 11 % 17), ["u", "v", "w"]);
        let row = |at: usize| format!("{},{},{}", noise(at), kinds[at % 3], class[at % 3]);
        place.file("t.csv", table("a,b,kind,y", 60, row));
        let fit = "fit t.csv -q --no-tune --no-baselines --max-iterations 3";
        place.nca(&format!("{fit} {options}")).said()
    };
    let told = said(["x", "y", "z"], "--categorical auto");
    assert_eq!(told.matches("determines the target exactly").count(), 1, "{told}");
    assert!(told.contains("the column kind determines"), "{told}");
    assert!(said(["7", "6", "5"], "").contains("the column kind determines"));
    let told = said(["7", "6", "5"], "--ignore kind");
    assert!(!told.contains("determine"), "{told}");
}

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
    for (learned, tested, parts) in [
        (["0", "1"], ["no", "yes"], ["are of a class that no training row has", "test rows"]),
        (
            ["<=50K", ">50K"],
            ["<=50K.", ">50K."],
            [
                "10 of 10 test rows are of a class that no training row has, such as \"<=50K.\"",
                "(\"<=50K\" but for case, spaces or dots)",
            ],
        ),
    ] {
        write_classes(&place, "train.csv", learned, 40);
        write_classes(&place, "test.csv", tested, 10);
        place.nca("fit train.csv --test test.csv").fails(1, &parts);
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
