//! Arrays where the fit had a table of named columns: they are taken by their order, and NaN is a missing value.

use std::io::Write;

use burn_nca_data::{Matrix, npy_file};
use flate2::{Compression, write::GzEncoder};

use crate::{Place, failure, nca, stdout};

/// 24 rows of two features in two classes, with no value in one of them.
fn rows(missing: f64) -> Vec<[f64; 2]> {
    let row = |at: usize| [(at % 7) as f64, if at == 5 { missing } else { (at * at % 11) as f64 }];
    (0..24).map(row).collect()
}

/// The files of these rows: as a table, as arrays, and with truth values for classes.
fn write(place: &Place, rows: &[[f64; 2]]) {
    let cell = |value: f64| if value.is_nan() { String::new() } else { value.to_string() };
    let line = |(at, row): (usize, &[f64; 2])| {
        format!("{},{},{}\n", cell(row[0]), cell(row[1]), ["False", "True"][at % 2])
    };
    let body: String = rows.iter().enumerate().map(line).collect();
    place.file("t.csv", &format!("wide,high,y\n{body}"));
    let array = |values: Vec<f64>, columns| npy_file(&Matrix::F64 { values, columns });
    std::fs::write(place.path("x.npy"), array(rows.concat(), 2)).unwrap();
    std::fs::write(place.path("x1.npy"), array(rows.iter().map(|row| row[0]).collect(), 1))
        .unwrap();
    let classes = (0..rows.len()).map(|row| (row % 2) as f64).collect();
    std::fs::write(place.path("y.npy"), array(classes, 1)).unwrap();
}

#[test]
fn an_array_is_taken_in_the_order_of_the_columns() {
    let place = Place::new();
    write(&place, &rows(3.0));
    let [table, x, x1, out] = ["t.csv", "x.npy", "x1.npy", "run"].map(|name| place.at(name));
    let pair = format!("{x},{}", place.at("y.npy"));
    let fit = |extra: &[&str]| {
        let fit = ["fit", &table, "--out", &out, "--method", "euclidean", "--test-size", "0"];
        nca(&[&fit[..], extra].concat()).assert().success();
    };
    let note = "have no names and are taken in the order of the fit: wide, high";
    for extra in [&[][..], &["--missing", "mean"]] {
        fit(extra);
        for command in ["predict", "transform"] {
            assert_eq!(stdout(&[command, &out, &x]), stdout(&[command, &out, &table]));
            let said = nca(&[command, &out, &x]).output().unwrap().stderr;
            assert!(String::from_utf8(said).unwrap().contains(note));
        }
        // Truth values and the numbers made of them are the same classes.
        let scores = |data: &str| {
            let scores = stdout(&["evaluate", &out, data, "--format", "json"]);
            serde_json::from_str::<serde_json::Value>(&scores).unwrap()["accuracy"].clone()
        };
        assert_eq!(scores(&pair), scores(&table));
        let error = failure(&["predict", &out, &x1], 1);
        assert!(error.contains("columns") && !error.contains(note), "{error}");
        std::fs::remove_dir_all(place.path("run")).unwrap();
    }
    let numbered =
        std::fs::read_to_string(&table).unwrap().replace("False", "0").replace("True", "1");
    let numbered = place.file("n.csv", &numbered);
    let tested = ["fit", &numbered, "--test", &pair, "--method", "euclidean", "--no-baselines"];
    let said = nca(&tested).assert().success();
    let said = String::from_utf8(said.get_output().stderr.clone()).unwrap();
    assert!(said.contains(note), "{said}");
}

#[test]
fn an_array_that_is_fed_is_taken_as_that_of_a_file() {
    let place = Place::new();
    write(&place, &rows(3.0));
    let [table, x, y, out] = ["t.csv", "x.npy", "y.npy", "run"].map(|name| place.at(name));
    let array = std::fs::read(&x).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&array).unwrap();
    let packed = packed.finish().unwrap();
    for extra in [&[][..], &["--missing", "mean"]] {
        let fit = ["fit", &table, "--out", &out, "--method", "euclidean", "--test-size", "0"];
        nca(&[&fit[..], extra].concat()).assert().success();
        let expected = stdout(&["predict", &out, &x]);
        let sources: &[&str] = if cfg!(unix) { &["-", "/dev/stdin"] } else { &["-"] };
        for (source, bytes) in sources.iter().flat_map(|&one| [(one, &array), (one, &packed)]) {
            let fed = nca(&["predict", &out, source]).assert_fed(bytes).success();
            let name = if source == "-" { "standard input" } else { source };
            let note = format!("{name}: the columns of an array have no names and are taken in");
            let said = String::from_utf8_lossy(&fed.get_output().stderr).into_owned();
            assert_eq!(
                (&*fed.get_output().stdout, said.contains(&note)),
                (expected.as_bytes(), true)
            );
        }
        let fed = nca(&["predict", &out, "-"]).assert_fed(&std::fs::read(&table).unwrap());
        assert_eq!(fed.success().get_output().stdout, expected.as_bytes());
        let other = nca(&["predict", &out, "-"]).assert_fed(&std::fs::read(&y).unwrap());
        other.failure().code(1);
        std::fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn a_table_is_taken_in_its_order_by_a_model_of_an_array() {
    let place = Place::new();
    write(&place, &rows(3.0));
    let [table, x, out] = ["t.csv", "x.npy", "run"].map(|name| place.at(name));
    let pair = format!("{x},{}", place.at("y.npy"));
    let text = std::fs::read_to_string(&table).unwrap();
    let without_class = |names: &str| {
        let rows = text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0);
        [names].into_iter().chain(rows).map(|line| format!("{line}\n")).collect::<String>()
    };
    let named = place.file("n.csv", &without_class("wide,high"));
    let partly = place.file("p.csv", &without_class("high,x1"));
    let unnamed = without_class("wide,high");
    let with_id = unnamed.lines().enumerate().map(|(at, line)| {
        if at == 0 { format!("name,{line}\n") } else { format!("row {at},{line}\n") }
    });
    let with_id = place.file("i.csv", &with_id.collect::<String>());
    let note = "the columns of the fit have no names, and those of the table are taken in their \
                order: wide, high";
    let told = |args: &[&str]| {
        let done = nca(args).assert().success();
        String::from_utf8(done.get_output().stderr.clone()).unwrap()
    };
    for extra in [&[][..], &["--missing", "mean"]] {
        let fit = ["fit", &pair, "--out", &out, "--method", "euclidean", "--test-size", "0"];
        nca(&[&fit[..], extra].concat()).assert().success();
        for command in ["predict", "transform"] {
            assert_eq!(stdout(&[command, &out, &named]), stdout(&[command, &out, &x]));
            assert!(told(&[command, &out, &named]).contains(note));
            assert!(!told(&[command, &out, &x]).contains(note));
        }
        assert!(stdout(&["predict", &out, &with_id, "--id", "name"]).contains("row 1"));
        let scores = |data: &str| {
            let scores = stdout(&["evaluate", &out, data, "--format", "json"]);
            serde_json::from_str::<serde_json::Value>(&scores).unwrap()["accuracy"].clone()
        };
        assert_eq!(scores(&table), scores(&pair));
        assert!(told(&["evaluate", &out, &table]).contains(note));
        let error = failure(&["predict", &out, &partly], 1);
        assert!(error.contains("has no column \"x2\"") && error.contains("high, x1"), "{error}");
        failure(&["predict", &out, &table], 1);
        std::fs::remove_dir_all(&out).unwrap();
    }
    assert!(told(&["fit", &pair, "--test", &table, "--method", "euclidean"]).contains(note));
    let error = failure(&["fit", &table, "--features", "x1,x2"], 1);
    assert!(error.contains("has no column \"x1\""), "{error}");
}

#[test]
fn a_missing_value_of_an_array_is_filled_in_as_that_of_a_table() {
    let place = Place::new();
    write(&place, &rows(f64::NAN));
    let [table, x] = ["t.csv", "x.npy"].map(|name| place.at(name));
    let pair = format!("{x},{}", place.at("y.npy"));
    let embedded = |data: &str, new: &str, missing: &str| {
        let out = place.at("run");
        let fit = ["fit", data, "--out", &out, "--method", "pca", "--test-size", "0"];
        nca(&[&fit[..], &["--missing", missing]].concat()).assert().success();
        let embedded = stdout(&["transform", &out, new]);
        std::fs::remove_dir_all(&out).unwrap();
        embedded
    };
    for missing in ["mean", "median", "most-frequent", "drop"] {
        let of_table = embedded(&table, &table, missing);
        assert_eq!(embedded(&pair, &x, missing), of_table);
        assert_eq!(embedded(&table, &x, missing), of_table);
    }
    let error = failure(&["fit", &pair], 1);
    assert!(error.contains("x.npy: row 6, column \"x2\" is NaN"), "{error}");
    assert!(error.contains("--missing drop, mean, median or most-frequent"), "{error}");
}
