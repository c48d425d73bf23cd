//! Real-world tables: text, missing values, names, weights, groups, and files of other forms.

use serde_json::Value;

use crate::{Place, array_of, assert_parts, numbers, table, warned};

/// Ninety patients with text, missing values, a name and a weight; ill where `a` is large, or the town is `Oslo`.
fn patients(rows: std::ops::Range<usize>) -> String {
    table("name,a,b,town,smokes,w,visit,part,ill", rows.len(), |at| {
        let row = rows.start + at;
        let a = (row * 7) % 30;
        let town = ["Rome", "Oslo", "Bonn"][row % 3];
        let class = if a > 17 || town == "Oslo" { "ill" } else { "well" };
        let (a, b) = (a as f64 / 2.0, (row * 11) % 13);
        let a = if row % 8 == 1 { "NA".to_string() } else { a.to_string() };
        let (smokes, w) = (["yes", "no"][row % 2], 1 + row % 2);
        let part = if row.is_multiple_of(4) { "test" } else { "train" };
        format!("p{row},{a},{b},{town},{smokes},{w},v{},{part},{class}", row / 3)
    })
}

/// A fit of few steps.
const FIT: &str = "fit -q --max-iterations 3";

/// A fit of the patients with these options; the report.
fn fit(place: &Place, options: &str) -> Value {
    place.file("patients.csv", patients(0..90));
    place.nca(&format!("{FIT} patients.csv {options}")).json()
}

/// The rows of some points, in order.
fn rows(points: &Value) -> Vec<u64> {
    let mut rows: Vec<u64> =
        array_of(points).iter().map(|point| point["row"].as_u64().unwrap()).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn a_raw_table_is_prepared_and_its_model_needs_the_raw_table_alone() {
    let place = Place::new();
    let columns = "--id name --ignore w,visit,part --categorical auto";
    let report = fit(&place, &format!("{columns} --missing mean --missing-indicators --out run"));
    let said = ["filled with the mean of the training rows", "\"a\"", "\"town\" (3)"];
    assert_parts(&warned(&report), &said);
    let expected = ["a", "a is missing", "b", "town=Bonn", "town=Oslo", "town=Rome", "smokes"];
    let model = place.json("run/model/model.json");
    assert_eq!(model["scaling"]["names"], Value::from(expected.to_vec()));

    // New rows of other columns, another order, an unseen town and a missing value where none was.
    place.file(
        "new.csv",
        "town,smokes,b,a,name,more\nOslo,no,1,3.5,x1,z\nParis,yes,2,NA,x2,z\nRome,yes,,1,x3,z\n",
    );
    let outcome = place.nca("predict run new.csv").success();
    let text = outcome.stdout();
    let names: Vec<_> = text.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(names, ["name", "x1", "x2", "x3"]);
    assert_parts(&outcome.stderr(), &["\"town\" holds in 1 row a level", "\"Paris\"", "\"b\" (1)"]);
    let document = place.nca("predict run new.csv --probabilities").json();
    assert_eq!((&document["target"], &document["id"]), (&"ill".into(), &"name".into()));
    assert_eq!(document["rows"][1]["id"], "x2");
    assert!(document["rows"][1]["probabilities"]["well"].is_number());
    assert!(place.nca("transform run new.csv").printed().starts_with("name,z1,"));
    // The table of the fit is found and prepared again for the comparison.
    let evaluation = place.nca("evaluate run patients.csv").json();
    assert!(evaluation["euclidean"]["knn"].is_number(), "{evaluation}");
    assert!(warned(&evaluation).contains("training_rows: "));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_and_arrow_files_are_tables_as_csv_files_are() {
    use crate::corpus;

    let place = Place::new();
    let parquet = corpus("parquet/mixed-polars.parquet");
    let columns = "--target y --ignore note --missing mean --categorical auto --test-size 0";
    let report = place.nca(&format!("{FIT} {parquet} {columns} --out run")).json();
    assert!(warned(&report).contains("\"city\" (3)"), "{}", warned(&report));
    // The columns of the files `mixed` of burn-nca-data that are features.
    place.file("mixed.csv", include_str!("mixed.txt"));
    let expected = place.nca("predict run mixed.csv").printed();
    assert!(expected.starts_with("y\n") && expected.lines().count() == 13, "{expected}");
    for name in ["parquet/mixed-duckdb.parquet", "arrow/mixed-zstd.feather", "arrow/mixed.arrows"] {
        let file = corpus(name);
        assert_eq!(place.nca(&format!("predict run {file}")).printed(), expected, "{name}");
        let piped = place.nca("predict run -").run_fed(std::fs::read(&file).unwrap()).success();
        assert_eq!(piped.stdout(), expected, "{name}");
    }
    let evaluation = place.nca(&format!("evaluate run {parquet}")).json();
    assert_eq!(evaluation["rows"], 12, "{evaluation}");
}

#[test]
fn rows_that_are_dropped_keep_their_place_in_predictions() {
    let place = Place::new();
    let report = fit(&place, "--features a,b --missing drop --out run");
    assert_parts(&warned(&report), &["12 of 90 rows lack a value and are left out"]);
    assert_eq!(report["data"]["rows"], 78);
    place.file("new.csv", "a,b\n1,2\n?,2\n3,1\n");
    let text = place.nca("predict run new.csv --id b").printed();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("b,ill", "2,"));
    let rows = place.nca("predict run new.csv --probabilities").json()["rows"].clone();
    assert!(rows[1]["prediction"].is_null() && rows[1]["probabilities"].is_null(), "{rows}");
    assert!(rows[2]["prediction"].is_string() && rows[2]["probabilities"].is_object(), "{rows}");
    assert_eq!(place.nca("transform run new.csv").printed().lines().nth(2), Some(","));
}

#[test]
fn rows_are_split_by_a_column_a_file_or_groups() {
    let place = Place::new();
    let split =
        |options: &str| fit(&place, &format!("--features b,town --categorical auto {options}"));
    let counts = |report: &Value| {
        let classes = array_of(&report["data"]["classes"]);
        let count = |part| classes.iter().map(|class| class[part].as_u64().unwrap()).sum::<u64>();
        ["train", "test"].map(count)
    };
    assert_eq!(counts(&split("--split part")), [67, 23]);
    place.file("test.csv", patients(90..110));
    assert_eq!(counts(&split("--test test.csv")), [90, 20]);
    let by_groups = split("--groups visit --tune --budget 0.01 --folds 2 --repeats 1");
    let points = array_of(&by_groups["embedding"]["points"]);
    let part_of = |row: u64| &points.iter().find(|point| point["row"] == row).unwrap()["part"];
    for visit in 0..30 {
        let parts = [1, 2, 3].map(|row| part_of(3 * visit + row));
        assert!(parts[0] == parts[1] && parts[1] == parts[2], "visit {visit}: {parts:?}");
    }
    assert!(warned(&by_groups).contains("30 groups of column \"visit\""));
}

#[test]
fn weights_count_in_the_fit_and_in_the_votes() {
    let place = Place::new();
    let class = |row: usize| if row % 12 == 5 { "rare" } else { "often" };
    let row = |row: usize| format!("{},{},{}", row % 10, (row * 7) % 11, class(row));
    place.file("rare.csv", table("a,b,y", 60, row));
    place.nca(&format!("{FIT} rare.csv --balanced --test-size 0 --out run")).success();
    let weights = numbers(&place.json("run/model/model.json")["weights"]);
    assert!((weights[5] - 6.0).abs() < 1e-9 && weights.len() == 60, "60 / (2 * 5): {weights:?}");
    let predictions = place.nca("predict run rare.csv --neighbors 20").printed();
    assert!(predictions.contains("rare"), "one vote of 6 among 20 of 6 / 11");
    let weighted = warned(&fit(&place, "--features b,town --categorical auto --weights w"));
    assert!(weighted.contains("column \"w\"") && !weighted.contains("counts all"));
    let pca = "fit patients.csv --features b --weights w --method pca --dim 1";
    let pca = warned(&place.nca(pca).json());
    assert!(pca.contains("the metric of pca counts all rows alike"), "{pca}");
}

#[test]
fn weights_count_for_a_numeric_target_and_points_have_the_ids_of_their_rows() {
    let place = Place::new();
    let row = |row: usize| {
        let (a, b) = (row % 9, row * 7 % 11);
        // The last rows say something else, and count for nothing.
        let (target, weight) = if row < 50 { (3 * a + b, 2) } else { (900, 0) };
        format!("n{row},{a},{b},{weight},{target}")
    };
    place.file("weighted.csv", table("name,a,b,w,y", 60, row));
    for task in ["--task regression", "--soft"] {
        let columns = "--id name --weights w --test-size 0 --max-iterations 5";
        let report = place.nca(&format!("fit weighted.csv {columns} {task}")).json();
        assert!(warned(&report).contains("column \"w\""));
        let points = array_of(&report["embedding"]["points"]);
        assert_eq!(points.len(), 50, "rows of weight 0 are left out");
        for point in points {
            let row = point["row"].as_u64().unwrap() - 1;
            assert_eq!(point["id"], format!("n{row}"));
            assert!(point["predicted"].as_f64().unwrap() < 40.0, "{point}");
        }
    }
}

#[test]
fn rows_without_a_class_are_left_out_or_are_neighbors_where_that_is_asked_for() {
    let place = Place::new();
    let class = |row: usize| ["u", "v", "", "v"][row % 4];
    let row = |row: usize| format!("{},{},{}", row % 10, row * row % 7, class(row));
    place.file("part.csv", table("a,b,y", 60, row));
    for options in ["", "--missing mean"] {
        let report = place.nca(&format!("{FIT} part.csv {options}")).json();
        assert_eq!(report["data"]["rows"], 45);
        let said = "rows_without_class: 15 rows have no class (the first is row 3)";
        assert_parts(&warned(&report), &[said]);
        let (without, others): (Vec<u64>, _) = (1..=60).partition(|row| row % 4 == 3);
        assert_eq!(rows(&report["embedding"]["unlabelled"]), without);
        // The others are numbered by the file, too.
        assert_eq!(rows(&report["embedding"]["points"]), others);
    }
    let without = place.nca("fit part.csv --no-tune").json();
    let with = place.nca("fit part.csv --no-tune --unlabeled neighbors").json();
    let said = "15 rows have no class (the first is row 3) and are part of the denominators";
    assert_parts(&warned(&with), &[said]);
    assert_eq!(rows(&with["embedding"]["unlabelled"]).len(), 15);
    assert_eq!(numbers(&with["p"]).len(), numbers(&without["p"]).len());
    assert_ne!(with["matrix"], without["matrix"]);
    // Mini-batches, early stopping and a search take them along.
    for options in
        ["--optimizer adam --epochs 2 --batch-size 20", "--early-stopping", "--tune --budget 1"]
    {
        place.nca(&format!("fit part.csv --unlabeled neighbors {options}")).success();
    }
}

#[test]
fn files_of_other_forms_are_read_as_they_are_said_to_be() {
    let place = Place::new();
    let text = table("größe;b;art", 30, |row| {
        format!("{},5;{};{}", row % 10, row % 7, ["ä", "ö"][row % 2])
    });
    place.file("latin1.csv", text.chars().map(|letter| letter as u8).collect::<Vec<u8>>());
    place.nca(&format!("{FIT} latin1.csv --encoding latin1 --decimal comma --out run")).success();
    // The model remembers the form, and UTF-16 is detected.
    assert!(place.nca("predict run latin1.csv").printed().starts_with("art\n"));
    let units = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.file::<Vec<u8>>("utf16.csv", units);
    assert_eq!(place.nca("predict run utf16.csv").printed().lines().count(), 31);
    for (separator, options) in [("|", ""), (":", "--separator :")] {
        place.file("t.txt", "a,b,y\n1,2,u\n3,4,v\n2,2,u\n5,4,v\n".replace(',', separator));
        place.nca(&format!("{FIT} t.txt --test-size 0 {options}")).success();
    }
}
