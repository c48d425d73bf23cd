//! Tables of more features than rows, and hundreds of classes: what is written grows with the rows, not with the classes
//! squared.

use crate::{Place, array_of, assert_parts, methods_compared, number, random, table, warned};

/// Rows of two classes in many columns, the first of which separates them.
fn wide_table(rows: usize, columns: usize) -> String {
    let names: String = (1..=columns).map(|column| format!("g{column},")).collect();
    let mut next = random(1);
    let mut random = || (next() >> 21) as f64 / 512.0 - 1.0;
    table(&format!("{names}color,class"), rows, |row| {
        let first = (row % 2) as f64 + random() / 8.0;
        let others: String = (1..columns).map(|_| format!("{:.2},", random())).collect();
        format!("{first},{others}{},{}", ["red", "blue", "green"][row % 3], ["a", "b"][row % 2])
    })
}

#[test]
fn a_wide_table_takes_the_memory_of_its_rows() {
    let place = Place::new();
    place.file("genes.csv", wide_table(24, 6000));
    let fit = "fit genes.csv --ignore color --max-iterations 2 --quiet --out run";
    let said = "6000 features are mapped to 15 dimensions";
    assert_parts(&place.nca(fit).said(), &[said]);
    let report = place.json("run/report.json");
    assert_eq!(methods_compared(&report), ["Euclidean", "PCA", "LDA, shrinkage 0.01", "NCA"]);
    // One matrix of 6000 x 6000 would be 288 MB.
    let peak = report["peak_memory_bytes"].as_u64();
    assert!(peak.is_none_or(|bytes| bytes < 250 << 20), "{peak:?} bytes");
}

#[test]
fn columns_are_reduced_for_the_fit_and_the_model_takes_the_table_itself() {
    let place = Place::new();
    place.file("t.csv", wide_table(60, 12));
    let fit = "fit t.csv --categorical auto --dim 2 --no-tune";
    let report = place.nca(&format!("{fit} --reduce 6 --out run")).json();
    let said = "15 columns are reduced to 6 by PCA of the training rows, with";
    assert_parts(&warned(&report), &[said]);
    let settings = &place.nca("info run").json()["settings"];
    assert_eq!((&settings["d_input"], &settings["d_output"]), (&15.into(), &2.into()));
    let own = place.nca("evaluate run t.csv").json();
    assert!(number(&own["accuracy"], "knn") > 0.8, "{own}");
    assert_eq!(place.nca("predict run t.csv").printed().lines().count(), 61);
    place.nca(&format!("{fit} --reduce 6 --encoder mlp --epochs 9 --out mlp")).success();
    assert!(place.nca("evaluate mlp t.csv").json()["accuracy"]["knn"].is_number());
    assert_parts(&place.nca("info mlp").printed(), &["network 15-256-128-2"]);
}

#[test]
fn the_report_of_many_classes_is_small_and_lists_the_errors() {
    let place = Place::new();
    // Four rows of each class around its own place.
    let row = |i: usize| {
        let (class, at) = (i / 4, i % 4);
        format!("{},{},name {class}", class % 40 * 3 + at % 2, class / 40 * 2 + at / 2)
    };
    place.file("t.csv", table("a,b,class", 1600, row));
    let report = place.nca("fit t.csv --dim 2 --max-iterations 1 --out run").json();
    // As people count.
    assert_eq!(report["data"]["classes"][10]["name"], "name 10");
    let cells = array_of(&report["confusion"]["cells"]).iter();
    assert_eq!(cells.map(|cell| cell[2].as_u64().unwrap()).sum::<u64>(), 400);
    assert!(place.read("run/report.html").len() < 600_000);
    assert!(place.read("run/report.json").len() < 400_000);
    assert!(place.nca("evaluate run t.csv").printed().lines().count() < 70);
    let text = place.nca("info run").printed();
    assert!(text.lines().all(|line| line.chars().count() < 700), "{text}");
}
