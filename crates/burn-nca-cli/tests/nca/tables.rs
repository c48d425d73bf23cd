//! Real-world tables: text, missing values, names, weights, groups, and files of other forms.

use serde_json::Value;

use crate::{Place, assert_parts, codes, failure, json, nca, read_json, stdout, words};

/// Ninety patients with text, missing values, a name and a weight; ill where `a` is large, or the town is `Oslo`.
fn patients(rows: std::ops::Range<usize>) -> String {
    let mut text = String::from("name,a,b,town,smokes,w,visit,part,ill\n");
    for row in rows {
        let a = (row * 7) % 30;
        let town = ["Rome", "Oslo", "Bonn"][row % 3];
        let ill = a > 17 || town == "Oslo";
        let (a, b) = (a as f64 / 2.0, (row * 11) % 13);
        let a = if row % 8 == 1 { "NA".to_string() } else { a.to_string() };
        let smokes = if row % 2 == 0 { "yes" } else { "no" };
        let (w, part) = (1 + row % 2, if row % 4 == 0 { "test" } else { "train" });
        let class = if ill { "ill" } else { "well" };
        text.push_str(&format!("p{row},{a},{b},{town},{smokes},{w},v{},{part},{class}\n", row / 3));
    }
    text
}

fn said(report: &Value) -> String {
    let warnings = report["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["text"].as_str().unwrap().to_string() + "\n").collect()
}

const FEW: [&str; 3] = ["-q", "--max-iterations", "3"];

/// A fit of the patients with these options; the report.
fn fit(place: &Place, options: &str) -> Value {
    let data = place.file("patients.csv", &patients(0..90));
    let options: Vec<&str> = options.split_whitespace().collect();
    json(&[&["fit", &data, "--format", "json"], &FEW[..], &options].concat())
}

#[test]
fn a_raw_table_is_prepared_and_its_model_needs_the_raw_table_alone() {
    let place = Place::new();
    let out = place.at("run");
    let report = fit(
        &place,
        &format!(
            "--id name --ignore w,visit,part --missing mean --missing-indicators --categorical auto --out {out}"
        ),
    );
    let text = said(&report);
    assert_parts(&text, &["filled with the mean of the training rows", "\"a\""]);
    assert_parts(&text, &["one feature of 0 and 1 per level", "\"town\" (3)"]);
    let model = read_json(&place.path("run/model/model.json"));
    let names: Vec<&str> = model["scaling"]["names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert_eq!(names, ["a", "a is missing", "b", "town=Bonn", "town=Oslo", "town=Rome", "smokes"]);

    // New rows of other columns, another order, an unseen town and a missing value where none was.
    let new = place.file(
        "new.csv",
        "town,smokes,b,a,name,more\nOslo,no,1,3.5,x1,z\nParis,yes,2,NA,x2,z\nRome,yes,,1,x3,z\n",
    );
    let output = nca(&["predict", &out, &new]).assert().success().get_output().clone();
    let (text, told) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "name,ill");
    assert!(
        lines[1].starts_with("x1,") && lines[3].starts_with("x3,") && lines.len() == 4,
        "{text}"
    );
    assert_parts(&told, &["\"town\" holds in 1 row a level", "\"Paris\""]);
    assert!(told.contains("\"b\" (1)"), "{told}");
    let document = json(&["predict", &out, &new, "--format", "json", "--probabilities"]);
    assert_eq!((&document["target"], &document["id"]), (&"ill".into(), &"name".into()));
    assert_eq!(document["rows"][1]["id"], "x2");
    assert!(document["rows"][1]["probabilities"]["well"].is_number());
    assert!(stdout(&["transform", &out, &new]).starts_with("name,z1,"));
    // The table of the fit is found and prepared again for the comparison.
    let data = place.at("patients.csv");
    let evaluation = json(&["evaluate", &out, &data, "--format", "json"]);
    assert!(evaluation["euclidean"]["knn"].is_number(), "{evaluation}");
    assert!(codes(&evaluation).contains(&"training_rows"));
}

/// The columns of the files `mixed` of burn-nca-data that are features.
#[cfg(feature = "parquet")]
const MIXED: &str = "open,city,count,width
false,Rome,3,5.126
false,Oslo,7,4.868
false,\"São, Paulo\",4,
false,Rome,0,5.105
false,Oslo,6,4.464
false,\"São, Paulo\",6,5.362
false,Rome,7,6.304
false,Oslo,1,5.947
false,\"São, Paulo\",0,4.296
true,Rome,7,3.735
true,Oslo,0,4.377
true,\"São, Paulo\",4,5.041
";

#[cfg(feature = "parquet")]
#[test]
fn parquet_and_arrow_files_are_tables_as_csv_files_are() {
    let place = Place::new();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../burn-nca-data/tests/corpus");
    let parquet = format!("{corpus}/parquet/mixed-polars.parquet");
    let out = place.at("run");
    let fit = ["fit", &parquet, "--target", "y", "--ignore", "note", "--missing", "mean"];
    let more = ["--categorical", "auto", "--test-size", "0", "--format", "json", "--out", &out];
    let report = json(&[&fit[..], &more, &FEW].concat());
    assert!(said(&report).contains("\"city\" (3)"), "{}", said(&report));
    let csv = place.file("mixed.csv", MIXED);
    let expected = stdout(&["predict", &out, &csv]);
    assert!(expected.starts_with("y\n") && expected.lines().count() == 13, "{expected}");
    for name in ["parquet/mixed-duckdb.parquet", "arrow/mixed-zstd.feather", "arrow/mixed.arrows"] {
        let file = format!("{corpus}/{name}");
        assert_eq!(stdout(&["predict", &out, &file]), expected, "{name}");
        let bytes = std::fs::read(&file).unwrap();
        let piped = nca(&["predict", &out, "-"]).assert_fed(&bytes).success();
        assert_eq!(String::from_utf8_lossy(&piped.get_output().stdout), expected, "{name}");
    }
    let evaluation = json(&["evaluate", &out, &parquet, "--format", "json"]);
    assert_eq!(evaluation["rows"], 12, "{evaluation}");
    let told = failure(&["fit", &parquet, "--separator", ";"], 1);
    assert!(told.contains("is a Parquet file, which has no separator"), "{told}");
}

#[test]
fn rows_that_are_dropped_keep_their_place_in_predictions() {
    let place = Place::new();
    let out = place.at("run");
    let report = fit(&place, &format!("--features a,b --missing drop --out {out}"));
    assert!(
        said(&report).contains("12 of 90 rows lack a value and are left out"),
        "{}",
        said(&report)
    );
    assert_eq!(report["data"]["rows"], 78);
    let new = place.file("new.csv", "a,b\n1,2\n?,2\n3,1\n");
    let lines = stdout(&["predict", &out, &new, "--id", "b"]);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!((lines[0], lines[2]), ("b,ill", "2,"));
    assert!(stdout(&["transform", &out, &new]).lines().nth(2) == Some(","));
}

#[test]
fn rows_are_split_by_a_column_a_file_or_groups() {
    let place = Place::new();
    let common = "--features b,town --categorical auto";
    let by_column = fit(&place, &format!("{common} --split part"));
    let count = |report: &Value, part: &str| -> u64 {
        let classes = report["data"]["classes"].as_array().unwrap();
        classes.iter().map(|class| class[part].as_u64().unwrap()).sum()
    };
    assert_eq!((count(&by_column, "train"), count(&by_column, "test")), (67, 23));
    let test = place.file("test.csv", &patients(90..110));
    let by_file = fit(&place, &format!("{common} --test {test}"));
    assert_eq!((count(&by_file, "train"), count(&by_file, "test")), (90, 20));
    let by_groups =
        fit(&place, &format!("{common} --groups visit --tune --budget 0.01 --folds 2 --repeats 1"));
    let points = by_groups["embedding"]["points"].as_array().unwrap();
    let part_of = |row: u64| {
        let point = points.iter().find(|point| point["row"] == row).unwrap();
        point["part"].as_str().unwrap().to_string()
    };
    for visit in 0..30 {
        let parts: Vec<String> = (1..=3).map(|row| part_of(3 * visit + row)).collect();
        assert!(parts[0] == parts[1] && parts[1] == parts[2], "visit {visit}: {parts:?}");
    }
    assert!(said(&by_groups).contains("30 groups of column \"visit\""));
}

#[test]
fn weights_count_in_the_fit_and_in_the_votes() {
    let place = Place::new();
    let out = place.at("run");
    let rare: String = (0..60)
        .map(|row| {
            format!(
                "{},{},{}\n",
                row % 10,
                (row * 7) % 11,
                if row % 12 == 5 { "rare" } else { "often" }
            )
        })
        .collect();
    let data = place.file("rare.csv", &format!("a,b,y\n{rare}"));
    nca(&[&["fit", &data, "--balanced", "--test-size", "0", "--out", &out], &FEW[..]].concat())
        .assert()
        .success();
    let model = read_json(&place.path("run/model/model.json"));
    let weights: Vec<f64> = model["weights"]
        .as_array()
        .unwrap()
        .iter()
        .map(|weight| weight.as_f64().unwrap())
        .collect();
    assert!((weights[5] - 6.0).abs() < 1e-9 && weights.len() == 60, "60 / (2 * 5): {weights:?}");
    let predictions = stdout(&["predict", &out, &data, "--neighbors", "20"]);
    assert!(predictions.contains("rare"), "one vote of 6 among 20 of 6 / 11");
    let weighted = fit(&place, "--features b,town --categorical auto --weights w");
    assert!(said(&weighted).contains("column \"w\"") && !said(&weighted).contains("counts all"));
    let pca = "--features b --weights w --method pca --dim 1 --format json";
    let pca = json(&[vec!["fit", &place.at("patients.csv")], words(pca)].concat());
    assert!(said(&pca).contains("the metric of pca counts all rows alike"), "{}", said(&pca));
}

#[test]
fn weights_count_for_a_numeric_target_and_points_have_the_ids_of_their_rows() {
    let place = Place::new();
    let row = |row: usize| {
        let (a, b) = (row % 9, row * 7 % 11);
        // The last rows say something else, and count for nothing.
        let (target, weight) = if row < 50 { (3 * a + b, 2) } else { (900, 0) };
        format!("n{row},{a},{b},{weight},{target}\n")
    };
    let rows: String = (0..60).map(row).collect();
    let data = place.file("weighted.csv", &format!("name,a,b,w,y\n{rows}"));
    for task in [&["--task", "regression"][..], &["--soft"]] {
        let out = place.at(task[0]);
        let common = ["fit", &data, "--id", "name", "--test-size", "0", "--max-iterations", "5"];
        let options = ["--weights", "w", "--format", "json", "--out", &out];
        let report = json(&[&common[..], task, &options].concat());
        assert!(said(&report).contains("column \"w\""));
        let points = report["embedding"]["points"].as_array().unwrap();
        assert_eq!(points.len(), 50, "rows of weight 0 are left out");
        for point in points {
            let row = point["row"].as_u64().unwrap() - 1;
            assert_eq!(point["id"], format!("n{row}"));
            assert!(point["predicted"].as_f64().unwrap() < 40.0, "{point}");
        }
        let weights = &read_json(&place.path(task[0]).join("model/model.json"))["weights"];
        assert_eq!((&weights[0], weights.as_array().unwrap().len()), (&1.0.into(), 50));
        let predicted = stdout(&["predict", &out, &data, "--rule", "soft"]);
        let largest = predicted.lines().skip(1).filter_map(|line| {
            line.rsplit(',').next().and_then(|number| number.parse::<f64>().ok())
        });
        assert!(largest.fold(0.0, f64::max) < 40.0, "{predicted}");
    }
}

#[test]
fn an_empty_class_is_a_row_without_a_class() {
    let place = Place::new();
    let rows: String = (0..40)
        .map(|row| format!("{},{},{}\n", row % 10, row % 7, ["u", "v", "", "v"][row % 4]))
        .collect();
    let data = place.file("part.csv", &format!("a,b,y\n{rows}"));
    for options in [&[][..], &["--missing", "mean"]] {
        let report = json(&[&["fit", &data, "--format", "json"], &FEW[..], options].concat());
        assert_eq!(report["data"]["rows"], 30);
        assert!(codes(&report).contains(&"rows_without_class"));
        assert!(
            said(&report).contains("10 rows have no class (the first is row 3)"),
            "{}",
            said(&report)
        );
        let drawn = report["embedding"]["unlabelled"].as_array().unwrap();
        let rows: Vec<u64> = drawn.iter().map(|row| row["row"].as_u64().unwrap()).collect();
        assert_eq!(rows, (0..10).map(|row| 4 * row + 3).collect::<Vec<u64>>());
        // The others are numbered by the file, too.
        let points = report["embedding"]["points"].as_array().unwrap();
        let mut rows: Vec<u64> = points.iter().map(|row| row["row"].as_u64().unwrap()).collect();
        rows.sort_unstable();
        let others: Vec<u64> = (1..=40).filter(|row| row % 4 != 3).collect();
        assert_eq!(rows, others);
    }
}

#[test]
fn rows_without_a_class_are_neighbors_where_that_is_asked_for() {
    let place = Place::new();
    let row =
        |row: usize| format!("{},{},{}\n", row % 10, row * row % 7, ["u", "v", "", "v"][row % 4]);
    let data = place.file("part.csv", &format!("a,b,y\n{}", (0..60).map(row).collect::<String>()));
    let plain = ["fit", &data, "--format", "json", "--no-tune"];
    let neighbors = [&plain[..], &["--unlabeled", "neighbors"]].concat();
    let (without, with) = (json(&plain), json(&neighbors));
    assert!(
        said(&with).contains(
            "15 rows have no class (the first is row 3) and are part of the denominators"
        )
    );
    assert_eq!(with["embedding"]["unlabelled"].as_array().unwrap().len(), 15);
    assert_eq!(with["p"].as_array().unwrap().len(), without["p"].as_array().unwrap().len());
    assert_ne!(with["matrix"], without["matrix"]);
    // Mini-batches, early stopping and a search take them along.
    for options in
        ["--optimizer adam --epochs 2 --batch-size 20", "--early-stopping", "--tune --budget 1"]
    {
        let options: Vec<&str> = options.split(' ').collect();
        let neighbors = [&neighbors[..4], &["--unlabeled", "neighbors"], &options].concat();
        nca(&neighbors).assert().success();
    }
}

#[test]
fn files_of_other_forms_are_read_as_they_are_said_to_be() {
    let place = Place::new();
    let rows: String = (0..30)
        .map(|row| format!("{},5;{};{}\n", row % 10, row % 7, ["ä", "ö"][row % 2]))
        .collect();
    let text = format!("größe;b;art\n{rows}");
    let latin1: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    let path = place.path("latin1.csv");
    std::fs::write(&path, latin1).unwrap();
    let data = place.at("latin1.csv");
    assert!(failure(&["fit", &data], 1).contains("--encoding"));
    assert!(failure(&["fit", &data, "--encoding", "latin1"], 1).contains("--decimal comma"));
    let out = place.at("run");
    let options = ["--encoding", "latin1", "--decimal", "comma", "--out", &out];
    nca(&[&["fit", &data], &FEW[..], &options].concat()).assert().success();
    // The model remembers the form, and UTF-16 is detected.
    assert!(stdout(&["predict", &out, &data]).starts_with("art\n"));
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    std::fs::write(
        place.path("utf16.csv"),
        [0xff, 0xfe].into_iter().chain(units).collect::<Vec<u8>>(),
    )
    .unwrap();
    assert_eq!(stdout(&["predict", &out, &place.at("utf16.csv")]).lines().count(), 31);
    let bars = place.file("bars.txt", "a|b|y\n1|2|u\n3|4|v\n2|2|u\n5|4|v\n");
    nca(&[&["fit", &bars, "--test-size", "0"], &FEW[..]].concat()).assert().success();
    let colons = bars.replace("bars.txt", "colons.txt");
    std::fs::write(&colons, "a:b:y\n1:2:u\n3:4:v\n2:2:u\n5:4:v\n").unwrap();
    nca(&[&["fit", &colons, "--separator", ":", "--test-size", "0"], &FEW[..]].concat())
        .assert()
        .success();
    assert!(failure(&["fit", &colons, "--separator", "::"], 2).contains("one character"));
}

#[test]
fn a_table_comes_from_standard_input_wherever_one_is_read() {
    let place = Place::new();
    let out = place.at("run");
    let table = patients(0..60);
    let options = ["--features", "b,town", "--categorical", "auto", "--id", "name", "--out", &out];
    nca(&[&["fit", "-"], &FEW[..], &options].concat()).assert_fed(table.as_bytes()).success();
    let output = nca(&["predict", &out, "-"]).assert_fed(table.as_bytes()).success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("name,ill\np0,"), "{text}");
    let evaluated = nca(&["evaluate", &out, "-"]).assert_fed(table.as_bytes()).success();
    assert!(String::from_utf8(evaluated.get_output().stdout.clone()).unwrap().contains("60 rows"));
}
