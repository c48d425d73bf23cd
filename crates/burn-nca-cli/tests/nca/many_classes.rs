//! Thousands of classes: what is written grows with the rows, not with the classes squared.

use crate::{Place, array_of, table};

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
    let classes = &report["data"]["classes"];
    assert_eq!(classes[2]["name"], "name 2");
    assert_eq!(classes[10]["name"], "name 10", "as people count");
    assert!(report["confusion"].get("counts").is_none());
    let cells = array_of(&report["confusion"]["cells"]);
    let rows: u64 = cells.iter().map(|cell| cell[2].as_u64().unwrap()).sum();
    assert_eq!(rows, 400);
    for (name, most) in [("run/report.html", 600_000), ("run/report.json", 400_000)] {
        let size = std::fs::metadata(place.path(name)).unwrap().len();
        assert!(size < most, "{name}: {size}");
    }

    let evaluation = place.nca("evaluate run t.csv").json();
    assert!(evaluation["confusion"].is_null() && evaluation["confusion_cells"].is_array());
    assert!(place.nca("evaluate run t.csv").printed().lines().count() < 70);
    let text = place.nca("info run").printed();
    assert!(text.lines().all(|line| line.chars().count() < 700), "{text}");
}
