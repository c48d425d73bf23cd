//! Thousands of classes: what is written grows with the rows, not with the classes squared.

use crate::{Place, json, nca, read_json, stdout};

/// Four rows of each class around its own place.
fn table(classes: usize) -> String {
    let row = |i: usize| {
        let (class, at) = (i / 4, i % 4);
        format!("{},{},name {class}\n", class % 40 * 3 + at % 2, class / 40 * 2 + at / 2)
    };
    format!("a,b,class\n{}", (0..4 * classes).map(row).collect::<String>())
}

#[test]
fn the_report_of_many_classes_is_small_and_lists_the_errors() {
    let place = Place::new();
    let (data, out) = (place.file("data.csv", &table(400)), place.at("run"));
    nca(&["fit", &data, "--dim", "2", "--max-iterations", "1", "--out", &out]).assert().success();
    let report = read_json(&place.path("run/report.json"));
    let names: Vec<_> = report["data"]["classes"].as_array().unwrap()[..11]
        .iter()
        .map(|class| class["name"].as_str().unwrap())
        .collect();
    assert_eq!((names[2], names[10]), ("name 2", "name 10"), "as people count");
    let confusion = report["confusion"].as_object().unwrap();
    assert!(!confusion.contains_key("counts"));
    let cells = confusion["cells"].as_array().unwrap();
    let rows: u64 = cells.iter().map(|cell| cell[2].as_u64().unwrap()).sum();
    assert_eq!(rows, 400);
    let size = |name: &str| std::fs::metadata(place.path(name)).unwrap().len();
    assert!(size("run/report.html") < 600_000, "{}", size("run/report.html"));
    assert!(size("run/report.json") < 400_000, "{}", size("run/report.json"));

    let evaluation = json(&["evaluate", &out, &data, "--format", "json"]);
    assert!(evaluation["confusion"].is_null() && evaluation["confusion_cells"].is_array());
    assert!(stdout(&["evaluate", &out, &data]).lines().count() < 70);
    let longest = stdout(&["info", &out]).lines().map(|line| line.chars().count()).max();
    assert!(longest < Some(700), "{longest:?}");
}

#[test]
fn few_classes_keep_their_matrix() {
    let place = Place::new();
    let data = place.file("data.csv", &table(12));
    let fit = json(&["fit", &data, "--max-iterations", "1", "--format", "json"]);
    assert_eq!(fit["confusion"]["counts"].as_array().unwrap().len(), 12);
    assert!(fit["confusion"].get("cells").is_none());
}
