//! Arrays where the fit had a table of named columns: they are taken by their order, and NaN is a missing value.

use serde_json::Value;

use crate::{Place, array, assert_parts, gzip, table};

/// A table of two features in two classes, and its arrays; one value is this.
fn write(place: &Place, missing: f64) {
    let value = |at: usize| if at == 5 { missing } else { (at * at % 11) as f64 };
    let rows: Vec<[f64; 2]> = (0..24).map(|at| [(at % 7) as f64, value(at)]).collect();
    let cell = |value: f64| if value.is_nan() { String::new() } else { value.to_string() };
    // Truth values for classes.
    let row = |at: usize| {
        let [wide, high] = rows[at].map(cell);
        format!("{wide},{high},{}", ["False", "True"][at % 2])
    };
    place.file("t.csv", table("wide,high,y", 24, row));
    place.file("x.npy", array(&rows.concat(), 2));
    place.file("x1.npy", array(&rows.iter().map(|row| row[0]).collect::<Vec<_>>(), 1));
    place.file("y.npy", array(&(0..24).map(|row| (row % 2) as f64).collect::<Vec<_>>(), 1));
}

/// Runs the checks on models of this source, as it is and prepared.
fn fitted(place: &Place, data: &str, check: impl Fn()) {
    for options in ["", "--missing mean"] {
        let fit = "fit --method euclidean --test-size 0 --out run";
        place.nca(&format!("{fit} {data} {options}")).success();
        check();
        place.clear("run");
    }
}

fn accuracy(place: &Place, data: &str) -> Value {
    place.nca(&format!("evaluate run {data}")).json()["accuracy"].take()
}

#[test]
fn an_array_is_taken_in_the_order_of_the_columns_from_a_file_or_fed() {
    let place = Place::new();
    write(&place, 3.0);
    let read = |name: &str| std::fs::read(place.path(name)).unwrap();
    let (array, packed) = (read("x.npy"), gzip(&read("x.npy")));
    let note = "have no names and are taken in the order of the fit: wide, high";
    fitted(&place, "t.csv", || {
        for command in ["predict", "transform"] {
            let of_array = place.nca(&format!("{command} run x.npy")).success();
            let of_table = place.nca(&format!("{command} run t.csv")).printed();
            assert_eq!(of_array.stdout(), of_table);
            assert!(of_array.stderr().contains(note));
        }
        // Truth values and the numbers made of them are the same classes.
        assert_eq!(accuracy(&place, "x.npy,y.npy"), accuracy(&place, "t.csv"));
        let error = place.nca("predict run x1.npy").fails(1, &["columns"]);
        assert!(!error.contains(note), "{error}");

        let expected = place.nca("predict run x.npy").printed();
        let sources: &[&str] = if cfg!(unix) { &["-", "/dev/stdin"] } else { &["-"] };
        for (source, bytes) in sources.iter().flat_map(|&one| [(one, &array), (one, &packed)]) {
            let fed = place.nca(&format!("predict run {source}")).run_fed(bytes).success();
            let name = if source == "-" { "standard input" } else { source };
            let said = format!("{name}: the columns of an array {note}");
            assert_eq!((fed.stdout(), fed.stderr().contains(&said)), (expected.clone(), true));
        }
        let fed = place.nca("predict run -").run_fed(read("t.csv")).success();
        assert_eq!(fed.stdout(), expected);
        place.nca("predict run -").run_fed(read("y.npy")).code(1);
    });
    place.file("n.csv", place.read("t.csv").replace("False", "0").replace("True", "1"));
    let tested = "fit n.csv --test x.npy,y.npy --method euclidean --no-baselines";
    assert_parts(&place.nca(tested).said(), &[note]);
}

#[test]
fn a_table_is_taken_in_its_order_by_a_model_of_an_array() {
    let place = Place::new();
    write(&place, 3.0);
    let text = place.read("t.csv");
    let rows: Vec<&str> =
        text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0).collect();
    place.file("n.csv", table("wide,high", 24, |at| rows[at].to_string()));
    place.file("p.csv", table("high,x1", 24, |at| rows[at].to_string()));
    place.file("i.csv", table("name,wide,high", 24, |at| format!("row {},{}", at + 1, rows[at])));
    let note = "the columns of the fit have no names, and those of the table are taken in their \
                order: wide, high";
    fitted(&place, "x.npy,y.npy", || {
        for command in ["predict", "transform"] {
            let of_table = place.nca(&format!("{command} run n.csv")).success();
            let of_array = place.nca(&format!("{command} run x.npy")).success();
            assert_eq!(of_table.stdout(), of_array.stdout());
            assert!(of_table.stderr().contains(note) && !of_array.stderr().contains(note));
        }
        assert!(place.nca("predict run i.csv --id name").printed().contains("row 1"));
        assert_eq!(accuracy(&place, "t.csv"), accuracy(&place, "x.npy,y.npy"));
        assert!(place.nca("evaluate run t.csv").said().contains(note));
        place.nca("predict run p.csv").fails(1, &["has no column \"x2\"", "high, x1"]);
        place.nca("predict run t.csv").fails(1, &[]);
    });
    let tested = "fit x.npy,y.npy --test t.csv --method euclidean";
    assert!(place.nca(tested).said().contains(note));
}

#[test]
fn a_missing_value_of_an_array_is_filled_in_as_that_of_a_table() {
    let place = Place::new();
    write(&place, f64::NAN);
    let embedded = |data: &str, new: &str, missing: &str| {
        let fit = format!("fit {data} --missing {missing} --method pca --test-size 0 --out run");
        place.nca(&fit).success();
        let embedded = place.nca(&format!("transform run {new}")).printed();
        place.clear("run");
        embedded
    };
    for missing in ["mean", "median", "most-frequent", "drop"] {
        let of_table = embedded("t.csv", "t.csv", missing);
        assert_eq!(embedded("x.npy,y.npy", "x.npy", missing), of_table);
        assert_eq!(embedded("t.csv", "x.npy", missing), of_table);
    }
}
