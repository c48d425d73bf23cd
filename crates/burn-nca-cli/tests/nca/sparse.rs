//! Sparse tables, from a Matrix Market file to predictions.

use std::fmt::Write;

use crate::{Place, json, read_json, stdout};

/// Ninety texts of three topics over forty words, and their topics.
pub fn texts(place: &Place) -> String {
    let (mut entries, mut topics) = (String::new(), "topic\n".to_string());
    let mut count = 0;
    for row in 0..90 {
        let topic = row % 3;
        for word in 0..40 {
            // A topic has ten words of its own, and all share the last ten.
            let own = word / 10 == topic && (row * 7 + word * 5) % 4 < 2;
            let shared = word >= 30 && (row * 3 + word) % 5 == 0;
            if own || shared {
                count += 1;
                writeln!(entries, "{} {} {}", row + 1, word + 1, 1 + (row + word) % 3).unwrap();
            }
        }
        topics.push_str(["sport\n", "tech\n", "law\n"][topic]);
    }
    let text =
        format!("%%MatrixMarket matrix coordinate integer general\n90 40 {count}\n{entries}");
    format!("{},{}", place.file("counts.mtx", &text), place.file("topics.csv", &topics))
}

#[test]
fn a_sparse_table_is_reduced_for_the_fit_and_its_model_takes_the_table_itself() {
    let place = Place::new();
    let (data, out) = (texts(&place), place.at("run"));
    let options = "--dim 2 --reduce 8 --no-tune --format json --out";
    let given: Vec<&str> = ["fit", &data].into_iter().chain(options.split(' ')).collect();
    let report = json(&[&given[..], &[&out]].concat());
    let told = &report["warnings"][0]["text"];
    assert!(told.as_str().unwrap().contains("40 columns"), "{told}");
    let info = json(&["info", &out, "--format", "json"]);
    assert_eq!(
        (&info["settings"]["d_input"], &info["settings"]["d_output"]),
        (&40.into(), &2.into())
    );
    let measured = json(&["evaluate", &out, &data, "--format", "json"]);
    assert!(measured["accuracy"]["knn"].as_f64().unwrap() > 0.9, "{measured}");
    let alone = data.split(',').next().unwrap();
    let predicted = stdout(&["predict", &out, alone]);
    let topics = std::fs::read_to_string(place.path("topics.csv")).unwrap();
    let right = predicted.lines().zip(topics.lines()).filter(|(a, b)| a == b).count();
    assert!(right > 80, "{right} of 91 lines");
    assert_eq!(stdout(&["transform", &out, alone]).lines().count(), 91);
    let report = read_json(&place.path("run").join("report.json"));
    assert!(report["replay"]["frames"].as_array().unwrap().len() > 2);
}

#[test]
fn an_archive_of_scipy_is_such_a_table() {
    let place = Place::new();
    let rows = concat!(env!("CARGO_MANIFEST_DIR"), "/../burn-nca-data/tests/corpus/npz/csr.npz");
    let topics = place.file("topics.csv", "topic\na\nb\na\nb\nb\n");
    let (data, out) = (format!("{rows},{topics}"), place.at("run"));
    let fit = ["fit", &data, "--method", "pca", "--dim", "2", "--test-size", "0", "--out", &out];
    let report = json(&[&fit[..], &["--format", "json"]].concat());
    assert_eq!((&report["data"]["rows"], &report["data"]["columns"]), (&5.into(), &4.into()));
    assert_eq!(stdout(&["predict", &out, rows]).lines().count(), 6);
}
