//! Bad input: the message names the thing, the value and the cure; exit code 1 for data, 2 for usage.

use crate::{Place, table};

#[test]
fn commands_are_refused_with_what_is_wrong_and_what_to_do() {
    let place = Place::new();
    place.nca("fit iris --dim 2 --max-iterations 1 --out run").success();
    place.file("n.csv", table("a,b,y", 5, |row| format!("{row},{},{row}.5", row * row % 7)));
    let iris = "sepal_length_cm,sepal_width_cm,petal_length_cm,petal_width_cm";
    place.file("huge.csv", format!("{iris}\n5,3,1,0.2\n5,3,1e308,0.2\n"));
    let lines = include_str!("refused.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let message = place.nca(fields[1]).fails(fields[0].parse().unwrap(), &fields[2..]);
        assert!(!message.contains("panicked"), "{line}: {message}");
    }
}

#[test]
fn a_report_that_was_edited_is_not_drawn() {
    let place = Place::new();
    place.nca("fit iris --dim 2 --max-iterations 1 --out run").success();
    let (page, report) = (place.read("run/report.html"), place.read("run/report.json"));
    let mut edited = place.json("run/report.json");
    edited["embedding"]["points"][2]["coordinates"] = serde_json::json!([1.5]);
    let message = "the values of embedding do not fit those of the other fields";
    for (report, parts) in [
        (report.replacen("\"format\": 1", "\"format\": 99", 1), ["format 99", "reads format 1"]),
        (edited.to_string(), ["report.json", message]),
    ] {
        place.file("run/report.json", report);
        place.nca("report run").fails(1, &parts);
        assert_eq!(place.read("run/report.html"), page);
    }
}
