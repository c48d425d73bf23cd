//! The first command of the README prints what the README shows, but for times and memory.

use std::fs;
use std::path::Path;

use crate::{Place, ROOT, array_of, number};

/// The lines of the fenced block that follows a marker.
fn block_after(text: &str, marker: &str) -> Vec<String> {
    let (_, rest) = text.split_once(marker).unwrap_or_else(|| panic!("{marker} is missing"));
    let fenced = rest.trim_start().lines().skip(1).take_while(|line| !line.starts_with("```"));
    fenced.map(String::from).collect()
}

/// The lines that do not differ between runs and CPUs: without the objective's last digits, time, memory, and what the
/// time limit of a loaded machine leaves out of the comparison.
fn masked(lines: impl Iterator<Item = String>) -> Vec<String> {
    let varying = [" f ", " g ", " solver", " stopped", " memory"];
    lines
        .filter(|line| !varying.iter().any(|start| line.starts_with(start)))
        .map(|line| match line.split_once(": best of ") {
            Some((choice, _)) => choice.to_string(),
            None => line,
        })
        .collect()
}

#[test]
fn the_first_command_of_the_readme_prints_what_it_shows_and_learns() {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let command = block_after(&readme, "<!-- main-job -->").join(" ");
    let arguments = command.strip_prefix("cargo run --locked -- ").unwrap();
    let (arguments, folder) = arguments.split_once(" --out ").unwrap();
    let place = Place::new();
    let printed = place.nca(&format!("{arguments} --out run")).printed();
    assert_eq!(
        masked(printed.lines().map(String::from)),
        masked(block_after(&readme, "<!-- main-output -->").into_iter()),
        "README.md shows another output of `nca {arguments}`; it printed:\n{printed}"
    );
    assert!(readme.contains(&format!("`{folder}/report.html`")));

    // It learns: gradient steps, a training curve and a replay, and more rows correct than by any baseline.
    let report = place.json("run/report.json");
    assert!(report["iterations"].as_u64().unwrap() > 2 && report["replay"].is_object());
    let rows = array_of(&report["comparison"]["rows"]);
    let (fitted, baselines) = rows.split_last().unwrap();
    assert_eq!(fitted["method"], "NCA");
    let most = number(fitted, "nn_test") - 0.1;
    assert!(baselines.iter().all(|row| number(row, "nn_test") < most), "{rows:?}");
}
